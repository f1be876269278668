import { routeScope, type RouteKey } from '@tailgate/sync-protocol';
import type { Queryable } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import { headerRow } from '../../routes/host-rows.ts';
import type { StopOnHost, StopRows } from '../../stops/host-stop.ts';
import { newlyNamed } from '../../stops/named-assets.ts';
import { numberOf } from '../../stops/osd-rows.ts';
import { readResult } from '../../stops/stored-documents.ts';
import { PassResult } from './pass-result.ts';
import { replicateHeader } from './header-replication.ts';
import type { HostGate } from '../control/host-gate.ts';
import type { HostStops } from './host-stops.ts';
import { stampAt } from './host-writes.ts';
import { hostMoment } from '../../host/files/local-time.ts';
import { inParts } from '../../host/files/in-parts.ts';
import type { AuditStamp } from '../../host/files/statements.ts';
import type { Lease, Leases } from './lease.ts';
import { traceOfEntry, type LogEntry, type ReplicationLog } from './replication-log.ts';
import * as sql from './route-sql.ts';
import { finishShadowRoute } from './shadow-pass.ts';
import { countAwaited } from './rows/sql.ts';
import { hostSequence } from './sequence.ts';
import { decodeHeader, decodeStop, encodeHeader, encodeStop, foreignOfHeader, routeValues } from './shadow.ts';
import { authorOfWrite, foreignLines, replacedValues, statusChange, type WrittenChange } from './stop-log.ts';
import {
  replicateStop,
  replicateTogether,
  type BehindStop,
  type ParkedStop,
  type StopOutcome,
} from './stop-replication.ts';
import type { ReplicatedStop, HostWatch, WaitingChange } from '../control/watch.ts';

/** The number of the route's own row, where stops are numbered. */
export const ROUTE_ROW = -1;
/** Stops in one transaction on the host. A hold waits for these, and so does a program that needs one of their rows. */
const STOPS_A_TRANSACTION = 24;
/** Saves shadows during a long route: after a crash, few stops need a read-back. */
const STOPS_A_SAVE = 2 * STOPS_A_TRANSACTION;
/** Imports of foreign edits before a stop is parked and the others continue. */
const IMPORTS_A_PASS = 3;

/** A service-owned row with a foreign change; stop −1 is the route's own row. */
export interface ForeignEdit {
  readonly key: RouteKey;
  readonly stop: number;
}

/**
 * Imports foreign changes of these rows. Differences from the shadow become office edits in the mirror, and the shadow
 * then has the host's values. The caller has the route's lease.
 */
export type ImportNow = (edits: readonly ForeignEdit[]) => Promise<void>;

export interface PassDeps {
  readonly db: Queryable;
  readonly host: HostStops;
  readonly leases: Leases;
  readonly importNow: ImportNow;
  readonly clock: () => Date;
  readonly log: Log;
  /** The longest delay of a route's close by parked stops. */
  readonly closeDelayMs: number;
  readonly gate: Pick<HostGate, 'isHalted'>;
  readonly replicationLog: Pick<ReplicationLog, 'write'>;
  readonly watch?: Pick<HostWatch, 'stopReplicated'> | undefined;
}

/** `lost`: another worker has the route now. `stopped`: the worker ends or is on hold; confirmations are saved. */
export type PassOutcome = 'done' | 'lost' | 'stopped';

export interface PassOptions {
  /** Called after each stop: the host is answering. */
  readonly onStop?: () => void;
  /** Each stop has a transaction of its own: one of them may have failed in the pass before. */
  readonly oneByOne?: boolean;
  /** An internal error of the host parks its rows: the route has met several before. */
  readonly parksSystemErrors?: boolean;
}

/**
 * Brings one route to the host under its lease. The stops that are behind go in the order of change, several in one host
 * transaction; one that the host does not take with the others is written on its own. The route's row is last. Then
 * one statement saves the confirmations (I8, I10).
 * @throws HostError where the host is away; confirmations until then are saved
 */
