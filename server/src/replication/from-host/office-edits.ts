import { createHash } from 'node:crypto';
import type { RouteKey, StopObject } from '@tailgate/sync-protocol';
import { canonicalJson, officeSource, routeScope, restoredAuthor } from '@tailgate/sync-protocol';
import { withTransaction } from '../../db/transaction.ts';
import type { Db, Tx } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import type { Pipeline } from '../../mutations/change.ts';
import { amendmentOf, type AmendedStop, type InstantOf } from '../../stops/amendment.ts';
import { hostRows } from '../../stops/host-rows.ts';
import type { HeldStop, StopRows } from '../../stops/host-stop.ts';
import { freshId, idOf } from '../../stops/mutation-id.ts';
import { readResult } from '../../stops/stored-documents.ts';
import { editTurns, unknownUser, type Author, type StopEditor } from '../to-host/edit-turns.ts';
import type { HostStops } from '../to-host/host-stops.ts';
import type { ServicePart } from '../../host/files/tables.ts';
import { hostMoment, instantOf } from '../../host/files/local-time.ts';
import { reportIncident } from '../../incidents/sql.ts';
import * as sql from './import-sql.ts';
import { stopAt } from './earlier-stop.ts';
import { isForgotten } from '../to-host/judge.ts';
import { keyOf } from './mirror-route.ts';
import { closingOf } from './route-image.ts';
import { ROUTE_ROW } from '../to-host/route-pass.ts';
import { decodeHeader, decodeStop, encodeHeader, encodeStop } from '../to-host/shadow.ts';
import { epochOf, hostSequence, versionOf } from '../to-host/sequence.ts';
import { sealed, stopText, traceOf } from '../to-host/trace.ts';

export type OfficeEditsOptions = {
  db: Db;
  host: HostStops;
  submit: Pipeline['submit'];
  clock: () => Date;
  log: Log;
};

