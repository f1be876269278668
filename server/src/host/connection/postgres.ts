import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../runtime/log.ts';
import type { HostValue } from '../files/columns.ts';
import { GatheringSocket } from '../../db/pg-internals/gathering-socket.ts';
import { HostError, type Host, type HostRow, type HostTransaction } from '../host.ts';
import { asStandInColumns, asStandInJob, standInColumnsQuery, standInJobQuery } from './postgres-catalog.ts';
import { hostErrorOf } from './postgres-errors.ts';
import { faultsIn, inTables, isSlowed, refuseByFault, type Fault } from './standin-faults.ts';
import { libraryDdl, libraryMark, serviceProgram, userSetting } from '../files/standin-schema.ts';
import { plainMap, type LibraryMap } from '../files/library-map.ts';

// The PostgreSQL stand-in: the library is a schema, the SQL is the common dialect, failures carry Db2's states.

export type StandInOptions = {
  url: string;
  library: string;
  log: Log;
  /** The connection's name in doorbell lines; only the service itself is `TAILGATE`. */
  program?: string;
  /** The user in doorbell lines; by default the connection's user. */
  user?: string | undefined;
  size?: number;
  limits?: Limits;
  /** The library's own names. */
  map?: LibraryMap | undefined;
};

/** In milliseconds. */
type Limits = {
  /**
   * Longer than any statement of the service needs; a host that takes this long is in trouble, and its rows can wait.
   */
  readonly statementMs: number;
  /** After a wait for another program's lock the route is tried again later. Db2 for i itself waits 60 s. */
  readonly lockMs: number;
};
const LIMITS: Limits = { statementMs: 10_000, lockMs: 3_000 };

/** Four lanes of routes, twelve routes that wait for locks, four lanes of rows on their own, the import, diagnostics. */
const CONNECTIONS = 22;
const CONNECT_TIMEOUT_MS = 5_000;
const SLOW_MS = 2_000;
/**
 * PostgreSQL plans a named statement once a connection. Rare ones beyond this many (a multi-row insert of 17 rows) are
 * not worth the memory.
 */
const MAX_PREPARED = 400;
const MAX_PREPARED_LENGTH = 20_000;

/** Creates the library where it is missing and connects to it. */
export async function openStandIn(options: StandInOptions): Promise<Host> {
  const { library, program = serviceProgram, map = plainMap } = options;
  const pool = openPool({ ...options, program });
  try {
    await createLibrary(pool, library, map);
  } catch (error) {
    await pool.end();
    throw hostErrorOf(error, '08001');
  }
  const closing = new AbortController();
  const faultsOf = program === serviceProgram ? library : undefined;
  const line: Line = { pool, faultsOf, map, signal: closing.signal };
  return {
    dialect: 'postgres',
    library,
    map,
    query: (sql, parameters = []) => withConnection(line, '', (session) => readRows(session, sql, parameters)),
    transaction: (work) =>
      withConnection(line, 'begin; ', async (session) => {
        const result = await work(transactionOn(session));
        refuseByFault(await session.faults, '');
        await commit(session.client);
        return result;
      }),
    isAtomic: () => true,
    ping: () =>
      withConnection(line, '', async (session) => asStandInJob(await readRows(session, standInJobQuery, []), library)),
    describe: (file) =>
      withConnection(line, '', async (session) =>
        asStandInColumns(map.file(file), await readRows(session, standInColumnsQuery, [library, map.table(file)])),
      ),
    close: async () => {
      closing.abort();
      await pool.end();
    },
  };
}

function openPool({ url, library, log, program, user, size = CONNECTIONS, limits = LIMITS }: StandInOptions): pg.Pool {
  const { statementMs, lockMs } = limits;
  const pool = new pg.Pool({
    connectionString: url,
    application_name: program,
    max: size,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    query_timeout: statementMs + 5_000,
    idle_in_transaction_session_timeout: statementMs,
    keepAlive: true,
    options: sessionOptions(library, user),
    // A stop's statements are sent together instead of waiting for each other.
    pipeline: true,
    stream: () => new GatheringSocket(),
    types: { getTypeParser: typeParser },
  });
  pool.on('error', (error) => {
    // While the pool closes, a stopping PostgreSQL may end a connection, too.
    if (!pool.ending) log.warn({ err: error }, 'an idle connection to the stand-in host broke');
  });
  // The pool listens only to idle connections: a busy one that breaks would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

interface Line {
  readonly pool: pg.Pool;
  /** The library whose faults this program meets; undefined for a clerk, who works on. */
  readonly faultsOf: string | undefined;
  readonly map: LibraryMap;
  /** Aborts when the host is closed. */
  readonly signal: AbortSignal;
}

type Session = {
  client: pg.PoolClient;
  faults: Promise<readonly Fault[]>;
  map: LibraryMap;
  signal: AbortSignal;
};

/**
 * Runs `work` on a connection behind `first`, which also reads the faults. It does not wait for these alone: the work's
 * statements are sent with them, and the faults delay their answers. A connection in an unclear state is closed.
 */
async function withConnection<Result>(
  { pool, faultsOf, map, signal }: Line,
  first: string,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const client = await connect(pool);
  let broken = false;
  try {
    const faults = readFaults(client, first, faultsOf).then((known) => inTables(known, map));
    // The statements of `work` report this error; other listeners need not.
    faults.catch(() => undefined);
    return await work({ client, faults, map, signal });
  } catch (error) {
    broken = !(await rolledBack(client));
    throw error;
  } finally {
    client.release(broken);
  }
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw hostErrorOf(error, '08001');
  }
}

