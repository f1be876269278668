import pg from 'pg';
import { HostError } from '../host.ts';
import { db2StateOf } from './postgres-states.ts';

/**
 * Translates a failure of the stand-in into Db2's terms. `unknown` is the state of errors without one: mostly a broken
 * connection.
 */
export function hostErrorOf(error: unknown, unknown = '08003'): HostError {
  if (error instanceof HostError) return error;
  if (!(error instanceof pg.DatabaseError)) {
    return new HostError(unknown, error instanceof Error ? error.message : String(error), { cause: error });
  }
  const { sqlstate, sqlcode } = db2StateOf(error.code ?? '');
  return new HostError(sqlstate, error.message, { cause: error, ...(sqlcode === undefined ? {} : { sqlcode }) });
}
