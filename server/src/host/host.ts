import type { HostValue } from './files/columns.ts';
import type { Dialect } from './files/dialect.ts';
import type { HostFileName } from './files/tables.ts';

/** Column names in upper case; text right-trimmed, numbers and timestamps as text, bit data as bytes. */
export type HostRow = { [column: string]: HostValue };

/**
 * What a statement inside a transaction does. Statements may be handed over without waiting for the one before; they
 * run in order.
 */
export interface HostTransaction {
  /** @throws HostError */
  query(sql: string, parameters?: readonly HostValue[]): Promise<HostRow[]>;
  /** @returns the number of rows that the statement inserted, changed or deleted. @throws HostError */
  execute(sql: string, parameters?: readonly HostValue[]): Promise<number>;
}

/**
 * The legacy host, whatever database it is. What fails there is a HostError; what a transaction's own work throws
 * passes through.
 */
export interface Host {
  readonly dialect: Dialect;
  readonly library: string;
  /** One statement on its own, `?` for parameters. */
  query(sql: string, parameters?: readonly HostValue[]): Promise<HostRow[]>;
  /**
   * Commits when `work` resolves, rolls back when it rejects. SQLSTATE 08007: nobody knows whether the commit happened,
   * read back.
   */
  transaction<T>(work: (tx: HostTransaction) => Promise<T>): Promise<T>;
  ping(): Promise<HostJob>;
  /**
   * The columns that the host really has, which may differ from what we defined; undefined where it has no such file.
   */
  describe(file: HostFileName): Promise<HostColumn[] | undefined>;
  close(): Promise<void>;
}

/** As whom and in which code page the service's job on the host runs. */
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
 * What to do about a failure, by its class (host-faults.md tells them as an operator meets them):
 * `passing` try again for as long as it takes · `not_journaled` write that file without commitment control ·
 * `duplicate` read again and compare ·
 * `poison` park this stop, go on with the others · `setup` pause that file and call a person.
 */
export type HostErrorKind = 'passing' | 'not_journaled' | 'duplicate' | 'poison' | 'setup';

export class HostError extends Error {
  override readonly name = 'HostError';
  readonly kind: HostErrorKind;
  readonly sqlstate: string;
  readonly sqlcode: number | undefined;
  /** The file whose statement failed, where that is known. */
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

/** What a statement on this file answers; its failure names the file. */
export async function onFile<Answer>(file: HostFileName, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof HostError) || error.file !== undefined) throw error;
    throw new HostError(error.sqlstate, error.message, { sqlcode: error.sqlcode, file, cause: error });
  }
}

/** Nobody but a person can help: a file, a column or an authority is missing. */
export function needsSetup({ kind }: HostError): boolean {
  return kind === 'setup' || kind === 'not_journaled';
}

/** What is to be put aside, so that everything else goes on: the host refuses it, or the file that it needs is missing. */
export function isOneRowsTrouble(error: HostError): boolean {
  return error.kind === 'poison' || (needsSetup(error) && error.file !== undefined);
}

/** Locks, deadlocks, objects in use, a statement that reached its limit: trouble of these rows and not of the host. */
export function isLocal(error: HostError): boolean {
  return /^(40|55)/.test(error.sqlstate) || error.sqlstate === '57033' || reachedLimit(error);
}

/**
 * The statement took as long as a statement may. Mostly it waited for a lock: Db2 for i waits longer than our limit
 * (60 s), Db2 LUW without end. The host as a whole may be stuck as well.
 */
export function reachedLimit({ sqlstate }: HostError): boolean {
  return sqlstate === '57014';
}

/** Db2's SQLSTATEs; the stand-in translates PostgreSQL's own into these first. */
function classifySqlstate(sqlstate: string): HostErrorKind {
  const whole = kindByState[sqlstate];
  // An unknown failure is parked: a person sees it, the other stops go on, and nothing is retried for ever behind
  // everybody's back.
  return whole ?? kindByClass[sqlstate.slice(0, 2)] ?? 'poison';
}

const kindByState: { readonly [sqlstate: string]: HostErrorKind } = {
  '23505': 'duplicate',
  '55019': 'not_journaled',
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
