import type { RouteKey, StopResult } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import { recordRouteSignIns } from '../../auth/sign-in-state.ts';
import type { Tx } from '../../db/types.ts';
import { planLines } from '../../stops/plan-lines.ts';
import type { StopOnHost } from '../../stops/host-stop.ts';
import { readResult, untouched } from '../../stops/stored-documents.ts';
import { unknownLines } from '../../stops/unknown-lines.ts';
import { newestStampOf } from '../../stops/writers.ts';
import { reportIncident } from '../../incidents/sql.ts';
import * as sql from './import-sql.ts';
import { driverChanges, headerDiffers, planChanges } from './route-changes.ts';
import type { DriverChanges, MirrorDriver, MirrorPlan, MirrorRoute, PlanChanges, RouteImage } from './route-changes.ts';
import { reloadedShadows, type StopShadows } from './reloaded-shadows.ts';
import { ROUTE_ROW } from '../to-host/route-pass.ts';
import { decodeStop, encodeStop } from '../to-host/shadow.ts';

/**
 * The host's results of stops that are new to the mirror: the results, the rows they were read from, and the columns
 * that no result can express.
 */
export type InheritedStop = { result: StopResult; hostStop: StopOnHost; unmapped: readonly string[] };
export type Inheritance = ReadonlyMap<number, InheritedStop>;

export type SaveOptions = {
  now: Date;
  /** The header was deleted and inserted again: the route begins anew under its old name. */
  reloaded: boolean;
  /** The doorbell lines that report it; after a crash the import may find them again. */
  reloadedBy: readonly string[];
  inheritance: Inheritance;
};

/** The version that the import raises a route to, while it holds the row's lock. */
type Revision = { readonly tx: Tx; readonly key: RouteKey; readonly version: number };

export type SavedRoute = 'unchanged' | 'changed' | 'new' | 'withdrawn';

/**
 * Brings the mirror of one route to the state of the host. It locks the route's row first and raises its version once
 * for all changes (I1, I3). @param image undefined where the host has no such route
 */
export async function saveRoute(
  tx: Tx,
  key: RouteKey,
  image: RouteImage | undefined,
  options: SaveOptions,
): Promise<SavedRoute> {
  if (image === undefined) return withdrawRoute(tx, key, options.now);
  const [before] = (await tx.query<MirrorRoute>(sql.lockRoute, keyOf(key))).rows;
  if (before === undefined) return create(tx, key, image, options);

  const { now } = options;
  const restarted = options.reloaded || before.withdrawn_at !== null;
  const drivers = driverChanges((await tx.query<MirrorDriver>(sql.loadDrivers, keyOf(key))).rows, image);
  const plans = planChanges((await tx.query<MirrorPlan>(sql.loadPlans, keyOf(key))).rows, image, restarted);
  const publishes = before.published_at === null && image.dispatchedOn !== '';
  const headerChanged =
    restarted || publishes || drivers.saved.length + drivers.removed.length > 0 || headerDiffers(before, image);
  const plansChanged = restarted || plans.saved.length + plans.removed.length > 0;
  if (!headerChanged && !plansChanged) return 'unchanged';

  const version = before.version + 1;
  await updateRoute(tx, key, {
    epoch: restarted ? before.epoch + 1 : before.epoch,
    version,
    header_version: headerChanged ? version : before.header_version,
    plan_version: plansChanged ? version : before.plan_version,
    name: image.name,
    trailer: image.trailer,
    email_flag: image.emailFlag,
    dispatched_on: image.dispatchedOn,
    published_at: publishes ? now : before.published_at,
    withdrawn_at: null,
  });
  await saveDrivers(tx, key, drivers);
  await emptyResultsOfOtherCustomers(tx, key, plans);
  const revision = { tx, key, version };
  if (restarted) await restart(revision, image, plans, options);
  else await savePlans(revision, plans, options);
  // A new driver of the route may be signed in already, and the host's new row does not show it.
  if (headerChanged) await recordRouteSignIns(tx, key, { now, reloaded: restarted || drivers.saved.length > 0 });
  await tx.query(sql.notify, [routeScope(key)]);
  if (headerChanged) await notifyDrivers(tx, key);
  return 'changed';
}

