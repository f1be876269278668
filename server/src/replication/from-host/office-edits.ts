import { createHash } from 'node:crypto';
import type { RouteKey, StopObject } from '@tailgate/sync-protocol';
import { canonicalJson, officeSource, routeScope, restoredAuthor } from '@tailgate/sync-protocol';
import { withTransaction } from '../../db/transaction.ts';
import type { Db, Queryable, Tx } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import type { Pipeline } from '../../mutations/change.ts';
import { amendmentOf, type StopComparison, type InstantOf } from '../../stops/amendment.ts';
import { hostRows } from '../../stops/host-rows.ts';
import type { StopOnHost, StopRows } from '../../stops/host-stop.ts';
import { freshId, idOf } from '../../stops/mutation-id.ts';
import { readResult } from '../../stops/stored-documents.ts';
import { splitByAuthor, unknownUser, type Author, type StopEditor } from '../to-host/edits-by-author.ts';
import type { HostStops } from '../to-host/host-stops.ts';
import type { ServicePart } from '../../host/files/tables.ts';
import { hostMoment, instantOf } from '../../host/files/local-time.ts';
import { reportIncident, reportOnce } from '../../incidents/sql.ts';
import * as sql from './import-sql.ts';
import { stopAt } from './earlier-stop.ts';
import { isAsConfirmed, isAsPlanned, isLostByRestore, isWrittenElsewhere, sequenceOf } from '../to-host/judge.ts';
import { keyOf } from './mirror-route.ts';
import { closingOf, confirmedResult } from './route-image.ts';
import { ROUTE_ROW } from '../to-host/route-pass.ts';
import { decodeHeader, decodeStop, encodeHeader, encodeStop, foreignOfHeader, routeValues } from '../to-host/shadow.ts';
import { foreignChanges } from '../to-host/stop-log.ts';
import { epochOf, hostSequence, versionOf } from '../to-host/sequence.ts';
import { withTrace, stopText, traceOf } from '../to-host/trace.ts';

export type OfficeEditsOptions = {
  db: Db;
  host: HostStops;
  submit: Pipeline['submit'];
  clock: () => Date;
  log: Log;
};

/** `newest`: the version of the route. */
type MirrorRow = { version: number; doc: string; rows: string | null; epoch: number; newest: number };
/** A stop on the host, its rows as last confirmed, and its row in the mirror. `zone` is its facility's time zone. */
type HostComparison = { hostStop: StopOnHost; shadow: StopOnHost | undefined; mirrorRow: MirrorRow; zone: string };
type RouteState = { status: 'O' | 'C'; arrived: boolean; shadow: string | null };

/**
 * Turns foreign edits of service-owned columns into office edits, through the same pipeline as a driver's. The shadow
 * then has the host's values (I11). Callers hold the route's lease, because a concurrent write makes the comparison
 * invalid.
 */
export class OfficeEdits {
  readonly #options: OfficeEditsOptions;

  constructor(options: OfficeEditsOptions) {
    this.#options = options;
  }

