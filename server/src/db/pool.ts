import pg from 'pg';
import type { Log } from '../runtime/log.ts';
import { GatheringSocket } from './pg-internals/gathering-socket.ts';
import { sendLargeInPlace } from './pg-internals/large-parameters.ts';
import type { Plans } from './types.ts';

export interface PoolOptions {
  url: string;
  /** Shown in `pg_stat_activity`. */
  name: string;
  log: Log;
  /** The most connections. Few busy ones are better than many: group commit needs two, requests the rest. */
  size?: number;
  /** The connections that stay open while idle: opening one costs a dozen times as much as a statement. */
  keep?: number;
  /** Sends statements without waiting for earlier answers. */
  pipelined?: boolean;
  /** The limit of a statement; a slower one waits for a lock or has a bad plan. */
  timeoutMs?: number;
  /** How batches are planned. */
  plans?: Plans;
}

const { builtins } = pg.types;

/** A slower statement waits for a lock or has a bad plan; the caller gets an error and retries. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Later than PostgreSQL's own limit: it only ends statements on a broken connection. */
const ANSWER_AFTER_MS = 5_000;
/** Callers wait this long for a connection, then answer 503, and the phone's queue waits. */
const CONNECT_TIMEOUT_MS = 5_000;

export function createPool({
  url,
  name,
  log,
  size = 10,
  keep = 0,
  pipelined = false,
  plans = 'once',
  timeoutMs = STATEMENT_TIMEOUT_MS,
}: PoolOptions): pg.Pool & { readonly plans: Plans } {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: name,
    max: size,
    min: keep,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    statement_timeout: timeoutMs,
    query_timeout: timeoutMs + ANSWER_AFTER_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    pipeline: pipelined,
    ...(pipelined && { stream: () => new GatheringSocket() }),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: readableTypes(),
  });
  pool.on('connect', (client) => {
    sendLargeInPlace(client.connection);
    // A lent connection that breaks emits an error besides failing its query. The pool listens only to idle ones.
    client.on('error', (err) => log.debug({ err, pool: name }, 'a database connection broke'));
  });
  // Without a listener, a broken idle connection would end the process; the pool has dropped it already.
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ err: error, pool: name }, 'an idle database connection broke');
  });
  return Object.assign(pool, { plans });
}

/** `int8` as number, calendar dates and zoneless timestamps as text: a `Date` would shift them by the machine's zone. */
function readableTypes(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  types.setTypeParser(builtins.INT8, parseInteger);
  types.setTypeParser(builtins.DATE, keepText);
  types.setTypeParser(builtins.TIMESTAMP, keepText);
  return types;
}

function parseInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`integer ${text} is too large for a number; cast it to text`);
  return value;
}

function keepText(text: string): string {
  return text;
}

/** Opens connections ahead of their first use. */
export async function openAhead(pool: pg.Pool, count: number): Promise<void> {
  const opening = await Promise.allSettled(Array.from({ length: count }, () => pool.connect()));
  for (const one of opening) if (one.status === 'fulfilled') one.value.release();
}
