import pg from 'pg';
import type { Log } from '../runtime/log.ts';
import { GatheringSocket } from './pg-internals/gathering-socket.ts';
import { sendLargeInPlace } from './pg-internals/large-parameters.ts';

export interface PoolOptions {
  url: string;
  /** Shown in `pg_stat_activity`. */
  name: string;
  log: Log;
  /** Connections at most. Few and busy beats many: group commit needs two, requests the rest. */
  size?: number;
  /** Connections that stay open though nobody uses them: opening one costs a dozen times what a statement does. */
  keep?: number;
  /** Statements sent without waiting for each other's answers travel together. */
  pipelined?: boolean;
}

const { builtins } = pg.types;

/** A statement that takes longer hangs on a lock or has lost its plan; the caller gets an error and retries. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Later than PostgreSQL's own limit: only reached where the connection is dead and nobody will ever answer. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
/** Callers wait this long for a connection, then answer 503 and let the phone's queue wait instead. */
const CONNECT_TIMEOUT_MS = 5_000;

export function createPool({ url, name, log, size = 10, keep = 0, pipelined = false }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: name,
    max: size,
    min: keep,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    pipeline: pipelined,
    ...(pipelined && { stream: () => new GatheringSocket() }),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: readableTypes(),
  });
  pool.on('connect', (client) => {
    sendLargeInPlace(client.connection);
    // One that breaks in somebody's hands errs by itself besides failing their query: the pool listens only while it idles.
    client.on('error', (err) => log.debug({ err, pool: name }, 'a database connection broke'));
  });
  // An idle connection that breaks would end the process without a listener; the pool itself has dropped it already.
  // One that we close anyway may be ended by the server first, as where it stops, too.
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ err: error, pool: name }, 'an idle database connection broke');
  });
  return pool;
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

/** Opens connections before somebody waits for them. */
export async function openAhead(pool: pg.Pool, count: number): Promise<void> {
  const opening = await Promise.allSettled(Array.from({ length: count }, () => pool.connect()));
  for (const one of opening) if (one.status === 'fulfilled') one.value.release();
}