  /**
   * Imports the foreign edits of a stop. The service wrote the stop itself if its trace fits its values, or if it
   * equals the shadow.
   *
   * @param readEditor runs after the rows are read, and only where another program has changed them
   * @returns whether it has taken something over: another program's edit, or a write that a restore had lost
   */
  async importStop(key: RouteKey, stop: number, readEditor: () => Promise<StopEditor>, zone: string): Promise<boolean> {
    const { db, host } = this.#options;
    const hostStop = await host.read(key, stop);
    const [mirrorRow] = (await db.query<MirrorRow>(sql.loadShadow, [...keyOf(key), stop])).rows;
    if (hostStop === undefined || mirrorRow === undefined) return false;
    const shadow = mirrorRow.rows === null ? undefined : decodeStop(mirrorRow.rows, key, stop);
    const [result] = hostStop.rows.RTSTUP;
    const isOurs = result !== undefined && result.RUTRC === traceOf(hostStop.rows);
    const isWhole = isLostByRestore(hostStop.rows, shadow?.rows, mirrorRow.epoch);
    if (isOurs && isWhole) {
      // After a fail-over without loss only the confirmation is missing. As an edit, the write would have the host's
      // time, and could overrule a later record of the same driver.
      const isKnown = await this.#isInLedger(key, stop, result);
      if (isKnown) await this.#saveShadow(key, stop, hostStop);
      else await this.#recoverLostWrite(key, stop, { hostStop, shadow, mirrorRow, zone });
      return !isKnown;
    }
    // Most changes are of the plan: they need no author, so no look at the doorbell.
    if (isOurs || isAsConfirmed(hostStop.rows, shadow?.rows)) {
      if (isWrittenElsewhere(hostStop.rows, mirrorRow.epoch, mirrorRow.newest))
        await this.#reportOtherDatabase(key, stop);
      if (shadow !== undefined && !sameSet(shadow.credited, hostStop.credited))
        await this.#saveShadow(key, stop, { ...shadow, credited: hostStop.credited });
      return false;
    }
    const editor = await readEditor();
    const isReinserted = wasReinserted(editor, shadow?.rows, hostStop.rows);
    let before = (await this.#unconfirmedRows(key, stop, { hostStop, shadow, mirrorRow, zone })) ?? shadow?.rows;
    const foreign = [...(shadow?.foreign ?? [])];
    let isEdited = isReinserted;
    for (const { rows, ...author } of splitByAuthor(before, hostStop.rows, editor, hostStop.writers)) {
      const signed = { user: author.user, at: author.at.getTime() };
      foreign.push(...foreignChanges(before, rows).map((change) => ({ ...change, ...signed })));
      const found = { ...hostStop, rows, foreign: [...foreign] };
      const edit = { key, stop, shadow: before, hostStop: found, isReinserted, isWhole };
      if (await this.#importEdit(edit, author, zone)) isEdited = true;
      before = rows;
    }
    if (!isReinserted) return isEdited;
    await this.#rewrite(key, stop, hostStop, true);
    await this.#saveShadow(key, stop, { ...hostStop, foreign });
    return isEdited;
  }

  /**
   * Imports the edit of one author. It then saves the shadow, so that a crash does not repeat the edit.
   *
   * @returns false where no value of the edit is another one
   */
  async #importEdit(edit: Omit<StopComparison, 'result'>, author: Author, zone: string): Promise<boolean> {
    const { key, stop, hostStop } = edit;
    // Read again: it contains the edit before this one.
    const [mirrorRow] = (await this.#options.db.query<MirrorRow>(sql.loadShadow, [...keyOf(key), stop])).rows;
    if (mirrorRow === undefined) return false;
    const toInstant: InstantOf = (moment) => instantOf(moment, zone);
    const { shadow: confirmed, isWhole } = edit;
    const result = isWhole
      ? confirmedResult(key, stop, { confirmed, found: hostStop.rows }, zone)
      : readResult(mirrorRow.doc);
    const { update, unmapped } = amendmentOf({ ...edit, result }, toInstant);
    if (update === undefined && unmapped.length === 0) {
      // Only columns of the service, such as the trace, differ. If the shadow lacked their values, the guard of each
      // later write would fail.
      if (!edit.shadow || stopText(edit.shadow) === stopText(hostStop.rows)) return false;
      await this.#rewrite(key, stop, hostStop, false);
      await this.#saveShadow(key, stop, hostStop);
      return false;
    }
    const ignored = update === undefined ? [] : await this.#submit(key, update, mirrorRow.version, author);
    // A later record has overruled the edit. It may have reached the host before the edit was seen: then its row
    // already equals the mirror, and would keep the overruled value. So the stop goes to the host again, and a flag
    // reports it.
    const isOverruled = ignored.includes('superseded');
    await this.#rewrite(key, stop, hostStop, isOverruled);
    const unexpressed = isOverruled ? unmapped : [...unmapped, ...ignored];
    if (unexpressed.length > 0) await this.#reportUnmapped({ route: key, stop }, author, unexpressed, hostStop.rows);
    await this.#saveShadow(key, stop, hostStop);
    return true;
  }

  /**
   * Returns the rows of a write that the worker made but did not confirm before it was killed, if the trace on the host
   * proves it. Otherwise the import would attribute the driver's values to the clerk, with a later time. They would
   * overrule the driver's later records.
   */
  async #unconfirmedRows(
    key: RouteKey,
    stop: number,
    { hostStop, shadow, mirrorRow, zone }: HostComparison,
  ): Promise<StopRows | undefined> {
    const written = sequenceOf(hostStop.rows);
    if (written <= sequenceOf(shadow?.rows) || epochOf(written) !== mirrorRow.epoch) return undefined;
    const version = versionOf(written);
    const result =
      version === mirrorRow.version ? readResult(mirrorRow.doc) : await stopAt(this.#options.db, key, stop, version);
    if (!result) return undefined;
    const moment = (instant: Date) => hostMoment(instant, zone);
    const { fit } = this.#options.host;
    const rows = withTrace(
      hostRows({ key, stop, result, sequence: `${hostSequence(mirrorRow.epoch, version)}`, moment, fit }, shadow),
    );
    return rows.RTSTUP[0]?.RUTRC === hostStop.rows.RTSTUP[0]?.RUTRC ? rows : undefined;
  }

  async #isInLedger(key: RouteKey, stop: number, { RURPSQ }: ServicePart<'RTSTUP'>): Promise<boolean> {
    const sequence = Number(RURPSQ);
    const values = [...keyOf(key), stop, versionOf(sequence), epochOf(sequence)];
    return (await this.#options.db.query(sql.findChangeInEpoch, values)).rows.length > 0;
  }

  /**
   * Imports a write that the service made after the backup and before the restore. The import dates it at the start of
   * its second, so later records win. Changes of that second that phones repeat give the same values. Lists are those of
   * that write: phones may have sent later ones already.
   */
  async #recoverLostWrite(
    key: RouteKey,
    stop: number,
    { hostStop, shadow, mirrorRow, zone }: HostComparison,
  ): Promise<void> {
    const { host, clock, log } = this.#options;
    const moment = await host.writtenAt(key, stop);
    const writtenAt = moment && instantOf(moment, zone);
    const editor = { user: restoredAuthor, at: writtenAt ?? clock() };
    const toInstant: InstantOf = (local) => instantOf(local, zone);
    const confirmed = shadow?.rows;
    const result = confirmedResult(key, stop, { confirmed, found: hostStop.rows }, zone);
    const comparison = {
      key,
      stop,
      result,
      shadow: confirmed,
      hostStop: withoutSkipper(hostStop, confirmed),
      isWhole: true,
    };
    const { update, unmapped } = amendmentOf(comparison, toInstant);
    if (update) await this.#submit(key, update, mirrorRow.version, editor);
    if (unmapped.length > 0) await this.#reportUnmapped({ route: key, stop }, editor, unmapped, hostStop.rows);
    await this.#saveShadow(key, stop, hostStop);
    log.warn({ route: routeScope(key), stop }, 'the restore had lost a write of this stop: imported from the host');
  }

  /** Once a facility: this database counts rows with a later sequence as written, and writes none of its own there. */
  async #reportOtherDatabase(key: RouteKey, stop: number): Promise<void> {
    const { db, log } = this.#options;
    const details = JSON.stringify({ facility: key.facility });
    const { rowCount } = await db.query(reportOnce, ['host_written_elsewhere', details]);
    if (rowCount)
      log.error(
        { route: routeScope(key), stop },
        'the host has a later write of this service than this database has made: another database writes the facility, too',
      );
  }

