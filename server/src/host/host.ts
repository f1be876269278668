import type { HostValue } from './files/columns.ts';
import type { Dialect } from './files/dialect.ts';
import type { LibraryMap } from './files/library-map.ts';
import type { HostFileName } from './files/tables.ts';

/** Column names in upper case; text right-trimmed, numbers and timestamps as text, bit data as bytes. */
export type HostRow = { [column: string]: HostValue };

/**
 * The operations inside a transaction. A caller may send statements without waiting for the one before; they run in
 * order.
 */
export interface HostTransaction {
  /** @throws HostError */
  query(sql: string, parameters?: readonly HostValue[]): Promise<HostRow[]>;
  /** @returns the number of rows that the statement inserted, changed or deleted. @throws HostError */
  execute(sql: string, parameters?: readonly HostValue[]): Promise<number>;
}

/** The legacy host on any database. Its failures are HostErrors; errors of a transaction's own work pass through. */
export interface Host {
  readonly dialect: Dialect;
  readonly library: string;
  /** The library's own names, lengths and codes; rows come with ours. */
  readonly map: LibraryMap;
  /** One statement on its own, `?` for parameters. */
  query(sql: string, parameters?: readonly HostValue[]): Promise<HostRow[]>;
  /**
   * Commits when `work` resolves, rolls back when it rejects. SQLSTATE 08007: the outcome of the commit is unknown, read
   * back.
   */
  transaction<T>(work: (tx: HostTransaction) => Promise<T>): Promise<T>;
  /** Whether a rollback takes everything back. It does not where a file without a journal is known. */
  isAtomic(): boolean;
  ping(): Promise<HostJob>;
  /** The columns on the host, which may differ from the definition; undefined where it has no such file. */
  describe(file: HostFileName): Promise<HostColumn[] | undefined>;
  close(): Promise<void>;
}

/** User and code page of the service's job on the host. */
export interface HostJob {
  ccsid: number;
  user: string;
  job: string;
  library: string;
}

export interface HostColumn {
  name: string;
  type: string;
  length: number;
  scale: number;
  nullable: boolean;
  ccsid: number | null;
}

/**
 * The reaction to a failure, by its class (host-faults.md describes them for operators): `passing` try again without
 * limit · `system` try again a few times, then park · `not_journaled` write that file without commitment control ·
 * `duplicate` read again and compare, a few times · `poison` park this stop, continue with the others · `setup` pause that
 * file and call a person.
 */
export type HostErrorKind = 'passing' | 'system' | 'not_journaled' | 'duplicate' | 'poison' | 'setup';

export class HostError extends Error {
  override readonly name = 'HostError';
  readonly kind: HostErrorKind;
  readonly sqlstate: string;
  readonly sqlcode: number | undefined;
  /** The file whose statement failed, where known. */
  readonly file: HostFileName | undefined;

  constructor(sqlstate: string, message: string, options: HostErrorFacts = {}) {
    super(message, { cause: options.cause });
    this.sqlstate = sqlstate;
    this.sqlcode = options.sqlcode;
    this.file = options.file;
    this.kind = classifySqlstate(sqlstate);
  }
}

interface HostErrorFacts {
  readonly sqlcode?: number | undefined;
  readonly file?: HostFileName;
  readonly cause?: unknown;
}

/** Adds the file's name to the failure of a statement on it. */
export async function onFile<Answer>(file: HostFileName, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof HostError) || error.file !== undefined) throw error;
    throw new HostError(error.sqlstate, error.message, { sqlcode: error.sqlcode, file, cause: error });
  }
}

/** Only a person can help: a file, a column or an authority is missing. */
export function needsSetup({ kind }: HostError): boolean {
  return kind === 'setup' || kind === 'not_journaled';
}

/** The row must be parked, so that everything else continues: the host refuses it, or its file is not set up. */
export function isRowError(error: HostError): boolean {
  return error.kind === 'poison' || (needsSetup(error) && error.file !== undefined);
}

/**
 * Locks, deadlocks, objects in use, a statement at its limit or refused by the governor (57005), an internal error:
 * trouble of these rows and not of the host.
 */
export function isLocal(error: HostError): boolean {
  return /^(40|55)|^57(005|033)/.test(error.sqlstate) || error.kind === 'system' || reachedLimit(error);
}

/** Failed attempts before an internal error of the host parks its rows: with growing pauses, about half a minute. */
const SYSTEM_ERROR_ATTEMPTS = 5;

/**
 * Whether these rows have met an internal error of the host (SQL0901) often enough to be parked. @param failures the
 * earlier ones
 */
export function isSystemErrorFinal(failures: number): boolean {
  return failures + 1 >= SYSTEM_ERROR_ATTEMPTS;
}

/** Only reading back shows whether the rows are written: they exist already, or the commit has no answer (08007). */
export function needsReadBack({ kind, sqlstate }: HostError): boolean {
  return kind === 'duplicate' || sqlstate === '08007';
}

/**
 * The statement took the longest allowed time, mostly in a wait for a lock: Db2 for i waits longer than our limit (60
 * s), Db2 LUW without end. The host as a whole may be stuck as well.
 */
export function reachedLimit({ sqlstate }: HostError): boolean {
  return sqlstate === '57014';
}

/** Db2's SQLSTATEs; the stand-in translates PostgreSQL's own into these first. */
function classifySqlstate(sqlstate: string): HostErrorKind {
  const whole = kindByState[sqlstate];
  // An unknown failure is parked: a person sees it, the other stops continue, and no endless retry hides it.
  return whole ?? kindByClass[sqlstate.slice(0, 2)] ?? 'poison';
}

const kindByState: { readonly [sqlstate: string]: HostErrorKind } = {
  '23505': 'duplicate',
  '55019': 'not_journaled',
  // SQL0901: the statement failed, and later ones can succeed.
  '58004': 'system',
};

const kindByClass: { readonly [stateClass: string]: HostErrorKind } = {
  '08': 'passing', // connection
  '40': 'passing', // deadlock, rolled back
  '51': 'passing', // the job's connection state
  '53': 'passing', // resources
  '55': 'passing', // object in use or in a restricted state
  '57': 'passing', // lock timeout, resource limit, shutting down
  '22': 'poison', // too long, overflow, unconvertible
  '23': 'poison', // a constraint of the host
  '09': 'poison', // a trigger of the host refused
  '38': 'poison', // a function or trigger program of the host failed
  '28': 'setup', // authorization
  '3F': 'setup', // no such library
  '42': 'setup', // no such object, no authority, or our SQL does not fit this host
};
