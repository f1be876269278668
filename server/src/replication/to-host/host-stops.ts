import type { RouteKey } from '@tailgate/sync-protocol';
import { awaitedHeader } from '../../assets/host.ts';
import type { RowFit, StopFile, StopOnHost, StopRows } from '../../stops/host-stop.ts';
import { newlyNamed } from '../../stops/named-assets.ts';
import { numberOf } from '../../stops/osd-rows.ts';
import { equalExcept, keyOf } from '../../stops/confirmed-rows.ts';
import { rowName } from './edits-by-author.ts';
import type { HostGate } from '../control/host-gate.ts';
import type { Ccsid } from '../../host/files/ccsid.ts';
import { HostError, needsSetup, onFile, type Host, type HostRow, type HostTransaction } from '../../host/host.ts';
import { lastWriter } from '../../host/files/last-writer.ts';
import {
  insertMissing,
  mergeRows,
  selectSigned,
  selectWritten,
  updateGuarded,
  type AuditStamp,
  type GuardedRow,
  type HostStatement,
} from '../../host/files/statements.ts';
import { inShapes } from '../../host/files/in-shapes.ts';
import { executeAll, namesOf, cachedByCount, type HostWrite } from './host-writes.ts';
import { hostFile, hostFiles, type HostFileName, type ServicePart } from '../../host/files/tables.ts';
import { rowFit } from './row-fit.ts';
import { partOfHostRow, servicePart } from './service-part.ts';
import { routeValues } from './shadow.ts';

type Row = { readonly [column: string]: string };
type Merge<R extends Row> = HostStatement<{ rows: readonly GuardedRow<R>[]; stamp: AuditStamp }>;

/** The wanted rows of a stop, and the confirmed ones. */
export interface StopDifference {
  readonly rows: StopRows;
  readonly confirmed: StopRows | undefined;
}

/** A stop as read from the host. */
export interface ReadStop extends StopOnHost {
  /** By row name, the last writer in its audit tail, unless that is the service. */
  readonly writers: ReadonlyMap<string, string>;
}

/**
 * Reads and writes the service-owned columns of stops and route headers on the host: reads whole, writes by compare and
 * set.
 */
export class HostStops {
  readonly #host: Host;
  readonly #gate: Pick<HostGate, 'pause' | 'pauseOf' | 'confirmed'> | undefined;
  readonly #texts: ReturnType<typeof statementsOn>;
  /** Brings rows of the mirror into the form that this library can hold. */
  readonly fit: RowFit;
  readonly ccsid: Ccsid;

  /** @param gate for writers: a write that needs a paused file does not begin */
  constructor(host: Host, gate?: Pick<HostGate, 'pause' | 'pauseOf' | 'confirmed'>) {
    this.#host = host;
    this.#gate = gate;
    this.#texts = statementsOn(host);
    this.fit = rowFit(host.map);
    this.ccsid = host.map.ccsid;
  }