  /** The office closes, reopens or marks a route by hand. @returns whether it has */
  async importHeader(key: RouteKey, readEditor: () => Promise<Author>, zone: string): Promise<boolean> {
    const { db, host, log } = this.#options;
    const read = await host.readHeader(key);
    if (read === undefined) return false;
    const { row: header, writer } = read;
    const compare = async (queryable: Queryable) => {
      const [route] = (await queryable.query<RouteState>(sql.findRoute, keyOf(key))).rows;
      const shadow = route?.shadow == null ? undefined : decodeHeader(route.shadow, key);
      const before = shadow ?? dispatchedHeader;
      const changed = closingColumns.filter((column) => before[column] !== header[column]);
      return route && changed.length > 0 ? { route, before, changed } : undefined;
    };
    // A change of the plan needs no author, so no look at the doorbell.
    if ((await compare(db)) === undefined) return false;
    const lastEdit = await readEditor();
    const editor = { user: lastEdit.user || writer || unknownUser, at: lastEdit.at };
    const imported = await withTransaction(db, async (tx) => {
      // Read under the lock: a close that a driver commits meanwhile must not be undone.
      await tx.query(sql.lockRoute, keyOf(key));
      const compared = await compare(tx);
      if (compared === undefined) return undefined;
      const { route, before, changed } = compared;
      const closing = closingOf(header, zone, editor.at);
      const unmapped = unmappedColumns(changed, closing.impossible);
      const isMapped = (column: ClosingColumn) => changed.includes(column) && !unmapped.includes(column);
      const status = isMapped('RHPODS') ? closing.status : route.status;
      const arrived = isMapped('RHRETM') ? closing.arrived : route.arrived;
      // A route may come closed with its plan: the mirror has its state, only the shadow is missing.
      const isChange = status !== route.status || arrived !== route.arrived;
      if (isChange) {
        const closed = status === 'C' ? [closing.closedAt ?? editor.at, closing.closedBy ?? 'F'] : [null, null];
        await tx.query(sql.setClosing, [...keyOf(key), status, arrived, ...closed]);
        await this.#recordInLedger(tx, key, { status, arrived }, editor);
        await tx.query(sql.notify, [routeScope(key)]);
      }
      const signed = { file: 'RTHDRP', key: routeValues(key), user: editor.user, at: editor.at.getTime() } as const;
      const foreign = [
        ...foreignOfHeader(route.shadow),
        ...changed.map((column) => ({ ...signed, column, before: before[column], after: header[column] })),
      ];
      const text = encodeHeader(header, foreign);
      await tx.query(sql.saveShadow, [...keyOf(key), ROUTE_ROW, '0', text, this.#options.clock()]);
      return { status, arrived, unmapped, isChange };
    });
    if (imported === undefined) return false;
    const { unmapped, isChange, ...state } = imported;
    const columns = unmapped.map((column) => `RTHDRP.${column}`);
    if (columns.length > 0) await this.#reportUnmapped({ route: key }, editor, columns, header);
    if (isChange)
      log.info({ route: routeScope(key), ...state, user: editor.user }, 'the office has changed the state of a route');
    return isChange || columns.length > 0;
  }

  /** Records the office's change of a route in the ledger, as for a stop (I2). */
  async #recordInLedger(
    tx: Tx,
    route: RouteKey,
    state: Pick<RouteState, 'status' | 'arrived'>,
    { user, at }: Author,
  ): Promise<void> {
    const body = canonicalJson({ args: { route, ...state }, name: 'route.amend', version: 1 });
    const now = this.#options.clock();
    await tx.query(sql.recordClosing, [...keyOf(route), freshId(now), digest(body), user, at, now, body]);
  }

  /** @returns why the edit had no effect, such as a status that cannot be taken back; empty where it had one */
  async #submit(route: RouteKey, stop: StopObject, version: number, { user, at }: Author): Promise<string[]> {
    const { submit, clock, log } = this.#options;
    const args = { route, stop };
    // After a crash the same edit has the same id; after the stop has changed it has another.
    const id = idOf(canonicalJson([routeScope(route), version, args]));
    const outcome = await submit({
      id,
      name: 'stop.update',
      version: 1,
      args,
      route,
      stop: stop.id,
      actor: { kind: 'office', user },
      source: officeSource,
      paths: 'current',
      editTime: at,
      receivedAt: clock(),
      dedupeByContent: false,
    });
    log.info(
      { route: routeScope(route), stop: stop.id, user, result: outcome.result },
      'the office has changed a stop on the host',
    );
    if (outcome.result === 'quarantined') return [outcome.code];
    return outcome.changed ? [] : outcome.warnings.map(({ code }) => code);
  }

