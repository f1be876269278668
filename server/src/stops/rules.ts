import type {
  LineKind,
  Remark,
  SkipRefuseArgs,
  StopLimits,
  StopObject,
  StopResult,
  StopStatus,
  Warning,
} from '@tailgate/sync-protocol';
import {
  applyOfficeUpdate,
  applyStopUpdate,
  completeStop,
  maxLineDetail,
  maxUnknownLines,
  maxUnknownLinesOfRoute,
  skipAsUpdate,
  warehouseStop,
  withDeliverer,
  withPlannedInvoices,
} from '@tailgate/sync-protocol';
import { afterTimer, afterWarehouse } from '../routes/closing.ts';
import type { RouteFacts } from '../routes/header.ts';
import { hasOtherCustomer } from './plan-change.ts';
import { plannedInvoices, plannedLine } from './plan-lines.ts';
import type { StopContext } from './stop-context.ts';
import { unknownLines } from './unknown-lines.ts';
import { warningsOf } from './warnings.ts';

/** The effect of a change; `route` is the same object where the route's own state does not change. */
export interface StopDecision {
  readonly result: StopResult;
  readonly route: RouteFacts;
  /** Whether any value has changed. */
  readonly changed: boolean;
  readonly touched: boolean;
  /** New lines of the result that are not on its plan. */
  readonly newUnknown: number;
  /** Values that were not applied: they lost against later edits, exceed a limit, or undo a completed step. */
  readonly notApplied: readonly Remark[];
  readonly warnings: readonly Warning[];
  /** A delivery summary is due (contract §4, E-mail). */
  readonly mail: boolean;
}

/** A stop object of PUT route/stop or of the mutation `stop.update`. */
export function decideStopUpdate(stop: StopObject, context: StopContext): StopDecision {
  const { actor, paths, result, plan } = context;
  const invoicesOf = (kind: LineKind, item: string) => plannedInvoices(plan.lines, kind, item);
  // The office names lines by the host's keys, so no invoice is missing.
  const placed = actor.kind === 'office' ? stop : withPlannedInvoices(stop, invoicesOf, paths);
  const update = actor.kind === 'driver' ? withDeliverer(placed, actor.employee, context.route.drivers) : placed;
  const warnings = warningsOf(stop, update, context);
  const namesUnknown = warnings.some(({ code }) => code === 'unknown_product');
  const applied =
    actor.kind === 'office'
      ? applyOfficeUpdate(result, update, context.stamp)
      : applyStopUpdate(result, update, context.stamp, limitsOf(context, namesUnknown));
  const { remarks } = applied;
  const notApplied = remarks.filter(({ code }) => code !== 'amended');
  const dropped = new Set(notApplied.map(({ path }) => path));
  const route = stop.id === warehouseStop ? routeAfter(stop, applied.result, context) : context.route;
  const delivered = result.status !== 'D' && applied.result.status === 'D';
  return {
    result: applied.result,
    route,
    changed: applied.changed,
    touched: applied.touched || route !== context.route,
    newUnknown: namesUnknown ? unknownLines(applied.result, plan.lines) - unknownLines(result, plan.lines) : 0,
    notApplied,
    warnings: [
      ...remarks.map((remark) => withMessage(remark, result.status, applied.result.status)),
      ...warnings.filter(({ code, path }) => code !== 'unknown_product' || !dropped.has(path)),
    ],
    mail:
      delivered &&
      stop.id !== warehouseStop &&
      actor.kind === 'driver' &&
      (paths === 'v20' || context.route.emailFlag) &&
      // The present customer of this stop has not met this driver.
      !hasOtherCustomer(update, context),
  };
}

/**
 * @param namesUnknown whether the update names a line that is not on its plan; otherwise the plan needs no second
 * search
 */
function limitsOf({ plan, unknownLines: count }: StopContext, namesUnknown: boolean): StopLimits {
  if (!namesUnknown) return { isPlanned: () => true };
  return {
    isPlanned: (kind, id, invoice, n) => plannedLine(plan.lines, kind, id, invoice, n).ordered !== undefined,
    room: maxUnknownLinesOfRoute - count,
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

/**
 * Decides a timed close under the route's lock: it closes a due route, and changes nothing on a closed one. Stop 999 is
 * complete after an autoclose and stays as it is after a forced close.
 */
export function decideTimedClose({ route, result, receivedAt, stamp }: StopContext): StopDecision {
  const closing = afterTimer(route, receivedAt);
  if (closing === route) return { ...noChange, route, result };
  return {
    ...noChange,
    route: { ...route, ...closing },
    result: closing.closedBy === 'A' ? completeStop(result, stamp) : result,
    touched: true,
  };
}

const noChange = { changed: false, touched: false, newUnknown: 0, notApplied: [], warnings: [], mail: false } as const;

/** Puts the remarks of the field rules into words, with the stop's status before and after the update. */
const withMessage = (remark: Remark, before: StopStatus, after: StopStatus): Warning => ({
  ...remark,
  message: messageOf(remark, before, after),
});

function messageOf({ code, path }: Remark, before: StopStatus, after: StopStatus): string {
  if (code === 'superseded') return 'a later edit of this field is kept';
  if (code === 'amended') return `the stop was delivered before and is ${after} now`;
  if (code === 'too_many_lines') return path.endsWith('.updates') ? tooMuchDetail : tooManyLines;
  return before === 'C'
    ? 'a stop that is complete stays complete'
    : `a stop that is ${before} does not become pending again`;
}

const tooManyLines = `a stop keeps ${maxUnknownLines} lines that its plan does not have, a route ${maxUnknownLinesOfRoute}`;
const tooMuchDetail = `the lines of a stop keep ${maxLineDetail} characters of exceptions, photos and open_action`;
