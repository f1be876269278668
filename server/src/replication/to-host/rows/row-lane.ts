import type { Queryable } from '../../../db/types.ts';
import { isDatabaseUnavailable } from '../../../db/unavailable.ts';
import type { Log } from '../../../runtime/log.ts';
import { routeDelayMs } from '../../control/breaker.ts';
import type { HostGate } from '../../control/host-gate.ts';
import type { HostFileName } from '../../../host/files/tables.ts';
import { HostError, isLocal, isRowError, isSystemErrorFinal, needsSetup, reachedLimit } from '../../../host/host.ts';
import type { Lease, Leases } from '../lease.ts';
import { traceOfEntry, type ReplicationLog } from '../replication-log.ts';
import type { PendingRow, RowFile, RowPass, RowRefusal } from './row-file.ts';
import { parkRows } from './sql.ts';

export interface RowLaneOptions {
  readonly db: Queryable;
  readonly leases: Leases;
  readonly gate: HostGate;
  readonly replicationLog: Pick<ReplicationLog, 'write'>;
  readonly clock: () => Date;
  readonly log: Log;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Rows a batch: they are confirmed together. */
const ROWS_A_BATCH = 50;
/** Delay while another worker has the file: its last search may have missed the change of this wake-up. */
const POLL_AGAIN_MS = 500;
/** Delay after a failure of the service's own (PostgreSQL away, a bug); the sweep would come later. */
const OWN_FAILURE_MS = 1_000;

/**
 * Brings the rows of one file to the host, one after the other, on one connection: a long file of photos delays no stop
 * and no other file. As with routes, the mirror has the work (I8), and a lease on the file separates the workers.
 */
export class RowLane<Row extends PendingRow> {
  readonly #options: RowLaneOptions;
  readonly #file: RowFile<Row>;
  #running: Promise<void> | undefined;
  #wanted = false;
  #failures = 0;
  /** Errors since the last written row that a later attempt may or may not overcome. */
  #doubtfulErrors = 0;
  #later: NodeJS.Timeout | undefined;

  constructor(file: RowFile<Row>, options: RowLaneOptions) {
    this.#file = file;
    this.#options = options;
  }

  get #name(): HostFileName {
    return this.#file.files[0];
  }

  /** Starts a search for work. */
  wake(): void {
    this.#wanted = true;
    if (this.#running || this.#later !== undefined || !this.#mayWork()) return;
    this.#running = this.#work().finally(() => {
      this.#running = undefined;
      // The wake-up may have come between the last search and the end.
      if (this.#wanted) this.wake();
    });
  }

  /** Ends after the row in progress. */
  async stop(): Promise<void> {
    clearTimeout(this.#later);
    await this.#running;
  }

  /** No row is in work. */
  get isIdle(): boolean {
    return this.#running === undefined;
  }

  #mayWork(): boolean {
    const { gate } = this.#options;
    return gate.isOpen && this.#file.files.every((file) => gate.pauseOf(file) === undefined);
  }