  /** The mirror cannot express this value: the driver's record stays, and an incident shows the host's value. */
  async #reportUnmapped(
    record: { readonly route: RouteKey; readonly stop?: number },
    { user, at }: Author,
    columns: readonly string[],
    rows: object,
  ): Promise<void> {
    const { db, log } = this.#options;
    const fields = { ...record, route: routeScope(record.route), user, columns };
    log.warn(fields, 'the mirror cannot express a change on the host');
    const details = { ...record, user, at: at.toISOString(), columns, rows };
    await db.query(reportIncident, ['host_edit_untold', JSON.stringify(details)]);
  }

  /** @param isDue the confirmed rows are to be written again; an unconfirmed write that reached the host always is */
  async #rewrite(key: RouteKey, stop: number, { rows }: StopOnHost, isDue: boolean): Promise<void> {
    await this.#options.db.query(sql.rewriteStop, [...keyOf(key), stop, versionOf(sequenceOf(rows)), isDue]);
  }

  async #saveShadow(key: RouteKey, stop: number, shadow: StopOnHost): Promise<void> {
    const sequence = shadow.rows.RTSTUP[0]?.RURPSQ ?? '0';
    const { db, clock } = this.#options;
    await db.query(sql.saveShadow, [...keyOf(key), stop, sequence, encodeStop(shadow), clock()]);
  }
}