  /** Reads a stop from the host; undefined where the host has no such stop. */
  async read(key: RouteKey, stop: number): Promise<ReadStop | undefined> {
    const { reads } = this.#texts;
    const place = [...routeValues(key), String(stop)];
    return this.#inTransaction(async (tx) => {
      const writers = new Map<string, string>();
      const [RTSTPP, RTPRUP, RTOSDP, RTIMGP, RTEMLP, RTSTUP] = await Promise.all([
        readParts(tx, 'RTSTPP', reads.RTSTPP, place, writers),
        readParts(tx, 'RTPRUP', reads.RTPRUP, place, writers),
        onFile('RTOSDP', tx.query(reads.RTOSDP, place)),
        readParts(tx, 'RTIMGP', reads.RTIMGP, place, writers),
        readParts(tx, 'RTEMLP', reads.RTEMLP, place, writers),
        readParts(tx, 'RTSTUP', reads.RTSTUP, place, writers),
      ]);
      if (RTSTPP.length === 0) return undefined;
      collectWriters('RTOSDP', RTOSDP, writers);
      const osd = RTOSDP.map((row) => ({
        part: partOfHostRow('RTOSDP', row),
        credited: ['Y', 'y'].includes(String(row['OSPRCF'])),
      }));
      return {
        rows: { RTSTPP, RTPRUP, RTOSDP: osd.map(({ part }) => part), RTIMGP, RTEMLP, RTSTUP },
        credited: new Set(osd.filter(({ credited }) => credited).map(({ part }) => numberOf(part))),
        writers,
      };
    });
  }

  /** When a stop's result was last written, by the host's clock. */
  async writtenAt(key: RouteKey, stop: number): Promise<{ date: string; time: string } | undefined> {
    const [row] = await this.#host.query(this.#texts.readWritten, [...routeValues(key), String(stop)]);
    return row && { date: String(row['WDAT']), time: String(row['WTIM']) };
  }

  /** Whether a failed write of several stops leaves nothing on the host. */
  isAtomic(): boolean {
    return this.#host.isAtomic();
  }

  /** Writes one stop; see `writeAll`. @throws HostError */
  write(rows: StopRows, confirmed: StopRows | undefined, stamp: AuditStamp): Promise<boolean> {
    return this.writeAll([{ rows, confirmed }], stamp);
  }

  /**
   * Writes the differences of these stops to their confirmed rows in one transaction, file by file. First comes a header
   * for each newly named asset, so that no program on the host finds an id without one; RTSTUP is last. All or nothing:
   * false where a row differs from its confirmed state. @throws HostError
   */
  async writeAll(stops: readonly StopDifference[], stamp: AuditStamp): Promise<boolean> {
    const { merges, announceAssets } = this.#texts;
    const newAssets = [...new Set(stops.flatMap(({ rows, confirmed }) => newlyNamed(rows, confirmed)))]
      .sort()
      .map((id) => awaitedHeader(id));
    const changed = <R extends Row>(file: StopFile, rowsOf: (stop: StopRows) => readonly R[]): GuardedRow<R>[] =>
      stops.flatMap(({ rows, confirmed }) => changes(file, rowsOf(rows), confirmed && rowsOf(confirmed)));
    // Without a shadow the row is as a dispatch program inserts it.
    const planned = servicePart('RTSTPP', () => undefined);
    const RTSTPP = changed('RTSTPP', (stop) => stop.RTSTPP)
      // A library without these columns has nothing to write there.
      .filter(() => this.#host.map.writes('RTSTPP'))
      .map(({ row, was = planned }) => ({ row, was }));
    const RTPRUP = changed('RTPRUP', (stop) => stop.RTPRUP);
    const RTOSDP = changed('RTOSDP', (stop) => stop.RTOSDP);
    const RTIMGP = changed('RTIMGP', (stop) => stop.RTIMGP);
    const RTEMLP = changed('RTEMLP', (stop) => stop.RTEMLP);
    const RTSTUP = changed('RTSTUP', (stop) => stop.RTSTUP);
    return this.#allOrNothing([
      // Headers of assets whose bytes may come much later; existing ones stay as they are.
      ...inShapes(newAssets).map((part): HostWrite => {
        const { sql, bind } = announceAssets(part.length);
        return { file: 'ASSHDP', sql, values: bind({ rows: part, stamp }), rows: 'any' };
      }),
      ...inMerges('RTSTPP', merges.RTSTPP, RTSTPP, stamp),
      ...inMerges('RTPRUP', merges.RTPRUP, RTPRUP, stamp),
      ...inMerges('RTOSDP', merges.RTOSDP, RTOSDP, stamp),
      ...inMerges('RTIMGP', merges.RTIMGP, RTIMGP, stamp),
      ...inMerges('RTEMLP', merges.RTEMLP, RTEMLP, stamp),
      ...inMerges('RTSTUP', merges.RTSTUP, RTSTUP, stamp),
    ]);
  }

  /** The route's own row, and its last writer unless that is the service. */
  async readHeader(key: RouteKey): Promise<{ row: ServicePart<'RTHDRP'>; writer: string } | undefined> {
    const rows = await this.#host.query(this.#texts.readHeader, routeValues(key));
    return rows.map((row) => ({ row: partOfHostRow('RTHDRP', row), writer: lastWriter('RTHDRP', row) }))[0];
  }

  /** Like `write`, for the route's own row. */
  async writeHeader(row: ServicePart<'RTHDRP'>, was: ServicePart<'RTHDRP'>, stamp: AuditStamp): Promise<boolean> {
    const { updateHeader } = this.#texts;
    if (!this.#host.map.writes('RTHDRP')) return true;
    const values = updateHeader.bind({ key: row, row, was, stamp });
    return this.#allOrNothing([{ file: 'RTHDRP', sql: updateHeader.sql, values, rows: 1 }]);
  }

  async #allOrNothing(writes: readonly HostWrite[]): Promise<boolean> {
    let isAsConfirmed = true;
    for (const { file } of writes) {
      const pause = this.#gate?.pauseOf(file);
      if (pause) throw pause;
    }
    try {
      await this.#inTransaction(async (tx) => {
        isAsConfirmed = await executeAll(tx, writes);
        if (!isAsConfirmed)
          throw new HostError('40000', 'a row on the host is not as it was confirmed: nothing is written');
      });
    } catch (error) {
      if (!isAsConfirmed) return false;
      throw error;
    }
    this.#gate?.confirmed();
    return true;
  }

  /** Pauses a file that turns out not to be set up for the service. */
  async #inTransaction<Result>(work: (tx: HostTransaction) => Promise<Result>): Promise<Result> {
    try {
      return await this.#host.transaction(work);
    } catch (error) {
      if (error instanceof HostError && error.file && needsSetup(error)) this.#gate?.pause(error.file, error);
      throw error;
    }
  }
}

