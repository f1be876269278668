import { parseArgs } from 'node:util';
import { unregister } from '../auth/unregister.ts';
import { withTransaction } from '../db/transaction.ts';
import type { Db } from '../db/types.ts';
import { StartError } from '../start-error.ts';
import { declareRestored, tellRestored } from './restored.ts';

// `npm run ops -- …`: what an operator tells the service, beside its running servers or without them.

const usage = [
  'npm run ops -- restored [--reason TEXT]    this database was put back to an earlier state',
  'npm run ops -- unregister EMPLOYEE         this driver signs up anew: all their sessions end, no password counts',
].join('\n');

export type OpsCommand =
  { readonly verb: 'restored'; readonly reason: string } | { readonly verb: 'unregister'; readonly employee: string };

/** @throws StartError */
export function parseOpsCommand(argv: readonly string[]): OpsCommand {
  const { positionals, values } = readArguments(argv);
  const [verb, employee] = positionals;
  if (verb === 'restored' && positionals.length === 1) return { verb, reason: values.reason?.trim() || 'restored' };
  if (verb === 'unregister' && employee !== undefined && positionals.length === 2 && values.reason === undefined)
    return { verb, employee };
  throw new StartError(usage);
}

/** @returns what to show */
export async function runOpsCommand(command: OpsCommand, db: Db): Promise<string> {
  if (command.verb === 'restored') return tellRestored(await declareRestored(db, command.reason));
  const { employee } = command;
  if (!(await withTransaction(db, (tx) => unregister(tx, employee, new Date()))))
    throw new StartError(`nobody of the id ${employee} is registered (GET /api/auth/employees lists who is)`);
  return `${employee} is not registered any more. What their phones still hold arrives all the same; signing up again is open to them.`;
}

function readArguments(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options: { reason: { type: 'string' } } });
  } catch (cause) {
    throw new StartError(`${cause instanceof Error ? cause.message : String(cause)}\n${usage}`, { cause });
  }
}
