import { hostText } from '@tailgate/sync-protocol';
import type { Queryable } from '../../db/types.ts';
import { selectColumns, updateEach } from '../../host/files/statements.ts';
import { hostFiles } from '../../host/files/tables.ts';
import { HostError, needsSetup, type Host } from '../../host/host.ts';
import { Interval } from '../../runtime/interval.ts';
import type { Log } from '../../runtime/log.ts';
import type { Breaker } from '../control/breaker.ts';
import { listWorkers } from '../control/heartbeat.ts';
import type { Hold } from '../control/hold.ts';
import { readBacklog } from './backlog.ts';
import { namesOf, stampAt } from './host-writes.ts';
import type { Leases } from './lease.ts';
import * as sql from './parking-sql.ts';

export interface HandshakeOptions {
  readonly db: Queryable;
  readonly host: Host;
  readonly leases: Pick<Leases, 'acquire' | 'release'>;
  readonly hostStatus: () => { readonly breaker: Breaker; readonly hold: Hold | undefined };
  /** Whether a facility is live: else the library stays as it is. */
  readonly isLive: () => boolean;
  readonly clock: () => Date;
  readonly log: Log;
  readonly everyMs?: number;
}

const EVERY_MS = 5_000;
/** Without a change, the row shows once a minute that the service is there. */
const SEEN_MS = 60_000;
/** The columns of a library of an earlier layout are probed again after this. */
const PROBE_MS = 15 * 60_000;

interface LastError {
  readonly text: string;
  readonly at: Date;
}

/**
 * PODCTLP, the side of the service: whether a hold has taken effect, how far the host is behind, the last error. From
 * CTQUI on, the service writes to no file of the library but the doorbell, not even to this row, until the hold ends.
 */
export class Handshake {
  readonly #options: HandshakeOptions;
  readonly #ticks: Interval;
  readonly #update;
  #written = '';
  #writtenAt = -Infinity;
  #probeAt = -Infinity;
  #away: LastError | undefined;

  constructor(options: HandshakeOptions) {
    const { host, log, everyMs = EVERY_MS } = options;
    this.#options = options;
    this.#update = updateEach(host, 'PODCTLP', namesOf(hostFiles.PODCTLP.service));
    this.#ticks = new Interval({
      work: () => this.tick(),
      everyMs,
      onError: (err) => log.warn({ err }, 'PODCTLP could not be written; it is tried again'),
    });
  }

  start(): void {
    this.#ticks.start();
  }

  stop(): Promise<void> {
    return this.#ticks.stop();
  }

  /** Writes the row where it has changed. */
  async tick(): Promise<void> {
    const { leases, hostStatus, isLive, clock, log } = this.#options;
    if (!isLive()) return;
    const { breaker, hold } = hostStatus();
    if (breaker.state === 'open') this.#away = { text: breaker.reason, at: breaker.since };
    const now = clock().getTime();
    if (breaker.state === 'open' || now < this.#probeAt) return;
    if (hold && !(await this.#isQuiet(hold))) return;
    const lease = await leases.acquire({ facility: '', week_end: '', id: 'PODCTLP' });
    if (!lease) return;
    try {
      await this.#write(hold);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      if (!needsSetup(error)) return; // the host is away: the worker logs it
      this.#probeAt = now + PROBE_MS;
      log.warn(
        { err: error },
        'PODCTLP has an earlier layout (npm run host -- ddl --from 1): the host does not see the state of the service',
      );
    } finally {
      await leases.release(lease);
    }
  }

  /** Whether no live worker writes, and none will before the hold ends. */
  async #isQuiet(hold: Hold): Promise<boolean> {
    const live = (await listWorkers(this.#options.db)).filter(({ alive }) => alive);
    return live.length > 0 && live.every(({ state }) => state?.quiet_hold === hold.id);
  }

  async #write(hold: Hold | undefined): Promise<void> {
    const { db, host, clock } = this.#options;
    const now = clock();
    const [row] = await host.query(selectColumns(host, 'PODCTLP', ['CTQUI'], []));
    const quietSince = String(row?.['CTQUI'] ?? '');
    // Another worker has reported the same hold.
    if (hold && Date.parse(quietSince) >= hold.from.getTime()) return;
    const { versions, rows, parked } = await readBacklog(db);
    const error = await this.#lastError();
    const values = {
      CTQUI: hold ? now.toISOString() : '',
      CTBEH: `${versions + rows}` as const,
      CTPRK: `${parked}` as const,
      CTERR: hostText(error?.text ?? '', 132).text,
      CTERU: error?.at.toISOString() ?? '',
    };
    const state = JSON.stringify(values);
    if (state === this.#written && quietSince === '' && now.getTime() < this.#writtenAt + SEEN_MS) return;
    const stamp = stampAt(now, 'UTC');
    const parameters = this.#update.bind({ row: { ...values, CTSEN: now.toISOString() }, stamp });
    await host.transaction((tx) => tx.execute(this.#update.sql, parameters));
    this.#written = state;
    this.#writtenAt = now.getTime();
  }

  /** The later of the last refused row and the last outage. */
  async #lastError(): Promise<LastError | undefined> {
    const { rows } = await this.#options.db.query<{ text: string; at: Date }>(sql.lastParked);
    const [parked] = rows;
    if (!parked) return this.#away;
    return this.#away && this.#away.at > parked.at ? this.#away : parked;
  }
}
