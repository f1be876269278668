import { isDeepStrictEqual } from 'node:util';
import { fields, REPORT } from './diary.ts';
import type { Edit, Evidence, Row } from './evidence.ts';
import type { Closing } from './fixture.ts';
import { closingOf, FACILITY, isOfSecondRoute, routeOf, WAREHOUSE, WEEK } from './fixture.ts';
import { isNear, momentIn, timeText } from './moments.ts';

// Stop 999 and the close of its route: the table of contract §4, "Closing a route". The order of receipts is the
// ledger's; the model compares it with the diary.

/** The state of a route as stop 999 and its timers leave it. */
interface RouteState {
  readonly status: 'O' | 'C';
  readonly arrived: boolean;
  readonly closedAt?: number;
  readonly closedBy?: 'D' | 'A' | 'F';
  readonly autocloseAt?: number | undefined;
  readonly forcecloseAt?: number | undefined;
  /** The route version of the close. */
  readonly version?: number;
}

const OPEN: RouteState = { status: 'O', arrived: false };

/** The effect of one edit of stop 999. */
function afterEdit(state: RouteState, edit: Edit, { mode, timerMs }: Closing): RouteState {
  if (state.status === 'C') return state;
  const { values, receivedAt, version, source, isByV20 } = edit;
  const closed = (closedBy: 'D' | 'A' | 'F'): RouteState => {
    const { arrived } = next;
    return { status: 'C', arrived, closedAt: receivedAt, closedBy, version };
  };
  let next = state;
  if (source === 'timer') return closed((state.autocloseAt ?? Infinity) <= receivedAt ? 'A' : 'F');
  const deadline = receivedAt + timerMs;
  if (values?.arrived) {
    if (mode === 'arrival') next = { ...next, arrived: true };
    if (mode === 'legacy' || isByV20) next = { ...next, autocloseAt: next.autocloseAt ?? deadline };
  }
  if (values?.status !== 'D') return next;
  if (mode === 'legacy' || next.arrived) return closed('D');
  return { ...next, forcecloseAt: next.forcecloseAt ?? deadline };
}

/**
 * Edits of the route in the order in which the server received them. The ledger has a timer only if it closed the route: in
 * its batch it comes before an edit that would have closed it, too.
 */
const inOrder = (edits: readonly Edit[]): Edit[] =>
  edits
    .filter(({ stop }) => stop !== REPORT && !isOfSecondRoute(stop))
    .toSorted((a, b) => a.version - b.version || a.receivedAt - b.receivedAt || isTimer(b) - isTimer(a));
const isTimer = ({ source }: Edit): number => Number(source === 'timer');

/** A timer that closes after an arrival completes stop 999; no driver's edit changes that (contract §4). */
export function withCompletions(edits: readonly Edit[], seed: number): Edit[] {
  const closing = closingOf(seed);
  if (!closing) return [...edits];
  let state = OPEN;
  let completion: Edit | undefined;
  for (const edit of inOrder(edits).filter(({ stop }) => stop === WAREHOUSE)) {
    const next = afterEdit(state, edit, closing);
    if (next.closedBy === 'A' && state.status === 'O') completion = edit;
    state = next;
  }
  return edits.map((edit) => (edit === completion ? { ...edit, values: { status: 'C' } } : edit));
}

/** A completion counts after every other edit. */
export const completionLast = (edits: readonly Edit[]): Edit[] =>
  edits.toSorted((a, b) => Number(isCompletion(a)) - Number(isCompletion(b)));

export const isCompletion = ({ values }: Edit): boolean => values?.status === 'C';

