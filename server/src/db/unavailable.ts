import { isCollision, sqlStateOf } from './sqlstate.ts';

/**
 * Classes of SQLSTATE that do not depend on the request: connection (08), resources (53), operator (57), system (58), a
 * refused login (28, 3D), or a read-only standby after a fail-over (25).
 */
const temporaryClasses = ['08', '25', '28', '3D', '53', '57', '58'];

const socketCodes = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
];

/** pg gives these no code. */
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered a connection error))/;

/** Another part of the storage than PostgreSQL is unavailable: the object store of files. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

/** Whether the database, or a store beside it, is unavailable, so that a later retry may pass. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof StorageUnavailable) return true;
  const state = sqlStateOf(error);
  if (state !== undefined) return isCollision(error) || temporaryClasses.includes(state.slice(0, 2));
  if ('code' in error && typeof error.code === 'string' && socketCodes.includes(error.code)) return true;
  return driverMessages.test(error.message);
}