async function create(tx: Tx, key: RouteKey, image: RouteImage, options: SaveOptions): Promise<SavedRoute> {
  const { now, inheritance } = options;
  const { closing } = image;
  await tx.query(sql.insertRoute, [
    ...keyOf(key),
    image.name,
    image.trailer,
    image.emailFlag,
    image.dispatchedOn,
    image.dispatchedOn === '' ? null : now,
    closing.status,
    closing.arrived,
    closing.closedAt,
    closing.closedBy,
  ]);
  await saveDrivers(tx, key, driverChanges([], image));
  await savePlans({ tx, key, version: 1 }, planChanges([], image, true), options);
  await saveShadows(tx, key, { shadows: inheritedShadows(inheritance), now });
  await tx.query(sql.recordReload, [...keyOf(key), options.reloadedBy.join(' ')]);
  await recordRouteSignIns(tx, key, { now, reloaded: false });
  await tx.query(sql.notify, [routeScope(key)]);
  await notifyDrivers(tx, key);
  return 'new';
}

/** Marked, never deleted: drivers' later changes are accepted, and the office sees the route they belong to. */
export async function withdrawRoute(tx: Tx, key: RouteKey, now: Date): Promise<'unchanged' | 'withdrawn'> {
  const [before] = (await tx.query<MirrorRoute>(sql.lockRoute, keyOf(key))).rows;
  if (before === undefined || before.withdrawn_at !== null) return 'unchanged';
  const version = before.version + 1;
  await updateRoute(tx, key, { ...before, version, header_version: version, withdrawn_at: now });
  await tx.query(sql.notify, [routeScope(key)]);
  await notifyDrivers(tx, key);
  return 'withdrawn';
}

/** These drivers have other names: the headers that show them go to the phones again. */
export async function raiseHeadersOf(tx: Tx, drivers: readonly string[]): Promise<void> {
  for (const key of (await tx.query<RouteKey & Record<string, unknown>>(sql.routesOfDrivers, [drivers])).rows) {
    await tx.query(sql.raiseHeader, keyOf(key));
    await tx.query(sql.notify, [routeScope(key)]);
    await notifyDrivers(tx, key);
  }
}

/**
 * A new epoch. A plan never discards the record of a stop that keeps its customer: the result stays and goes to the
 * host's new rows. All documents get the new version, so that every phone receives them anew.
 */
async function restart(
  revision: Revision,
  image: RouteImage,
  changes: PlanChanges,
  options: SaveOptions,
): Promise<void> {
  const { tx, key } = revision;
  const { status, arrived, closedAt, closedBy } = image.closing;
  await tx.query(sql.restartRoute, [...keyOf(key), status, arrived, closedAt, closedBy]);
  await tx.query(sql.recordReload, [...keyOf(key), options.reloadedBy.join(' ')]);
  await savePlans(revision, changes, options);
  const { rows } = await tx.query<{ stop_id: number; rows: string }>(sql.dropShadows, keyOf(key));
  const before = rows
    .filter(({ stop_id: stop }) => stop !== ROUTE_ROW)
    .map(({ stop_id: stop, rows: text }) => [stop, decodeStop(text, key, stop)] as const);
  const shadows = reloadedShadows(new Map(before), changes, inheritedShadows(options.inheritance));
  await saveShadows(tx, key, { shadows, now: options.now });
}

/** The result belongs to another customer and is hidden at this stop. An incident lists it, so that it is not lost. */
async function emptyResultsOfOtherCustomers(tx: Tx, key: RouteKey, { saved }: PlanChanges): Promise<void> {
  const reassigned = saved.filter(({ isNew, formerCustomer }) => isNew && formerCustomer !== undefined);
  if (reassigned.length === 0) return;
  const stops = reassigned.map(({ plan }) => plan.id);
  const { rows } = await tx.query<{ stop_id: number; doc: string }>(sql.emptyResults, [...keyOf(key), stops]);
  for (const { stop_id: stop, doc } of rows) {
    const change = reassigned.find(({ plan }) => plan.id === stop);
    const customers = { from: change?.formerCustomer, to: change?.plan.customer.id };
    const details = { route: key, stop, customers, result: readResult(doc) };
    await tx.query(reportIncident, ['result_of_other_customer', JSON.stringify(details)]);
  }
}