/** Begins, and reads the faults in the same round trip: those of `library`, where there is one. */
async function readFaults(client: pg.PoolClient, first: string, library: string | undefined): Promise<Fault[]> {
  const text = library === undefined ? first : `${first}select fault, file from ${library}.standin_fault`;
  try {
    return text === '' ? [] : faultsIn(await client.query(text));
  } catch (error) {
    throw hostErrorOf(error);
  }
}

/**
 * A clerk writes `update RTSTPP …` without the library. As on Db2 for i, statements find rows by their key: a plan
 * cached for an empty file would otherwise read the whole file for each MERGE of a stop (measured: 4 ms, not 0.1).
 * Always the generic plan: planning a MERGE of many rows costs more than running it.
 */
function sessionOptions(library: string, user: string | undefined): string {
  const byKey = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_material'];
  const settings = [
    `search_path=${library.toLowerCase()}`,
    'plan_cache_mode=force_generic_plan',
    ...byKey.map((name) => `${name}=off`),
    ...(user === undefined ? [] : [`${userSetting}=${user}`]),
  ];
  // A user's name may contain blanks, which separate options.
  return settings.map((setting) => `-c ${setting.replaceAll(/[\\\s]/g, '\\$&')}`).join(' ');
}

/** Under a lock of its own, so that two processes that start at once do not race for the same names. */
async function createLibrary(pool: pg.Pool, library: string, map: LibraryMap): Promise<void> {
  const mark = libraryMark(map);
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ mark: string | null }>(
      map.cellDoorbell === undefined
        ? `select obj_description(to_regnamespace($1), 'pg_namespace') as mark`
        : `select obj_description(to_regclass($1), 'pg_class') as mark`,
      [map.cellDoorbell === undefined ? library : `${library}.${map.cellDoorbell}`],
    );
    if (rows[0]?.mark === mark) return;
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(hashtext($1))', [`standin ${library}`]);
    await client.query(
      [
        ...libraryDdl(library, map),
        `comment on ${map.cellDoorbell === undefined ? `schema ${library}` : `table ${library}.${map.cellDoorbell}`} is '${mark}'`,
      ].join(';\n'),
    );
    await client.query('commit');
  } finally {
    client.release(true);
  }
}

function transactionOn(session: Session): HostTransaction {
  return {
    query: (sql, parameters = []) => readRows(session, sql, parameters),
    execute: async (sql, parameters = []) => (await run(session, sql, parameters)).rowCount ?? 0,
  };
}

async function readRows(session: Session, sql: string, parameters: readonly HostValue[]): Promise<HostRow[]> {
  const { fields, rows } = await run(session, sql, parameters);
  const names = fields.map((field) => field.name.toUpperCase());
  return rows.map((values) =>
    session.map.decoded(Object.fromEntries(values.map((value, index) => [names[index] ?? '', value]))),
  );
}

async function run({ client, faults, signal }: Session, sql: string, parameters: readonly HostValue[]) {
  const answer = client.query<HostValue[]>({ ...prepared(sql), values: [...parameters], rowMode: 'array' });
  // A fault that refuses rolls the transaction back.
  answer.catch(() => undefined);
  const inForce = await faults;
  refuseByFault(inForce, sql);
  if (isSlowed(inForce, sql)) await delay(SLOW_MS, undefined, { signal });
  try {
    return await answer;
  } catch (error) {
    throw hostErrorOf(error);
  }
}

/** After a commit without an answer its outcome is unknown: 08007, transaction resolution unknown. */
async function commit(client: pg.PoolClient): Promise<void> {
  try {
    const { command } = await client.query('commit');
    if (command !== 'COMMIT')
      throw new HostError('40000', 'the transaction was rolled back: one of its statements had failed');
  } catch (error) {
    const known = hostErrorOf(error);
    throw known.sqlstate.startsWith('08')
      ? new HostError('08007', 'the connection broke during the commit', { cause: error })
      : known;
  }
}

/** @returns whether the connection is clean again */
async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}

const preparedStatements = new Map<string, { text: string; name?: string }>();

function prepared(sql: string): { text: string; name?: string } {
  const known = preparedStatements.get(sql);
  if (known !== undefined) return known;
  const text = numbered(sql);
  if (preparedStatements.size >= MAX_PREPARED || text.length > MAX_PREPARED_LENGTH) return { text };
  const statement = { text, name: createHash('sha256').update(sql).digest('base64url').slice(0, 22) };
  preparedStatements.set(sql, statement);
  return statement;
}

/** `?` outside of quotes becomes `$1`, `$2`, … */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll(/'[^']*'|"[^"]*"|\?/g, (part) => (part === '?' ? `$${(count += 1)}` : part));
}

/** Type numbers of PostgreSQL's catalog. */
const BYTEA = 17;
const TEXTS = [25, 1042, 1043]; // text, char(n), varchar

/**
 * All values stay text, as the driver promises: no number is rounded and no timestamp shifted. Trailing blanks are cut.
 */
function typeParser(oid: number): (value: string) => HostValue {
  if (oid === BYTEA) return bytesOf;
  return TEXTS.includes(oid) ? trimBlanks : asText;
}

/** PostgreSQL's text form of bytes: `\\x` and hexadecimal digits. */
function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}

function trimBlanks(text: string): string {
  return text.replace(/ +$/, '');
}

function asText(text: string): string {
  return text;
}
