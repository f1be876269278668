import { HostError } from '../host.ts';
import type { Failure } from './process-messages.ts';

/**
 * Turns an error of Db2 or its driver into a HostError. @param unknown the state of errors without one: mostly a broken
 * connection
 */
export function hostErrorOf({ message, sqlcode, sqlstate }: Failure, unknown = '08003'): HostError {
  if (sqlstate === 'MODULE_NOT_FOUND') return new HostError('42724', `${missing} (${firstLine(message)})`);
  const state = (sqlcode === undefined ? undefined : stateByCode[sqlcode]) ?? stateOf(sqlstate) ?? unknown;
  return new HostError(state, firstLine(message), { sqlcode, cause: message });
}

/** The connection cannot be trusted any more. */
export function isLost({ sqlcode, sqlstate }: HostError): boolean {
  // HY is the client library's own class: a fresh connection starts clean.
  return /^(08|HY|40003)/.test(sqlstate) || lostCodes.includes(sqlcode ?? 0);
}

const missing =
  'LEGACY_URL names Db2, and the package ibm_db is not installed or lacks its client library: ' +
  'npm install ibm_db@4.0.1 in a folder of its own, and NODE_PATH=that folder/node_modules (docs/db2.md)';

/** Communication error, agent gone, connection gone. */
const lostCodes = [-30_081, -30_080, -1_224, -1_024];

/**
 * Errors whose own state would cause the wrong reaction. Some need a person and have a state of those that pass; one
 * passes and has the state of a file that is not journaled.
 */
const stateByCode: { readonly [sqlcode: number]: string } = {
  [-331]: '22021', // unconvertible character
  [-332]: '22021', // no conversion between these code pages
  [-805]: '42704', // the client's packages are not bound on this database
  [-1_060]: '42501', // no authority to connect
  [-1_403]: '28000', // user or password refused
  [-7_008]: '55019', // Db2 for i: not journaled
  [-20_054]: '55006', // Db2 LUW: the table is in a state that passes (55019 too, but nothing about journals)
  [-30_061]: '42705', // no such database
  [-30_082]: '28000', // user or password refused
};

/** The CLI's own states, which Db2 does not have. */
const stateByCliState: { readonly [state: string]: string } = {
  HYT00: '57014', // took too long
  HYT01: '08001', // no answer
  HY008: '57014', // cancelled
};

function stateOf(state: string | undefined): string | undefined {
  if (state === undefined) return undefined;
  return stateByCliState[state] ?? (/^[0-9A-Z]{5}$/.test(state) ? state : undefined);
}

/** Drivers put the source of a trigger and its own name on lines of their own. */
function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? '';
}