/** Checks header and timers of the route, on phones and host. */
export async function wrongClosing(evidence: Evidence, edits: readonly Edit[]): Promise<string[]> {
  const { drivers, seed, sweeps } = evidence;
  const isSweptBetween = (from: number, to: number): boolean =>
    sweeps.some(({ at, isDone }) => isDone && at >= from && at < to);
  const closing = closingOf(seed);
  const wrong: string[] = [];
  let state = OPEN;
  const warehouse = inOrder(edits).filter(({ stop }) => stop === WAREHOUSE);
  for (const edit of warehouse) {
    if (!closing) return [`${edit.id} is of stop ${WAREHOUSE}, which this route does not have`];
    const { autocloseAt = Infinity, forcecloseAt = Infinity } = state;
    const due = Math.min(autocloseAt, forcecloseAt);
    if (edit.source === 'timer' && (due > edit.receivedAt || state.status === 'C'))
      wrong.push(`a timer closed the route at ${timeText(edit.receivedAt)}, and no timer was due`);
    const isOverdue = edit.source === 'timer' && isSweptBetween(due, edit.receivedAt);
    if (isOverdue) wrong.push(`the route was due at ${timeText(due)}, and closed at ${timeText(edit.receivedAt)}`);
    state = afterEdit(state, edit, closing);
  }
  wrong.push(...wrongReceipts(warehouse, evidence));
  const { autocloseAt = Infinity, forcecloseAt = Infinity } = state;
  const due = Math.min(autocloseAt, forcecloseAt);
  if (isSweptBetween(due, Infinity)) wrong.push(`the route was due at ${timeText(due)}, and is open`);
  const iso = (at: number | undefined): string | null => (at === undefined ? null : timeText(at));
  const expected = {
    status: state.status,
    arrived: state.arrived,
    closed_at: iso(state.closedAt),
    closed_by: state.closedBy ?? null,
    autoclose_at: iso(state.autocloseAt),
    forceclose_at: iso(state.forcecloseAt),
  };
  const isLate = (edit: Edit): boolean =>
    state.version !== undefined && edit.version > state.version && !isOfSecondRoute(edit.stop);
  for (const { phone, hasPhone, isSignedIn, history } of drivers) {
    const { app, employee } = phone;
    if (!hasPhone || !isSignedIn || !app) continue;
    const route = app.route(routeOf(seed)).current;
    const { status, arrived, closed_at, closed_by, autoclose_at, forceclose_at } = route ?? {};
    const shown = { status, arrived, closed_at, closed_by, autoclose_at, forceclose_at };
    if (!isDeepStrictEqual(shown, expected))
      wrong.push(`the route reads ${JSON.stringify(shown)} at ${employee}, not ${JSON.stringify(expected)}`);
    for (const edit of edits) {
      const receipt = history.ids.includes(edit.id) ? app.receipt(edit.id)?.current : undefined;
      if (receipt?.at !== 'on_host' || edit.version === state.version) continue;
      const isWarned = receipt.warnings?.some(({ code }) => code === 'after_close') ?? false;
      if (isWarned !== isLate(edit))
        wrong.push(`${edit.id} has ${isWarned ? 'a' : 'no'} warning of a closed route (closed: ${state.version})`);
    }
  }
  const order = inOrder(edits);
  const late = order.filter(isLate);
  // Edits with one version have no known order: one of them has made it, and the others changed nothing.
  const upTo = (edit: Edit): Edit[] => order.filter((other) => other !== edit && other.version <= edit.version);
  const certain = late.filter((edit) => changesStop(edit, upTo(edit))).length;
  wrong.push(...wrongHeader(await readHeader(evidence), state, { from: certain, to: late.length }));
  return wrong;
}

/** Certainly: a text or a count that is newer than all that the server had. Others may repeat what it had. */
const changesStop = (edit: Edit, before: readonly Edit[]): boolean =>
  fields.some(
    (field) =>
      !['arrived', 'status'].includes(field) &&
      edit.values?.[field] !== undefined &&
      before.every(
        ({ stop, values, editTime }) => stop !== edit.stop || values?.[field] === undefined || editTime < edit.editTime,
      ),
  );