type ShadowRow = { version: number; doc: string; rows: string | null; epoch: number };
/** A stop with changes on the host that the mirror lacks. */
type Forgotten = { found: HeldStop; held: HeldStop | undefined; known: ShadowRow; zone: string };
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
   */
  async takeStop(key: RouteKey, stop: number, editor: StopEditor, zone: string): Promise<void> {
    const { db, host } = this.#options;
    const found = await host.read(key, stop);
    const [known] = (await db.query<ShadowRow>(sql.loadShadow, [...keyOf(key), stop])).rows;
    if (found === undefined || known === undefined) return;
    const held = known.rows === null ? undefined : decodeStop(known.rows, key, stop);
    const [result] = found.rows.RTSTUP;
    const isOurs = result !== undefined && result.RUTRC === traceOf(found.rows);
    if (isOurs && isForgotten(found.rows, held?.rows, known.epoch)) {
      // After a fail-over without loss only the confirmation is missing. As an edit, the write would have the host's
      // time, and could overrule a later record of the same driver.
      if (await this.#isInLedger(key, stop, result)) return this.#confirm(key, stop, found);
      return this.#remember(key, stop, { found, held, known, zone });
    }
    if (isOurs) {
      if (held !== undefined && !sameSet(held.credited, found.credited))
        await this.#confirm(key, stop, { ...held, credited: found.credited });
      return;
    }
    const isLaidAnew = isStopLaid(editor, held?.rows, found.rows);
    let ours = (await this.#unnoted(key, stop, { found, held, known, zone })) ?? held?.rows;
    for (const { rows, ...author } of editTurns(ours, found.rows, editor, found.writers)) {
      const edit = { key, stop, held: ours, found: { ...found, rows }, isLaidAnew };
      await this.#takeTurn(edit, author, zone);
      ours = rows;
    }
    if (!isLaidAnew) return;
    await db.query(sql.raiseStop, [...keyOf(key), stop]);
    await this.#confirm(key, stop, found);
  }

  /** Saves the shadow after each turn, so that a crash does not repeat an edit. */
  async #takeTurn(edit: Omit<AmendedStop, 'result'>, author: Author, zone: string): Promise<void> {
    const { key, stop, found } = edit;
    // The turn before is part of the state by now.
    const [known] = (await this.#options.db.query<ShadowRow>(sql.loadShadow, [...keyOf(key), stop])).rows;
    if (known === undefined) return;
    const toInstant: InstantOf = (moment) => instantOf(moment, zone);
    const { update, unmapped } = amendmentOf({ ...edit, result: readResult(known.doc) }, toInstant);
    if (update === undefined && unmapped.length === 0) {
      // Only columns of the service, such as the trace, differ. If the shadow lacked their values, the guard of each
      // later write would fail.
      if (edit.held && stopText(edit.held) !== stopText(found.rows)) await this.#confirm(key, stop, found);
      return;
    }
    const idle = update === undefined ? [] : await this.#submit(key, update, known.version, author);
    // A later record has overruled the edit. It may have reached the host before the edit was seen: then its row
    // already equals the mirror, and would keep the overruled value. So the stop goes to the host again, and a flag
    // reports it.
    const isOverruled = idle.includes('superseded');
    if (isOverruled) await this.#options.db.query(sql.raiseStop, [...keyOf(key), stop]);
    const open = isOverruled ? unmapped : [...unmapped, ...idle];
    if (open.length > 0) await this.#report({ route: key, stop }, author, open, found.rows);
    await this.#confirm(key, stop, found);
  }

  /**
   * Returns the rows of a write that the worker made but did not confirm before it died, if the trace on the host
   * proves it. Otherwise the import would attribute the driver's values to the clerk, with a later time. They would
   * overrule the driver's later records.
   */
  async #unnoted(key: RouteKey, stop: number, forgotten: Forgotten): Promise<StopRows | undefined> {
    const { found, held, known, zone } = forgotten;
    const written = Number(found.rows.RTSTUP[0]?.RURPSQ ?? 0);
    const noted = Number(held?.rows.RTSTUP[0]?.RURPSQ ?? 0);
    if (written <= noted || epochOf(written) !== known.epoch) return undefined;
    const version = versionOf(written);
    const result =
      version === known.version ? readResult(known.doc) : await stopAt(this.#options.db, key, stop, version);
    if (!result) return undefined;
    const moment = (instant: Date) => hostMoment(instant, zone);
    const rows = sealed(
      hostRows({ key, stop, result, sequence: `${hostSequence(known.epoch, version)}`, moment }, held),
    );
    return rows.RTSTUP[0]?.RUTRC === found.rows.RTSTUP[0]?.RUTRC ? rows : undefined;
  }

  async #isInLedger(key: RouteKey, stop: number, { RURPSQ }: ServicePart<'RTSTUP'>): Promise<boolean> {
    const sequence = Number(RURPSQ);
    const place = [...keyOf(key), stop, versionOf(sequence), epochOf(sequence)];
    return (await this.#options.db.query(sql.findChangeOfLife, place)).rows.length > 0;
  }

  /**
   * Imports a write that the service made after the backup and before the restore. The import dates it at the start of
   * its second, so later records win. Changes of that second that phones repeat give the same values.
   */
  async #remember(key: RouteKey, stop: number, { found, held, known, zone }: Forgotten): Promise<void> {
    const { host, clock, log } = this.#options;
    const written = await host.writtenAt(key, stop);
    const second = written && instantOf(written, zone);
    const editor = { user: restoredAuthor, at: second ?? clock() };
    const toInstant: InstantOf = (moment) => instantOf(moment, zone);
    const stand = { key, stop, result: readResult(known.doc), held: held?.rows, found };
    const { update, unmapped } = amendmentOf(stand, toInstant);
    if (update) await this.#submit(key, update, known.version, editor);
    if (unmapped.length > 0) await this.#report({ route: key, stop }, editor, unmapped, found.rows);
    await this.#confirm(key, stop, found);
    log.warn({ route: routeScope(key), stop }, 'the host knew more of a stop than the restored database: taken back');
  }

  /** The office closes, reopens or marks a route by hand. */
  async takeHeader(key: RouteKey, lastEdit: Author, zone: string): Promise<void> {
    const { db, host, log } = this.#options;
    const read = await host.readHeader(key);
    if (read === undefined) return;
    const { row: found, writer } = read;
    const editor = { user: lastEdit.user || writer || unknownUser, at: lastEdit.at };
    const taken = await withTransaction(db, async (tx) => {
      // Read under the lock: a close that a driver commits meanwhile must not be undone.
      await tx.query(sql.lockRoute, keyOf(key));
      const [route] = (await tx.query<RouteState>(sql.findRoute, keyOf(key))).rows;
      if (route === undefined) return undefined;
      const held = route.shadow === null ? undefined : decodeHeader(route.shadow, key);
      const before = held ?? asInserted;
      const changed = closingColumns.filter((column) => before[column] !== found[column]);
      if (changed.length === 0) return undefined;
      const closing = closingOf(found, zone, editor.at);
      const unsaid = unsaidOf(changed, closing.impossible);
      const isSaid = (column: (typeof closingColumns)[number]) => changed.includes(column) && !unsaid.includes(column);
      const status = isSaid('RHPODS') ? closing.status : route.status;
      const arrived = isSaid('RHRETM') ? closing.arrived : route.arrived;
      if (status !== route.status || arrived !== route.arrived) {
        const closed = status === 'C' ? [closing.closedAt ?? editor.at, closing.closedBy ?? 'F'] : [null, null];
        await tx.query(sql.setClosing, [...keyOf(key), status, arrived, ...closed]);
        await this.#record(tx, key, { status, arrived }, editor);
        await tx.query(sql.notify, [routeScope(key)]);
      }
      await tx.query(sql.saveShadow, [...keyOf(key), ROUTE_ROW, '0', encodeHeader(found)]);
      return { status, arrived, unsaid };
    });
    if (taken === undefined) return;
    const { unsaid, ...said } = taken;
    const columns = unsaid.map((column) => `RTHDRP.${column}`);
    if (columns.length > 0) await this.#report({ route: key }, editor, columns, found);
    log.info({ route: routeScope(key), ...said, user: editor.user }, 'the office has changed the state of a route');
  }

  /** Records the office's change of a route in the ledger, as for a stop (I2). */
  async #record(
    tx: Tx,
    route: RouteKey,
    said: Pick<RouteState, 'status' | 'arrived'>,
    { user, at }: Author,
  ): Promise<void> {
    const body = canonicalJson({ args: { route, ...said }, name: 'route.amend', version: 1 });
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
  async #report(
    place: { readonly route: RouteKey; readonly stop?: number },
    { user, at }: Author,
    columns: readonly string[],
    rows: object,
  ): Promise<void> {
    const { db, log } = this.#options;
    const about = { ...place, route: routeScope(place.route), user, columns };
    log.warn(about, 'a change on the host cannot be followed in the mirror');
    const details = { ...place, user, at: at.toISOString(), columns, rows };
    await db.query(reportIncident, ['host_edit_untold', JSON.stringify(details)]);
  }

  async #confirm(key: RouteKey, stop: number, held: HeldStop): Promise<void> {
    const sequence = held.rows.RTSTUP[0]?.RURPSQ ?? '0';
    await this.#options.db.query(sql.saveShadow, [...keyOf(key), stop, sequence, encodeStop(held)]);
  }
}

