import { unregister } from '../auth/unregister.ts';
import { misuseOf, readWords, type Manual } from '../command-line.ts';
import { withTransaction } from '../db/transaction.ts';
import type { Db } from '../db/types.ts';
import { StartError } from '../start-error.ts';
import { declareRestored, tellRestored } from './restored.ts';

// `npm run ops -- …`: what an operator tells the service, beside its running servers or without them.

export const opsManual: Manual = {
  program: 'npm run ops',
  commands: {
    restored: { takes: '[--reason TEXT]', does: 'this database was put back to an earlier state' },
    unregister: { takes: 'EMPLOYEE', does: 'this driver signs up anew: all their sessions end, no password counts' },
  },
};

export type OpsCommand =
  { readonly verb: 'restored'; readonly reason: string } | { readonly verb: 'unregister'; readonly employee: string };

/** @throws StartError */
export function parseOpsCommand(argv: readonly string[]): OpsCommand {
  const { positionals, values } = readWords(argv, { reason: { type: 'string' } });
  const [verb, employee] = positionals;
  if (verb === 'restored' && positionals.length === 1) return { verb, reason: values.reason?.trim() || 'restored' };
  if (verb === 'unregister' && employee !== undefined && positionals.length === 2 && values.reason === undefined)
    return { verb, employee };
  throw new StartError(misuseOf(opsManual, positionals));
}

/** @returns what to show */
export async function runOpsCommand(command: OpsCommand, db: Db): Promise<string> {
  if (command.verb === 'restored') return tellRestored(await declareRestored(db, command.reason));
  const { employee } = command;
  if (!(await withTransaction(db, (tx) => unregister(tx, employee, new Date()))))
    throw new StartError(`nobody of the id ${employee} is registered (GET /api/auth/employees lists who is)`);
  return `${employee} is not registered any more. What their phones still hold arrives all the same; signing up again is open to them.`;
}