/** Writes the row of a route in full, so that no statement depends on the order of its callers' values. */
async function updateRoute(tx: Tx, key: RouteKey, route: MirrorRoute): Promise<void> {
  await tx.query(sql.updateRoute, [
    ...keyOf(key),
    route.version,
    route.header_version,
    route.plan_version,
    route.name,
    route.trailer,
    route.email_flag,
    route.dispatched_on,
    route.published_at,
    route.withdrawn_at,
    route.epoch,
  ]);
}

async function saveDrivers(tx: Tx, key: RouteKey, { saved, removed }: DriverChanges): Promise<void> {
  if (saved.length > 0) {
    await tx.query(sql.saveDrivers, [...keyOf(key), ...sql.saveDrivers.parameters(saved)]);
  }
  if (removed.length > 0) await tx.query(sql.removeDrivers, [...keyOf(key), removed]);
}

/** A hint for the nodes with sockets of the route's present and former drivers. */
async function notifyDrivers(tx: Tx, key: RouteKey): Promise<void> {
  const { rows } = await tx.query<{ employees: string }>(sql.listDrivers, keyOf(key));
  if (rows[0]?.employees) await tx.query(sql.notifyDrivers, [rows[0].employees]);
}

async function savePlans(
  { tx, key, version }: Revision,
  { saved, removed }: PlanChanges,
  { now, inheritance }: Pick<SaveOptions, 'now' | 'inheritance'>,
): Promise<void> {
  if (removed.length > 0) await tx.query(sql.removePlans, [...keyOf(key), version, removed]);
  if (saved.length === 0) return;
  const plans = saved.map(({ plan, text, formerCustomer, otherLines }) => ({
    stop: plan.id,
    doc: text,
    lines: planLines(plan),
    invoices: JSON.stringify(plan.invoices.map(({ id }) => id)),
    sequence: plan.sequence,
    eta: plan.eta,
    customer: plan.customer,
    customerSince: formerCustomer === undefined ? null : now,
    linesSince: otherLines ? now : null,
  }));
  await tx.query(sql.savePlans, [...keyOf(key), version, ...sql.savePlans.parameters(plans)]);
  const fresh = saved.filter(({ isNew }) => isNew).map(({ plan }) => plan.id);
  const results = fresh.map((stop) => ({ stop, result: inheritance.get(stop)?.result ?? untouched }));
  const newestStamp = results.reduce((newest: number | null, { result }) => newestStampOf(result, newest), null);
  const rows = results.map(({ stop, result }) => ({ stop, status: result.status, doc: JSON.stringify(result) }));
  if (newestStamp !== null) await tx.query(sql.raiseNewestStamp, [...keyOf(key), new Date(newestStamp)]);
  await tx.query(sql.saveResults, [...keyOf(key), version, ...sql.saveResults.parameters(rows)]);
  if (saved.some((change) => (change.isKnown ? change.isNew || change.otherLines : inheritance.has(change.plan.id))))
    await countUnknownLines(tx, key);
}

/**
 * A new plan has other lines, and a result may have been emptied: the batch continues from the true count (decision
 * 75).
 */
async function countUnknownLines(tx: Tx, key: RouteKey): Promise<void> {
  const { rows } = await tx.query<{ doc: string; lines: string }>(sql.loadLines, keyOf(key));
  const count = rows.reduce((sum, { doc, lines }) => sum + unknownLines(readResult(doc), lines), 0);
  await tx.query(sql.countUnknownLines, [...keyOf(key), count]);
}

const inheritedShadows = (inheritance: Inheritance): StopShadows =>
  new Map([...inheritance].map(([stop, { hostStop }]) => [stop, hostStop]));

async function saveShadows(
  tx: Tx,
  key: RouteKey,
  { shadows, now }: { readonly shadows: StopShadows; readonly now: Date },
): Promise<void> {
  for (const [stop, shadow] of shadows) {
    await tx.query(sql.saveShadow, [
      ...keyOf(key),
      stop,
      shadow.rows.RTSTUP[0]?.RURPSQ ?? '0',
      encodeStop(shadow),
      now,
    ]);
  }
}

export function keyOf({ facility, id, week_end }: RouteKey): [string, string, string] {
  return [facility, id, week_end];
}
