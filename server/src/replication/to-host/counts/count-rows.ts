import type { RouteKey } from '@tailgate/sync-protocol';
import type { Queryable } from '../../../db/types.ts';
import { hostMoment } from '../../../host/files/local-time.ts';
import { putRows } from '../../../host/files/statements.ts';
import { hostFiles, type ServicePart } from '../../../host/files/tables.ts';
import { HostError, needsSetup, type Host } from '../../../host/host.ts';
import type { Log } from '../../../runtime/log.ts';
import { cachedByCount, namesOf, putAll, stampAt, writeOwn } from '../host-writes.ts';
import * as sql from './counts-sql.ts';
import { countedKinds, differs, isDifferent, type RouteCounts } from './route-counts.ts';

/** C the close of a route, D the end of a day. */
export type Occasion = 'C' | 'D';

export interface CountOfRoute extends RouteCounts {
  /** Route and week are blank for a whole facility. */
  readonly key: RouteKey;
  readonly occasion: Occasion;
  /** YYYYMMDD on the clock of the facility. */
  readonly day: string;
  readonly version: number;
  readonly zone: string;
}

export interface CountRowsOptions {
  readonly db: Queryable;
  readonly host: Host;
  readonly clock: () => Date;
  readonly log: Log;
}

/** Saves counts in PostgreSQL for the office, and in PODRCNP for the programs of the host. */
export class CountRows {
  readonly #options: CountRowsOptions;
  readonly #put;
  /** The last reason for which the host did not take a row: a library of an earlier release has no such file. */
  #isMissing = false;

  constructor(options: CountRowsOptions) {
    this.#options = options;
    this.#put = cachedByCount((count) => putRows(options.host, 'PODRCNP', namesOf(hostFiles.PODRCNP.service), count));
  }

  /** @returns whether the route begins to differ. @throws HostError where the host is away */
  async save(count: CountOfRoute): Promise<boolean> {
    await this.#writeHost(count);
    const { key, occasion, day, version, counts, stops } = count;
    const { facility, id, week_end } = key;
    const details = JSON.stringify({ route: key, occasion, day, stops, counts });
    const { rows } = await this.#options.db.query(sql.saveCount, [
      facility,
      id,
      week_end,
      occasion,
      day,
      version,
      this.#options.clock(),
      differs(counts),
      JSON.stringify(counts),
      stops.join(','),
      details,
    ]);
    return rows.length > 0;
  }

  async #writeHost(count: CountOfRoute): Promise<void> {
    const { host, clock, log } = this.#options;
    const now = clock();
    const { date, time } = hostMoment(now, count.zone);
    const { facility, id, week_end } = count.key;
    const rows = countedKinds.map((kind): ServicePart<'PODRCNP'> => {
      const { accepted, onHost, parked, late, extra } = count.counts[kind];
      return {
        RNFAC: facility,
        RNRTE: id,
        RNWKE: `${Number(week_end)}`,
        RNDAY: `${Number(count.day)}`,
        RNOCC: count.occasion,
        RNKND: kind,
        RNACC: `${accepted}`,
        RNHST: `${onHost}`,
        RNPRK: `${parked}`,
        RNLAT: `${late}`,
        RNXTR: `${extra}`,
        RNDIF: isDifferent(count.counts[kind]) ? 'Y' : 'N',
        RNCDT: date,
        RNCTM: time,
      };
    });
    try {
      await writeOwn(host, putAll('PODRCNP', this.#put, rows, stampAt(now, count.zone)));
      this.#isMissing = false;
    } catch (error) {
      // The office still sees the count.
      if (!(error instanceof HostError) || !needsSetup(error)) throw error;
      if (!this.#isMissing) log.warn({ err: error }, 'PODRCNP is not set up: counts are in the office only');
      this.#isMissing = true;
    }
  }
}
