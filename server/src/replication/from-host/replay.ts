import { routeScope, type RouteKey } from '@tailgate/sync-protocol';
import { withTransaction } from '../../db/transaction.ts';
import type { Db, Tx } from '../../db/types.ts';
import { hostMoment, instantOf } from '../../host/files/local-time.ts';
import { Doorbell } from '../../host/reads/doorbell.ts';
import { lastWrites, wholeFiles } from '../../host/reads/route-keys.ts';
import type { Host } from '../../host/host.ts';
import { hostRows, isUntouched } from '../../stops/host-rows.ts';
import {
  noRows,
  stopFiles,
  type RowFit,
  type StopFile,
  type StopOnHost,
  type StopRows,
} from '../../stops/host-stop.ts';
import { evidenceOf } from '../../stops/named-assets.ts';
import { readResult } from '../../stops/stored-documents.ts';
import { HostStops, type ReadStop } from '../to-host/host-stops.ts';
import { isAsDispatched, isAsPlanned, sameValues, sequenceOf } from '../to-host/judge.ts';
import type { Leases } from '../to-host/lease.ts';
import { rowFit } from '../to-host/row-fit.ts';
import { hostSequence, versionOf } from '../to-host/sequence.ts';
import { decodeHeader, decodeStop, encodeHeader, encodeStop } from '../to-host/shadow.ts';
import { equalExcept } from '../../stops/confirmed-rows.ts';
import { stopText, traceOf } from '../to-host/trace.ts';
import { sortChanges } from './changed-routes.ts';
import { rewriteStop, saveShadow, takeImporterLock } from './import-sql.ts';
import { keyOf } from './mirror-route.ts';
import { ROUTE_ROW } from '../to-host/route-pass.ts';
import * as sql from './replay-sql.ts';

export interface ReplayOptions {
  readonly db: Db;
  readonly host: Host;
  readonly leases: Leases;
  readonly clock: () => Date;
  /** Only says what would be written. */
  readonly dry: boolean;
}

/** Files whose rows a replay compares one file at a time. */
export const replayedFiles = [...stopFiles, 'ASSHDP', 'ASSCHP'] as const;
export type ReplayedFile = (typeof replayedFiles)[number];

/** Routes by their key or by the time of their confirmation; undefined for any. */
export interface ReplayScope {
  readonly facility?: string | undefined;
  readonly route?: string | undefined;
  readonly week?: string | undefined;
  readonly since?: Date | undefined;
  readonly before?: Date | undefined;
  /** Only the rows of this file. It has lost them as a whole, so that a missing row is no edit of a clerk. */
  readonly file?: ReplayedFile | undefined;
}

/** `again`: it goes to the host once more. `foreign`: another program has changed it, and the import decides. */
export interface ReplayLine {
  readonly route: RouteKey;
  /** Undefined for the route's own row. */
  readonly stop?: number;
  readonly verdict: 'again' | 'foreign' | 'missing' | 'busy';
}

export interface ReplayReport {
  readonly routes: number;
  readonly lines: readonly ReplayLine[];
  /** Files that go to the host again. */
  readonly files: readonly string[];
}

interface RouteRow extends RouteKey {
  readonly zone: string;
}
interface StopRow {
  readonly stop_id: number;
  readonly version: number;
  readonly doc: string;
  readonly shadow: string | null;
  readonly parked: boolean;
  readonly epoch: number;
  /** Its last change is one of those up to the end of a shadow. */
  readonly in_shadow: boolean;
}

/** A lost row may be older than its confirmation by the length of a write. */
const MARGIN_MS = 3_600_000;

/**
 * Compares routes with the host, row by row, and lets the worker write again what differs: guarded, as each write is.
 * Rows that another program has changed stay. @throws HostError where the host is away
 */
export async function replay(options: ReplayOptions, scope: ReplayScope): Promise<ReplayReport> {
  return new Replay(options).run(scope);
}

/** A library that was put back to its state at `asOf`. */
export interface RestoredReport extends ReplayReport {
  /** Edits of the office after `asOf`: the host has lost them; the service writes again those that it knows. */
  readonly lost: readonly { readonly route: RouteKey; readonly stop: number; readonly by: string; readonly at: Date }[];
}

/**
 * After a restore of the host's library: rows last changed before `asOf` are the service's to write again, whoever wrote
 * them, since the mirror has that state and every later one. The import of all nodes waits meanwhile: it would take old
 * values for new edits of the office. Rows that a program has changed since `asOf` stay for the import.
 * @returns undefined where a node is importing at this moment @throws HostError where the host is away
 */