export async function replicateRoute(
  deps: PassDeps,
  lease: Lease,
  { onStop = () => undefined, oneByOne = false, parksSystemErrors = false }: PassOptions = {},
): Promise<PassOutcome> {
  for (let imports = 0; ; imports++) {
    const foreign = imports === IMPORTS_A_PASS ? 'park' : 'import';
    const outcome = await new RoutePass(deps, lease, { foreign, onStop, oneByOne, parksSystemErrors }).run();
    if (outcome !== 'again') return outcome;
  }
}

interface RoutePassOptions extends Required<PassOptions> {
  readonly foreign: 'import' | 'park';
}

/** A stop that is behind: its row of the mirror, and what the host gets. */
interface PendingStop extends BehindStop {
  readonly row: sql.StopRow;
  readonly sequence: number;
}

class RoutePass {
  readonly #deps: PassDeps;
  readonly #lease: Lease;
  readonly #options: RoutePassOptions;
  readonly #result = new PassResult();
  readonly #seen = new Set<number>();
  /** By stop, the changes that were not on the host when the pass began. */
  #changes = new Map<number, (WaitingChange & WrittenChange)[]>();
  #parkedStops = 0;
  #zone = '';
  #wasShadow = false;

  constructor(deps: PassDeps, lease: Lease, options: RoutePassOptions) {
    this.#deps = deps;
    this.#lease = lease;
    this.#options = options;
  }

