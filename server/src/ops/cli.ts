import { parseArgs } from 'node:util';
import type { Db } from '../db/types.ts';
import { StartError } from '../start-error.ts';
import { declareRestored, tellRestored } from './restored.ts';

// `npm run ops -- …`: what an operator tells the service, beside its running servers or without them.

const usage = `npm run ops -- restored [--reason TEXT]    this database was put back to an earlier state`;

export interface OpsCommand {
  readonly verb: 'restored';
  readonly reason: string;
}

/** @throws StartError */
export function parseOpsCommand(argv: readonly string[]): OpsCommand {
  const { positionals, values } = readArguments(argv);
  if (positionals.length !== 1 || positionals[0] !== 'restored') throw new StartError(usage);
  return { verb: 'restored', reason: values.reason?.trim() || 'restored' };
}

/** @returns what to show */
export async function runOpsCommand({ reason }: OpsCommand, db: Db): Promise<string> {
  return tellRestored(await declareRestored(db, reason));
}

function readArguments(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options: { reason: { type: 'string' } } });
  } catch (cause) {
    throw new StartError(`${cause instanceof Error ? cause.message : String(cause)}\n${usage}`, { cause });
  }
}