export function hostRestored(options: ReplayOptions, asOf: Date): Promise<RestoredReport | undefined> {
  const since = new Date(asOf.getTime() - MARGIN_MS);
  return withTransaction(options.db, async (tx) => {
    const { rows } = await tx.query<{ taken: boolean }>(takeImporterLock);
    if (rows[0]?.taken !== true) return undefined;
    const report = await new Replay(options, asOf).run({ since });
    if (!options.dry) await rewriteOwnRows(options.db, since);
    const lost = (await tx.query<LostRow>(sql.listOfficeEdits, [asOf])).rows;
    return {
      ...report,
      lost: lost.map(({ facility, id, week_end, stop, by, at }) => ({
        route: { facility, id, week_end },
        stop,
        by,
        at,
      })),
    };
  });
}

interface LostRow extends RouteKey, Record<string, unknown> {
  readonly stop: number;
  readonly by: string;
  readonly at: Date;
}

/** Users and load reports: only the service writes them, so they need no comparison. */
async function rewriteOwnRows(db: Db, since: Date): Promise<void> {
  await db.query(sql.rewriteUsers, [since]);
  await db.query(sql.rewriteReports, [since]);
}

class Replay {
  readonly #options: ReplayOptions;
  readonly #stops: HostStops;
  /** Undefined: rows of other programs are never ours. */
  readonly #asOf: Date | undefined;
  #file: ReplayedFile | undefined;
  readonly #lines: ReplayLine[] = [];
  readonly #files: string[] = [];

  constructor(options: ReplayOptions, asOf?: Date) {
    this.#options = options;
    this.#stops = new HostStops(options.host);
    this.#asOf = asOf;
  }