  async run(): Promise<PassOutcome | 'again'> {
    const { db, clock } = this.#deps;
    const { facility, id, week_end } = this.#lease.key;
    const route = (await db.query<sql.RouteRow>(sql.loadRoute, [facility, id, week_end])).rows[0];
    if (!route || route.mode === 'off') return (await this.#save(0)) ? 'done' : 'lost';
    if (route.mode === 'shadow') return (await finishShadowRoute(this.#deps, this.#lease, route)) ? 'done' : 'lost';
    this.#zone = route.zone;
    this.#wasShadow = route.was_shadow;
    // Read in a later statement: these stops are at least as new as the route's version.
    const behind = [facility, id, week_end, route.done_through];
    const [stops, changes] = await Promise.all([
      db.query<sql.StopRow>(sql.loadStops, behind),
      db.query<sql.ChangeRow>(sql.loadChanges, behind),
    ]);
    for (const change of changes.rows) {
      const { id: mutation, received_at: receivedAt, source, employee } = change;
      const waiting = { id: mutation, receivedAt, source, employee };
      const others = this.#changes.get(change.stop_id);
      if (others) others.push(waiting);
      else this.#changes.set(change.stop_id, [waiting]);
    }
    const stamp = stampAt(clock(), route.zone);
    const foreign: number[] = [];
    try {
      for (const part of inParts(stops.rows, this.#options.oneByOne ? 1 : STOPS_A_TRANSACTION)) {
        const ended = (await this.#halted()) ?? (await this.#part(route, part, stamp, foreign));
        if (ended) return ended;
        if (this.#result.unsaved >= STOPS_A_SAVE && !(await this.#save())) return 'lost';
      }
      // All at once: after a restore, every stop that was being written may be such an edit.
      if (foreign.length > 0) return await this.#importFirst(foreign);
      if ((await this.#header(route, stamp)) === 'foreign') return await this.#importFirst([ROUTE_ROW]);
    } catch (error) {
      await this.#save();
      throw error;
    }
    return (await this.#save(route.version)) ? 'done' : 'lost';
  }

  /** Another worker has the route, or this one must end before the next write. */
  async #halted(): Promise<'lost' | 'stopped' | undefined> {
    if (!this.#deps.leases.holds(this.#lease)) return 'lost';
    if (!this.#deps.gate.isHalted) return undefined;
    return (await this.#save()) ? 'stopped' : 'lost';
  }

  #pending(route: sql.RouteRow, row: sql.StopRow): PendingStop {
    const { key } = this.#lease;
    const { stop_id: stop } = row;
    this.#seen.add(stop);
    const sequence = hostSequence(route.epoch, row.version);
    const shadow = row.shadow === null ? undefined : decodeStop(row.shadow, key, stop);
    const moment = (instant: Date) => hostMoment(instant, route.zone);
    const { fit } = this.#deps.host;
    const recorded = { key, stop, result: readResult(row.doc), sequence: `${sequence}` as const, moment, fit };
    return { row, sequence, stop: recorded, shadow };
  }

  /** Writes these stops in one transaction, and those on their own that the host does not take with the others. */
  async #part(
    route: sql.RouteRow,
    rows: readonly sql.StopRow[],
    stamp: AuditStamp,
    foreign: number[],
  ): Promise<'lost' | 'stopped' | undefined> {
    const { host } = this.#deps;
    const partBegunAt = performance.now();
    const pending = rows.map((row) => this.#pending(route, row));
    const written = await replicateTogether(host, pending, stamp);
    for (const stop of pending) {
      const outcome = written.get(stop.row.stop_id);
      if (outcome) this.#settle(route, stop, outcome, partBegunAt);
    }
    for (const stop of pending) {
      if (written.has(stop.row.stop_id)) continue;
      const ended = await this.#halted();
      if (ended) return ended;
      const begunAt = performance.now();
      const outcome = await replicateStop(host, stop, stamp, this.#options.parksSystemErrors);
      if (this.#settle(route, stop, outcome, begunAt) === 'foreign') foreign.push(stop.row.stop_id);
    }
    return undefined;
  }

  /** @param begunAt of `performance.now()` */
  #settle(route: sql.RouteRow, pending: PendingStop, outcome: StopOutcome, begunAt: number): 'done' | 'foreign' {
    const { row, sequence, shadow } = pending;
    const { stop_id: stop, version } = row;
    const { key } = this.#lease;
    this.#options.onStop();
    if (outcome.kind === 'foreign' && this.#options.foreign === 'import') return 'foreign';
    if (outcome.kind === 'foreign' || outcome.kind === 'parked') {
      this.#parkedStops += 1;
      if (outcome.kind === 'parked' && outcome.confirmed)
        this.#confirm(stop, sequence, version, outcome.confirmed, shadow);
      const trace = this.#park(stop, sequence, version, outcome);
      this.#report({ stop, version, trace, outcome: 'parked', begunAt });
      return 'done';
    }
    if (outcome.kind === 'confirmed') {
      this.#confirm(stop, sequence, version, outcome.confirmed, shadow);
      const trace = outcome.confirmed.rows.RTSTUP[0]?.RUTRC;
      this.#result.addLogEntry(...foreignLines(shadow?.foreign, { sequence, zone: route.zone }));
      if (outcome.wrote) {
        this.#logWrite(pending, outcome.confirmed, lateNote(route, key));
        this.#report({ stop, version, trace, outcome: 'on_host', begunAt });
      }
      const mutations = this.#mutationsOf(stop);
      this.#deps.log.debug({ route: routeScope(key), stop, version, trace, mutations }, 'the host has this stop');
    }
    if (row.parked) this.#result.addUnparked(stop);
    return 'done';
  }

  /** The host has these rows. */
  #confirm(
    stop: number,
    sequence: number,
    version: number,
    confirmed: StopOnHost,
    shadow: StopOnHost | undefined,
  ): void {
    const { key } = this.#lease;
    const { rows, credited } = confirmed;
    if (confirmed !== shadow || confirmed.foreign)
      this.#result.addConfirmed({ stop, sequence, rows: encodeStop({ rows, credited }) });
    for (const asset of newlyNamed(confirmed.rows, shadow?.rows)) this.#result.addNamedAsset(asset);
    for (const { OSSEQ } of newRevisions(confirmed, shadow))
      this.#result.addReview({ kind: 'credited_exception_changed', details: { route: key, stop, version, OSSEQ } });
  }

  /** Parks a close that waits for parked stops: the route is not behind, and is due again after the wait. */
  async #header(route: sql.RouteRow, stamp: AuditStamp): Promise<'done' | 'foreign'> {
    const { host, clock, closeDelayMs, log } = this.#deps;
    const { key } = this.#lease;
    const { status, arrived, late, closed_at: closedAt, closed_by: closedBy } = route;
    const parked = this.#parkedStops;
    // A skipped stop delays nothing, and counts: the host does not have it.
    const skipped = route.skipped.filter((stop) => !this.#seen.has(stop)).length;
    const open = parked + skipped + (status === 'C' ? await this.#missingFiles() : 0);
    const moment = (instant: Date) => hostMoment(instant, route.zone);
    const header = headerRow({ key, status, arrived, closedAt, closedBy, open, late, moment });
    const wanted = host.fit('RTHDRP', header);
    const shadow = route.shadow === null ? undefined : decodeHeader(route.shadow, key);
    const deadline = (closedAt?.getTime() ?? 0) + closeDelayMs;
    if (status === 'C' && parked > 0 && shadow?.RHPODS !== 'C' && clock().getTime() < deadline) {
      const reason = `the close waits for ${parked} parked stop(s)`;
      this.#result.addParked({
        stop: ROUTE_ROW,
        version: route.version,
        sqlstate: '',
        reason,
        payload: JSON.stringify(wanted),
      });
      return 'done';
    }
    const outcome = await replicateHeader(host, key, wanted, shadow, stamp, this.#options.parksSystemErrors);
    if (outcome.kind === 'foreign' && this.#options.foreign === 'import') return 'foreign';
    if (outcome.kind !== 'confirmed') {
      this.#park(ROUTE_ROW, hostSequence(route.epoch, route.version), route.version, outcome);
      return 'done';
    }
    const sequence = hostSequence(route.epoch, route.version);
    const foreign = foreignOfHeader(route.shadow);
    this.#result.addLogEntry(...foreignLines(foreign, { sequence, zone: route.zone }));
    if (outcome.wrote || foreign.length > 0)
      this.#result.addConfirmed({ stop: ROUTE_ROW, sequence, rows: encodeHeader(outcome.confirmed) });
    if (outcome.wrote) {
      const [before, after] = [shadow?.RHPODS ?? '', outcome.confirmed.RHPODS];
      const change = before === after ? undefined : { column: 'RHPODS', before, after };
      this.#log({ stop: ROUTE_ROW, sequence, change, outcome: { status: 'A' } });
      if (parked > 0 && outcome.confirmed.RHPODS === 'C' && shadow?.RHPODS !== 'C') {
        log.error({ route: routeScope(key), open }, 'a route is closed on the host while stops are parked');
        this.#result.addReview({ kind: 'closed_while_parked', details: { route: key, parked, open } });
      }
    }
    if (route.parked) this.#result.addUnparked(ROUTE_ROW);
    return 'done';
  }

  /** Files that stops of this route name and that have not arrived. */
  async #missingFiles(): Promise<number> {
    const { facility, id, week_end } = this.#lease.key;
    const { rows } = await this.#deps.db.query<{ missing: number }>(countAwaited, [facility, id, week_end]);
    return rows[0]?.missing ?? 0;
  }

  /** I11: foreign changes go into the mirror first; then the pass reads the route again. */
  async #importFirst(stops: readonly number[]): Promise<'again' | 'lost'> {
    // The import compares with the shadows: they must contain this pass's confirmations.
    if (!(await this.#save())) return 'lost';
    await this.#deps.importNow(stops.map((stop) => ({ key: this.#lease.key, stop })));
    return this.#deps.leases.holds(this.#lease) ? 'again' : 'lost';
  }

  /** @returns the line's trace id */
  #log({ stop, ...entry }: { stop: number } & Omit<LogEntry, 'file' | 'key' | 'zone'>): string {
    const route = routeValues(this.#lease.key);
    const place = stop === ROUTE_ROW ? route : [...route, `${stop}`];
    const file = stop === ROUTE_ROW ? 'RTHDRP' : 'RTSTUP';
    const line = { file, key: place, zone: this.#zone, ...entry } as const;
    this.#result.addLogEntry(line);
    return traceOfEntry(line);
  }

  /** The stop's own line, and one for each value that the write has replaced. */
  #logWrite({ row, sequence, stop, shadow }: PendingStop, { rows: after }: StopOnHost, note: string): void {
    const changes = this.#changes.get(row.stop_id) ?? [];
    const clerks = shadow?.foreign?.map(({ user }) => user) ?? [];
    const write = { result: stop.result, before: shadow?.rows, after, changes, clerks };
    const [trace, author, change] = [after.RTSTUP[0]?.RUTRC, authorOfWrite(write), statusChange(write)];
    this.#log({ stop: row.stop_id, trace, sequence, author, change, outcome: { status: 'A', note } });
    this.#result.addLogEntry(...replacedValues(write, { sequence, zone: this.#zone }));
  }

  /** @returns the trace id under which the host's log has it */
  #park(stop: number, sequence: number, version: number, outcome: Refusal): string {
    const { sqlstate, reason, payload } = outcome.kind === 'parked' ? outcome : foreignEditRefusal;
    const author = authorOfWrite({ changes: this.#changes.get(stop) ?? [], clerks: [] });
    const trace = this.#log({ stop, sequence, author, outcome: { status: 'P', sqlstate, reason } });
    this.#result.addParked({ stop, version, sqlstate, reason, payload });
    const mutations = this.#mutationsOf(stop);
    const row = { route: routeScope(this.#lease.key), stop, version, sqlstate, reason, trace, mutations };
    this.#deps.log.warn(row, 'parked: the host does not take these rows');
    return trace;
  }

  #mutationsOf(stop: number): string[] {
    return this.#changes.get(stop)?.map(({ id }) => id) ?? [];
  }

  #report(stop: Omit<ReplicatedStop, 'route' | 'changes' | 'at' | 'endedAt'>): void {
    const { watch, clock } = this.#deps;
    const changes = this.#changes.get(stop.stop) ?? [];
    watch?.stopReplicated({ ...stop, route: this.#lease.key, changes, at: clock(), endedAt: performance.now() });
  }

  async #save(hostedThrough?: number): Promise<boolean> {
    // Before the shadows: after a crash in between the entry is logged again. In the other order it would be lost.
    await this.#result.expectNamedAssets(this.#deps.db, this.#deps.clock(), this.#wasShadow);
    await this.#deps.replicationLog.write(this.#result.drainLogEntries());
    return this.#result.save(this.#deps, this.#lease, hostedThrough);
  }
}

/** Changes after the route's close still reach the host, with a mark. */
function lateNote({ shadow }: sql.RouteRow, key: RouteKey): string {
  const closed = shadow !== null && decodeHeader(shadow, key)?.RHPODS === 'C';
  return closed ? 'after the close of the route' : '';
}

/**
 * Exceptions that a driver changed after their credit: the credit may be wrong now. A row that was flagged as deleted
 * belongs to another exception.
 */
function newRevisions({ rows }: StopOnHost, shadow: StopOnHost | undefined): StopRows['RTOSDP'] {
  const isLive = ({ OSDELF }: StopRows['RTOSDP'][number]): boolean => OSDELF === 'N';
  const known = new Set(shadow?.rows.RTOSDP.filter(isLive).map(numberOf));
  return rows.RTOSDP.filter((row) => row.OSREV !== '0' && isLive(row) && !known.has(numberOf(row)));
}

type Refusal = { readonly kind: 'foreign' } | ParkedStop;

const foreignEditRefusal = {
  sqlstate: '40001',
  reason: 'another program has changed these rows on the host, and the import does not accept the change',
  payload: '',
};