/**
 * Detects a stop row that a program deleted and inserted again. Such a row contains no delivery, so the driver's result
 * must be written to it. Without a doorbell line, a blank arrival flag identifies it, because the service always writes
 * Y or N.
 */
function isStopLaid({ isLaid = false }: StopEditor, held: StopRows | undefined, found: StopRows): boolean {
  const [before, now] = [held?.RTSTPP[0], found.RTSTPP[0]];
  if (before === undefined || now === undefined) return false;
  const asInserted = ['', 'P'].includes(now.RSSTS) && ['', 'N'].includes(now.RSARVF);
  const differed = before.RSSTS !== now.RSSTS || before.RSARVF !== now.RSARVF;
  return asInserted && differed && (isLaid || (now.RSARVF === '' && before.RSARVF !== ''));
}

const closingColumns = ['RHPODS', 'RHRETM', 'RHCLDT', 'RHCLTM', 'RHCLBY'] as const;
type ClosingColumn = (typeof closingColumns)[number];
/** A header without a shadow: only a dispatch program has written it. */
const asInserted = { RHPODS: '', RHRETM: '', RHCLDT: '0', RHCLTM: '0', RHCLBY: '' } as const;

/**
 * Returns the changed columns that the mirror does not follow: impossible values, and time or author of a close without
 * a change of the status (RHPODS).
 */
function unsaidOf(changed: readonly ClosingColumn[], impossible: readonly ClosingColumn[]): ClosingColumn[] {
  const isAlone = (column: ClosingColumn) => column !== 'RHRETM' && !changed.includes('RHPODS');
  return changed.filter((column) => isAlone(column) || impossible.includes(column));
}

function sameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((item) => other.has(item));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