  async run({ facility, route, week, since, before, file }: ReplayScope): Promise<ReplayReport> {
    const { db, leases } = this.#options;
    this.#file = file;
    const values = [facility ?? null, route ?? null, week ?? null, since ?? null, before ?? null];
    const routes = (await db.query<RouteRow & Record<string, unknown>>(sql.listReplayed, values)).rows;
    const edited = await this.#editedSince();
    for (const { zone, ...row } of routes) {
      const key = { facility: row.facility, id: row.id, week_end: row.week_end };
      const lease = await leases.acquire(key);
      if (!lease) {
        this.#lines.push({ route: key, verdict: 'busy' });
        continue;
      }
      try {
        await this.#route(key, zone, edited);
      } finally {
        await leases.release(lease);
      }
    }
    return { routes: routes.length, lines: this.#lines, files: this.#files };
  }

  /** Stops with a doorbell line since the restore; keys as `route stop`. */
  async #editedSince(): Promise<ReadonlySet<string>> {
    const asOf = this.#asOf;
    if (asOf === undefined) return new Set();
    const now = this.#options.clock().getTime();
    const { changes } = await new Doorbell(this.#options.host).poll();
    const recent = changes.filter(({ age }) => now - age >= asOf.getTime());
    return new Set(
      [...sortChanges(recent).routes.values()].flatMap(({ key, stops, header }) => [
        ...[...stops.keys()].map((stop) => nameOf(key, stop)),
        ...(header ? [nameOf(key, ROUTE_ROW)] : []),
      ]),
    );
  }

  async #route(key: RouteKey, zone: string, edited: ReadonlySet<string>): Promise<void> {
    const { db } = this.#options;
    const stops = (await db.query<StopRow & Record<string, unknown>>(sql.loadReplayed, keyOf(key))).rows;
    const again: [stop: number, found: StopOnHost][] = [];
    const file = stopFiles.find((name) => name === this.#file);
    const isOfStops = this.#file === undefined || file !== undefined;
    for (const row of isOfStops ? stops : []) {
      const { stop_id: stop, parked } = row;
      const found = await this.#stops.read(key, stop);
      // A parked stop has a list and a try of its own.
      if (parked || (row.shadow === null && isUntouched(readResult(row.doc)))) continue;
      if (!found) this.#lines.push({ route: key, stop, verdict: 'missing' });
      else if (!isEqual(rowFit(this.#options.host.map), key, zone, row, found, file)) {
        const confirmed = row.shadow === null ? undefined : decodeStop(row.shadow, key, stop);
        const isOurs =
          file && confirmed ? !isEditedIn(file, found) : await this.#isOurs(key, stop, zone, found, edited);
        this.#lines.push({ route: key, stop, verdict: isOurs ? 'again' : 'foreign' });
        // An edit of a clerk in another file stays one: only this file counts as confirmed with what it has.
        const rows = file && confirmed ? { ...confirmed.rows, [file]: found.rows[file] } : found.rows;
        if (isOurs) again.push([stop, { ...found, rows }]);
      }
    }
    const header = await this.#headerToWrite(key, edited);
    if (!file) await this.#collectFiles(stops);
    if (this.#options.dry) return;
    await withTransaction(db, async (tx) => {
      for (const [stop, found] of again) {
        await this.#save(tx, key, stop, found.rows.RTSTUP[0]?.RURPSQ ?? '0', encodeStop(found));
        await tx.query(rewriteStop, [...keyOf(key), stop, versionOf(sequenceOf(found.rows)), true]);
      }
      if (header === undefined) return;
      await this.#save(tx, key, ROUTE_ROW, '0', header);
      await tx.query(sql.rewriteRoute, keyOf(key));
    });
  }

  /** The service wrote the stop as it is, or it is as dispatched; after a restore also where nothing is newer than that. */
  async #isOurs(
    key: RouteKey,
    stop: number,
    zone: string,
    { rows }: StopOnHost,
    edited: ReadonlySet<string>,
  ): Promise<boolean> {
    if (rows.RTSTUP[0]?.RUTRC === traceOf(rows) || isAsDispatched(rows)) return true;
    const asOf = this.#asOf;
    if (asOf === undefined || edited.has(nameOf(key, stop))) return false;
    const writes = await lastWrites(this.#options.host, key, stop);
    return writes.every((moment) => (instantOf(moment, zone)?.getTime() ?? 0) < asOf.getTime());
  }

  /** The text of the found row, where it differs from the confirmed one after a restore. */
  async #headerToWrite(key: RouteKey, edited: ReadonlySet<string>): Promise<string | undefined> {
    if (this.#asOf === undefined || edited.has(nameOf(key, ROUTE_ROW))) return undefined;
    const [confirmed] = (await this.#options.db.query<{ rows: string }>(sql.loadReplayedHeader, keyOf(key))).rows;
    const found = (await this.#stops.readHeader(key))?.row;
    if (!confirmed || !found || equalExcept(decodeHeader(confirmed.rows, key) ?? found, found)) return undefined;
    this.#lines.push({ route: key, verdict: 'again' });
    return encodeHeader(found);
  }

  async #collectFiles(stops: readonly StopRow[]): Promise<void> {
    const { db, host, dry } = this.#options;
    const named = [...new Set(stops.flatMap(({ doc }) => [...evidenceOf(readResult(doc))]))];
    const hosted = (await db.query<{ id: string }>(sql.listHostedFiles, [named])).rows.map(({ id }) => id);
    const whole = new Set(await wholeFiles(host, hosted));
    const lost = hosted.filter((id) => !whole.has(id));
    this.#files.push(...lost);
    if (!dry && lost.length > 0) await db.query(sql.rewriteFiles, [lost]);
  }

  async #save(tx: Tx, key: RouteKey, stop: number, sequence: string, rows: string): Promise<void> {
    await tx.query(saveShadow, [...keyOf(key), stop, sequence, rows, this.#options.clock()]);
  }
}

const nameOf = (key: RouteKey, stop: number): string => `${routeScope(key)} ${stop}`;

/** Whether a program has written rows of this file, or added them: those that are missing have no writer. */
function isEditedIn(file: StopFile, { rows, writers }: ReadStop): boolean {
  // The dispatch program has written this row, and the service has not.
  if (file === 'RTSTPP' && rows.RTSTPP.every((row) => isAsPlanned(file, row))) return false;
  return [...writers.keys()].some((name) => name.startsWith(`${file}\t`));
}

/** Whether the host has the stop as the mirror has it, or its rows of one file; the trace and sequences do not count. */
function isEqual(
  fit: RowFit,
  key: RouteKey,
  zone: string,
  row: StopRow,
  found: StopOnHost,
  file: StopFile | undefined,
): boolean {
  const { stop_id: stop, version, epoch, doc, shadow } = row;
  const compared = (rows: StopRows): StopRows => (file ? { ...noRows, [file]: rows[file] } : rows);
  const confirmed = shadow === null ? undefined : decodeStop(shadow, key, stop);
  // A record of a shadow has never been on the host: the confirmed rows are those of the other system.
  const confirmedVersion = versionOf(sequenceOf(confirmed?.rows));
  const isOfTrial = row.in_shadow && confirmedVersion !== version;
  if (confirmed && !isOfTrial && stopText(compared(confirmed.rows)) === stopText(compared(found.rows))) return true;
  const moment = (instant: Date) => hostMoment(instant, zone);
  const sequence = `${hostSequence(epoch, version)}` as const;
  const wanted = hostRows({ key, stop, result: readResult(doc), sequence, moment, fit }, found);
  if (isOfTrial) return sameValues(compared(wanted), compared(found.rows));
  return traceOf(compared(wanted)) === traceOf(compared(found.rows));
}