/**
 * Detects a stop row that a program deleted and inserted again. Such a row contains no delivery, so the driver's result
 * must be written to it. Without a doorbell line, a blank arrival flag identifies it, because the service always writes
 * Y or N.
 */
function wasReinserted({ isInserted = false }: StopEditor, shadow: StopRows | undefined, hostStop: StopRows): boolean {
  const [before, now] = [shadow?.RTSTPP[0], hostStop.RTSTPP[0]];
  if (before === undefined || now === undefined) return false;
  const differed = before.RSSTS !== now.RSSTS || before.RSARVF !== now.RSARVF;
  return isAsPlanned('RTSTPP', now) && differed && (isInserted || (now.RSARVF === '' && before.RSARVF !== ''));
}

/** Of a skip, RUDRV is who recorded it, which no field of a stop has: the driver's phone sends it again. */
function withoutSkipper(hostStop: StopOnHost, confirmed: StopRows | undefined): StopOnHost {
  const RUDRV = confirmed?.RTSTUP[0]?.RUDRV ?? '';
  const rows = hostStop.rows.RTSTUP.map((row) => (row.RUSTS === 'S' || row.RUSTS === 'R' ? { ...row, RUDRV } : row));
  return { ...hostStop, rows: { ...hostStop.rows, RTSTUP: rows } };
}

const closingColumns = ['RHPODS', 'RHRETM', 'RHCLDT', 'RHCLTM', 'RHCLBY'] as const;
type ClosingColumn = (typeof closingColumns)[number];
/** A header without a shadow: only a dispatch program has written it. */
const dispatchedHeader = { RHPODS: '', RHRETM: '', RHCLDT: '0', RHCLTM: '0', RHCLBY: '' } as const;

/**
 * Returns the changed columns that the mirror does not follow: impossible values, and time or author of a close without
 * a change of the status (RHPODS).
 */
function unmappedColumns(changed: readonly ClosingColumn[], impossible: readonly ClosingColumn[]): ClosingColumn[] {
  const isAlone = (column: ClosingColumn) => column !== 'RHRETM' && !changed.includes('RHPODS');
  return changed.filter((column) => isAlone(column) || impossible.includes(column));
}

function sameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((item) => other.has(item));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
