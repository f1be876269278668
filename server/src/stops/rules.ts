import type {
  LineUpdate,
  OsdGroup,
  SkipRefuseArgs,
  Stamp,
  StopObject,
  StopResult,
  Superseded,
  Warning,
  WarningCode,
} from '@tailgate/sync-protocol';
import { applyStopUpdate, occurrence, skipAsUpdate, warehouseStop, withDeliverer } from '@tailgate/sync-protocol';
import type { CodeBook } from '../codes/code-book.ts';
import type { Actor, PathSet } from '../mutations/change.ts';
import type { CloseMode } from '../routes/closing.ts';
import { afterWarehouse } from '../routes/closing.ts';
import type { RouteFacts } from '../routes/header.ts';
import { isMailAddress } from './mail-address.ts';
import type { PlanLines } from './plan-lines.ts';
import { plannedQuantities } from './plan-lines.ts';

/** What the rules know when they decide about one change of one stop. */
export interface StopContext {
  readonly route: RouteFacts;
  readonly result: StopResult;
  readonly lines: PlanLines;
  /** The host took this stop off the plan. */
  readonly removed: boolean;
  readonly codes: CodeBook;
  readonly actor: Actor;
  readonly paths: PathSet;
  readonly stamp: Stamp;
  readonly receivedAt: Date;
  readonly closeMode: CloseMode;
  readonly timerMs: number;
}

/** What a change does; `route` is the same object where the route's own state does not change. */
export interface StopDecision {
  readonly result: StopResult;
  readonly route: RouteFacts;
  readonly changed: readonly string[];
  readonly touched: boolean;
  readonly superseded: readonly Superseded[];
  readonly warnings: readonly Warning[];
  /** A delivery summary is due (contract §4, E-mail). */
  readonly mail: boolean;
}

/** A stop object of PUT route/stop or of the mutation `stop.update`. */
export function decideStopUpdate(stop: StopObject, context: StopContext): StopDecision {
  const { actor, paths, result } = context;
  const update = actor.kind === 'driver' ? withDeliverer(stop, actor.employee, context.route.drivers) : stop;
  const applied = applyStopUpdate(result, update, context.stamp);
  const route = stop.id === warehouseStop ? routeAfter(stop, applied.result, context) : context.route;
  const delivered = result.status !== 'D' && applied.result.status === 'D';
  return {
    result: applied.result,
    route,
    changed: applied.changed,
    touched: applied.touched || route !== context.route,
    superseded: applied.superseded,
    warnings: [...applied.warnings, ...circumstances(context), ...contentWarnings(update, context)],
    mail:
      delivered && stop.id !== warehouseStop && actor.kind === 'driver' && (paths === 'v20' || context.route.emailFlag),
  };
}

/** PUT route/stop/skip-refuse: the status is the explicit one, else the reason code's, else S. */
export function decideSkipRefuse(args: SkipRefuseArgs, context: StopContext): StopDecision {
  return decideStopUpdate(
    skipAsUpdate(args, (code) => context.codes.stopException(code)),
    context,
  );
}

function routeAfter(stop: StopObject, result: StopResult, context: StopContext): RouteFacts {
  const sent = stop.updates?.status;
  const event = {
    arrived: stop.arrived === true,
    delivered: (sent === 'D' || sent === 'C') && (result.status === 'D' || result.status === 'C'),
    paths: context.paths,
    mode: context.closeMode,
    now: context.receivedAt,
    timerMs: context.timerMs,
  };
  const next = afterWarehouse(context.route, event);
  return next === context.route ? context.route : { ...context.route, ...next };
}

function circumstances({ route, actor, removed }: StopContext): Warning[] {
  const warnings: Warning[] = [];
  if (route.status === 'C') warnings.push(warn('after_close', '', 'the route was closed before this arrived'));
  if (route.withdrawn) warnings.push(warn('route_withdrawn', '', 'the host has withdrawn this route'));
  if (removed) warnings.push(warn('stop_removed', '', 'the host has taken this stop off the route'));
  if (actor.kind === 'driver' && route.drivers.some((driver) => driver.id === actor.employee && driver.removed))
    warnings.push(warn('no_longer_assigned', '', 'the driver was taken off this route before this arrived'));
  return warnings;
}

function contentWarnings({ updates, products, collections }: StopObject, context: StopContext): Warning[] {
  const { codes, lines, paths } = context;
  const warnings: Warning[] = [];
  const time = updates?.skip_refuse_timestamp;
  if (time && Number.isNaN(Date.parse(time)))
    warnings.push(
      warn('unreadable_time', 'updates.skip_refuse_timestamp', 'this is no readable instant; it was kept as sent'),
    );
  for (const [i, item] of (updates?.overage_items ?? []).entries()) {
    const path = `updates.overage_items.${i}.osd_code`;
    if (paths === 'v20' && item.osd_code !== '85' && item.osd_code !== '86')
      warnings.push(warn('overage_code', path, 'overage items use the codes 85 and 86'));
    else if (!codes.isCreditReason(item.osd_code)) warnings.push(unknownCode(item.osd_code, path));
  }
  for (const [i, address] of (updates?.osd_emails ?? []).entries())
    if (!isMailAddress(address))
      warnings.push(warn('invalid_email', `updates.osd_emails.${i}`, 'no mail goes there: this is no address'));
  if (products?.length) lineWarnings('products', products, lines, codes, warnings);
  if (collections?.length) lineWarnings('collections', collections, lines, codes, warnings);
  return warnings;
}

function lineWarnings(
  kind: 'products' | 'collections',
  sent: readonly LineUpdate[],
  lines: PlanLines,
  codes: CodeBook,
  warnings: Warning[],
): void {
  for (const [i, line] of sent.entries()) {
    const { id, invoice, updates, action } = line;
    const n = occurrence(sent, i);
    const quantities = plannedQuantities(lines, kind === 'products' ? 'P' : 'C', id, invoice);
    const ordered = quantities[n];
    const path = `${kind}.${i}`;
    if (ordered === undefined)
      warnings.push(warn('unknown_product', path, `item ${id} is not on the manifest of this stop; it was kept`));
    else if ((updates?.delivered ?? 0) > ordered)
      warnings.push(warn('over_delivered', `${path}.updates.delivered`, `more than the ${ordered} ordered`));
    if (
      quantities.length > 1 &&
      quantities.length > sent.filter((other) => other.id === id && other.invoice === invoice).length
    )
      warnings.push(
        warn(
          'ambiguous_line',
          path,
          `the manifest has ${quantities.length} such lines; this was taken for number ${n + 1}`,
        ),
      );
    if (updates?.osd_data) osdWarnings(updates.osd_data, `${path}.updates.osd_data`, codes, warnings);
    if (action?.updates?.osd_data)
      osdWarnings(action.updates.osd_data, `${path}.action.updates.osd_data`, codes, warnings);
  }
}

function osdWarnings(groups: readonly OsdGroup[], path: string, codes: CodeBook, warnings: Warning[]): void {
  for (const [i, { osd_code }] of groups.entries())
    if (!codes.isCreditReason(osd_code)) warnings.push(unknownCode(osd_code, `${path}.${i}.osd_code`));
}

const unknownCode = (code: string, path: string): Warning =>
  warn('unknown_code', path, `code ${code} is not in the code list; it was kept`);
const warn = (code: WarningCode, path: string, message: string): Warning => ({ code, path, message });