/** The texts of all statements, each made once. */
function statementsOn(host: Host) {
  const { RTSTPP, RTPRUP, RTOSDP, RTIMGP, RTEMLP, RTSTUP, RTHDRP, ASSHDP } = hostFiles;
  return {
    reads: {
      RTSTPP: selectSigned(host, 'RTSTPP', ['RSFAC', 'RSRTE', 'RSWKE', 'RSSTP']),
      RTPRUP: selectSigned(host, 'RTPRUP', ['RQFAC', 'RQRTE', 'RQWKE', 'RQSTP']),
      RTOSDP: selectSigned(host, 'RTOSDP', ['OSFAC', 'OSRTE', 'OSWKE', 'OSSTP']),
      RTIMGP: selectSigned(host, 'RTIMGP', ['RIFAC', 'RIRTE', 'RIWKE', 'RISTP']),
      RTEMLP: selectSigned(host, 'RTEMLP', ['REFAC', 'RERTE', 'REWKE', 'RESTP']),
      RTSTUP: selectSigned(host, 'RTSTUP', ['RUFAC', 'RURTE', 'RUWKE', 'RUSTP']),
    },
    merges: {
      // A dispatch program inserts these rows; where it has deleted one, nothing is written.
      RTSTPP: cachedByCount((count) =>
        mergeRows(host, 'RTSTPP', namesOf(RTSTPP.service), count, { keepsMissing: true }),
      ),
      RTPRUP: cachedByCount((count) =>
        mergeRows(host, 'RTPRUP', namesOf(RTPRUP.service), count, { sequence: 'RQRPSQ' }),
      ),
      // The write itself compares OSPRCF, so that it respects the latest credit.
      RTOSDP: cachedByCount((count) =>
        mergeRows(host, 'RTOSDP', namesOf(RTOSDP.service), count, { sequence: 'OSRPSQ', unless: 'OSPRCF' }),
      ),
      RTIMGP: cachedByCount((count) => mergeRows(host, 'RTIMGP', namesOf(RTIMGP.service), count)),
      RTEMLP: cachedByCount((count) => mergeRows(host, 'RTEMLP', namesOf(RTEMLP.service), count)),
      RTSTUP: cachedByCount((count) =>
        mergeRows(host, 'RTSTUP', namesOf(RTSTUP.service), count, { sequence: 'RURPSQ' }),
      ),
    },
    announceAssets: cachedByCount((count) => insertMissing(host, 'ASSHDP', namesOf(ASSHDP.service), count)),
    readWritten: selectWritten(host, 'RTSTUP', ['RUFAC', 'RURTE', 'RUWKE', 'RUSTP']).sql,
    readHeader: selectSigned(host, 'RTHDRP', ['RHFAC', 'RHRTE', 'RHWKE']),
    updateHeader: updateGuarded(host, 'RTHDRP', namesOf(RTHDRP.service)),
  };
}

async function readParts<Name extends HostFileName>(
  tx: HostTransaction,
  name: Name,
  sql: string,
  place: readonly string[],
  writers: Map<string, string>,
): Promise<ServicePart<Name>[]> {
  const rows = await onFile(name, tx.query(sql, place));
  collectWriters(name, rows, writers);
  return rows.map((row: HostRow) => partOfHostRow(name, row));
}

function collectWriters(name: HostFileName, rows: readonly HostRow[], writers: Map<string, string>): void {
  for (const row of rows) {
    const key = Object.keys(hostFile(name).key).map((column) => String(row[column]));
    const writer = lastWriter(name, row);
    if (writer !== '') writers.set(rowName(name, key), writer);
  }
}

/** The rows to write, each with the row that it replaces. */
function changes<R extends Row>(name: HostFileName, rows: readonly R[], confirmed: readonly R[] = []): GuardedRow<R>[] {
  const key = Object.keys(hostFile(name).key);
  const before = new Map(confirmed.map((row) => [keyOf(row, key), row]));
  return rows
    .map((row) => ({ row, was: before.get(keyOf(row, key)) }))
    .filter(({ row, was }) => was === undefined || (row !== was && !equalExcept(row, was)));
}

function inMerges<R extends Row>(
  file: HostFileName,
  merge: (count: number) => Merge<R>,
  rows: readonly GuardedRow<R>[],
  stamp: AuditStamp,
): HostWrite[] {
  return inShapes(rows).map((part) => {
    const { sql, bind } = merge(part.length);
    return { file, sql, values: bind({ rows: part, stamp }), rows: part.length };
  });
}