/** The ledger's receipt of an edit is between the tap and the answer, and it orders edits that do not overlap. */
function wrongReceipts(edits: readonly Edit[], { drivers, requests, sweeps, now }: Evidence): string[] {
  const wrong: string[] = [];
  const spanOf = (edit: Edit): readonly [number, number] => {
    if (edit.source === 'timer') {
      const at = sweeps.find((sweep) => sweep.at === edit.receivedAt)?.at ?? 0;
      return [at, at];
    }
    const times = requests.find(({ id }) => id === edit.id)?.sentAt;
    if (times) return [times[0] ?? now, times.at(-1) ?? now];
    const history = drivers.find((driver) => driver.history.has(edit.id))?.history;
    return [history?.taps.find(({ id }) => id === edit.id)?.at ?? now, history?.acceptedAt.get(edit.id) ?? now];
  };
  for (const [i, edit] of edits.entries()) {
    const [from, to] = spanOf(edit);
    if (edit.receivedAt < from || edit.receivedAt > to)
      wrong.push(
        `${edit.id} was received at ${timeText(edit.receivedAt)}, not from ${timeText(from)} to ${timeText(to)}`,
      );
    for (const later of edits.slice(i + 1))
      if (spanOf(later)[1] < from) wrong.push(`${later.id} was accepted before ${edit.id} was made, and follows it`);
  }
  return wrong;
}

async function readHeader({ host, seed }: Evidence): Promise<Row | undefined> {
  const keys = [FACILITY, routeOf(seed).id, WEEK];
  return (await host.query('select * from PODDTA.RTHDRP where RHFAC = ? and RHRTE = ? and RHWKE = ?', keys))[0];
}

/** docs/host-files.md, RTHDRP: each column of the service. */
function wrongHeader(
  row: Row | undefined,
  { status, arrived, closedAt, closedBy }: RouteState,
  late: { readonly from: number; readonly to: number },
): string[] {
  const shown = ['RHPODS', 'RHRETM', 'RHCLBY', 'RHOPEN'].map((column) => row?.[column]);
  const expected = [status === 'C' ? 'C' : '', arrived ? 'Y' : '', closedBy ?? '', '0'];
  const wrong = isDeepStrictEqual(shown, expected)
    ? []
    : [`the route is ${shown.join('|')} on the host, not ${expected.join('|')}`];
  const shownLate = Number(row?.['RHLATE']);
  if (shownLate < late.from || shownLate > late.to)
    wrong.push(`the host counts ${shownLate} changes after the close, and there are ${late.from} to ${late.to}`);
  const at = momentIn(row ?? {}, 'RHCL');
  const isRight = at === undefined || closedAt === undefined ? at === closedAt : isNear(at, closedAt);
  return isRight ? wrong : [...wrong, `the route is closed at ${at && timeText(at)} on the host`];
}

/** A countdown on a phone counts by the server's time. */
export function wrongCountdowns({ drivers, now }: Pick<Evidence, 'drivers' | 'now'>): string[] {
  return drivers.flatMap(({ phone: { app, employee } }) => {
    if (app?.status.current.clockAheadMs === undefined || isNear(app.now(), now)) return [];
    return [`the phone of ${employee} counts down from ${timeText(app.now())}, and it is ${timeText(now)}`];
  });
}

/** The deadlines of a route as the phones have shown them so far. */
export class Deadlines {
  readonly #shown = new Map<string, string>();

  /** The first deadline wins: no phone shows a later one of the same timer, also where that one never comes true. */
  wrong({ drivers, seed }: Pick<Evidence, 'drivers' | 'seed'>): string[] {
    return drivers.flatMap(({ phone: { app, employee } }) => {
      const { autoclose_at, forceclose_at } = app?.route(routeOf(seed)).current ?? {};
      return Object.entries({ autoclose_at, forceclose_at }).flatMap(([name, at]) => {
        if (!at) return [];
        const first = this.#shown.get(name) ?? at;
        this.#shown.set(name, first);
        return first === at ? [] : [`the phone of ${employee} shows ${name} ${at}, and it was ${first}`];
      });
    });
  }
}