  async #work(): Promise<void> {
    const { leases, log } = this.#options;
    try {
      while (this.#wanted && this.#mayWork()) {
        this.#wanted = false;
        // A lease is a write: most searches find nothing.
        if ((await this.#file.load(1)).length === 0) continue;
        const lease = await leases.acquire({ ...notARoute, id: this.#name });
        if (!lease) return this.#wakeLater(POLL_AGAIN_MS);
        try {
          await this.#drain(lease);
        } finally {
          await leases.release(lease);
        }
      }
    } catch (error) {
      const delayMs = this.#delayAfter(error);
      if (delayMs !== undefined) this.#wakeLater(delayMs);
      if (!(error instanceof HostError)) log.error({ err: error, file: this.#name }, 'rows could not be replicated');
    }
  }

  async #drain(lease: Lease): Promise<void> {
    const { leases } = this.#options;
    const pass: RowPass = { lease, mayContinue: () => leases.holds(lease) && this.#mayWork() };
    for (;;) {
      const begunAt = performance.now();
      const rows = await this.#file.load(ROWS_A_BATCH);
      if (rows.length === 0) return;
      const hosted: Row[] = [];
      const refused: RowRefusal[] = [];
      try {
        for (const row of rows) {
          if (!pass.mayContinue()) break;
          await this.#writeOne(row, pass, { hosted, refused });
        }
      } finally {
        await this.#confirm(lease, hosted, refused, begunAt);
      }
      if (!pass.mayContinue()) return;
    }
  }

  /** A refusal parks one row: the others continue. */
  async #writeOne(row: Row, pass: RowPass, { hosted, refused }: { hosted: Row[]; refused: RowRefusal[] }) {
    const { gate } = this.#options;
    try {
      if ((await this.#file.write(row, pass)) === 'unfinished') return;
      gate.confirmed();
      this.#failures = 0;
      this.#doubtfulErrors = 0;
      hosted.push(row);
    } catch (error) {
      if (error instanceof HostError ? !this.#isRowError(error) : isDatabaseUnavailable(error)) throw error;
      if (error instanceof HostError && error.file && needsSetup(error)) return gate.pause(error.file, error);
      const sqlstate = error instanceof HostError ? error.sqlstate : '38000';
      const reason = error instanceof Error ? error.message : String(error);
      refused.push({ row, sqlstate, reason, payload: this.#file.describe(row) });
    }
  }

  #isRowError(error: HostError): boolean {
    return isRowError(error) || (isDoubtful(error) && isSystemErrorFinal(this.#doubtfulErrors));
  }

  async #confirm(lease: Lease, hosted: readonly Row[], refused: readonly RowRefusal[], begunAt: number): Promise<void> {
    await this.#log(hosted, refused);
    if (hosted.length > 0) await this.#file.confirm(lease, hosted);
    if (refused.length === 0) return;
    const age = performance.now() - begunAt;
    const { db, clock } = this.#options;
    await db.query(parkRows, [this.#name, age, ...parkRows.parameters(refused), clock()]);
  }

  /** The server's log names a row by its trace id: the key of an asset gives access to it, and stays out of the log. */
  async #log(hosted: readonly Row[], refused: readonly RowRefusal[]): Promise<void> {
    const { log, replicationLog } = this.#options;
    const file = this.#name;
    const written = hosted.map(({ key, version, zone }) => {
      return { file, key, zone, sequence: version, outcome: { status: 'A' } } as const;
    });
    const parked = refused.map(({ row: { key, version, zone }, sqlstate, reason }) => {
      return { file, key, zone, sequence: version, outcome: { status: 'P', sqlstate, reason } } as const;
    });
    for (const entry of written)
      log.debug({ file, version: entry.sequence, trace: traceOfEntry(entry) }, 'the host has this row');
    for (const entry of parked) {
      const { sequence: version, outcome } = entry;
      const { sqlstate, reason } = outcome;
      const refusal = { file, version, trace: traceOfEntry(entry), sqlstate, reason };
      log.warn(refusal, 'parked: the host does not take this row');
    }
    await replicationLog.write([...written, ...parked]);
  }

  /** @returns the delay until the next try; undefined where the gate decides */
  #delayAfter(error: unknown): number | undefined {
    const { gate, log, random } = this.#options;
    if (!(error instanceof HostError)) return OWN_FAILURE_MS;
    // Another program inserted the same row at the same moment: the next try finds it.
    if (!isLocal(error) && error.kind !== 'duplicate') {
      gate.trip(error);
      return undefined;
    }
    if (reachedLimit(error)) gate.checkHost();
    this.#failures += 1;
    if (isDoubtful(error)) this.#doubtfulErrors += 1;
    const facts = { file: this.#name, sqlstate: error.sqlstate, reason: error.message, failures: this.#failures };
    // A stop that names a file inserts its row, too, often at the same moment: that alone is no news for an operator.
    const level = error.kind === 'duplicate' && this.#failures === 1 ? 'debug' : 'warn';
    log[level](facts, 'rows of a file cannot be written now: they are in use, or the host refused a statement');
    return routeDelayMs(this.#failures, random());
  }

  #wakeLater(delayMs: number): void {
    this.#wanted = true;
    clearTimeout(this.#later);
    if (this.#options.gate.isStopping) return;
    this.#later = setTimeout(() => {
      this.#later = undefined;
      this.wake();
    }, delayMs);
  }
}

/** An internal error of the host, or a key that exists: another program has just inserted the row, or an index has it for good. */
const isDoubtful = ({ kind }: HostError): boolean => kind === 'system' || kind === 'duplicate';

/** Leases are of routes; no route has a blank facility. */
const notARoute = { facility: '', week_end: '' };
