import { isDeepStrictEqual } from 'node:util';
import type { LocalStop } from '@tailgate/client-sdk';
import type { StopValues } from './diary.ts';
import { fields, latestOf, REPORT } from './diary.ts';
import { exceptionsIn } from './exceptions.ts';
import type { Edit, Evidence, OfficeEdit } from './evidence.ts';
import { isFollowing, wrongAssignments } from './assignments.ts';
import { isOfSecondRoute, LATE_STOP, placeOf, stopsOf } from './fixture.ts';
import { wrongHostFiles } from './host-files.ts';
import { type HostStop, readHost, valuesOnHost, wrongHostRows } from './host-rows.ts';
import { completionLast, isCompletion, wrongClosing } from './closing.ts';
import { wrongIncidents, wrongOrder, wrongQueues } from './copies.ts';
import { wrongAccounts } from './accounts.ts';
import { isRefused, wrongParkedRows, wrongParking } from './parked-stops.ts';
import { wrongLeaves } from './log-leaves.ts';
import { wrongMails } from './mails.ts';
import { wrongOfOffice } from './office-edits.ts';
import { wrongPlans } from './plan.ts';
import { wrongReports } from './reports.ts';
import { lostIn, wrongLosses } from './restores.ts';
import { wrongReviews } from './rulings.ts';
import { wrongFiles } from './stored-files.ts';
import { timeText } from './moments.ts';
import { isSurelyBefore, readEdits, wrongTimes } from './truth.ts';

// Checks of docs/architecture.md against the real state. The model imports no code of the product: a house test
// enforces that.

/** The values that a stop shows on a phone. */
export interface ShownStop {
  readonly status: string;
  readonly driver_comments: string;
  readonly store_emp_name: string;
  readonly signature_id: string;
  readonly delivered: number;
  readonly returned: number;
  readonly exceptions: string;
  readonly arrived: boolean;
  readonly skip_refuse_reason_code: string;
  readonly skip_refuse_driver_comment: string;
}

export const stopAfter = (values: StopValues): ShownStop => ({
  status: values.status ?? 'P',
  driver_comments: values.driver_comments ?? '',
  store_emp_name: values.store_emp_name ?? '',
  signature_id: values.signature_id ?? '',
  delivered: values.delivered ?? 0,
  returned: values.returned ?? 0,
  exceptions: values.exceptions ?? '',
  arrived: values.arrived ?? false,
  skip_refuse_reason_code: values.skip_refuse_reason_code ?? '',
  skip_refuse_driver_comment: values.skip_refuse_driver_comment ?? '',
});

export const stopOf = ({ arrived, updates, products: [eggs, milk] }: LocalStop): ShownStop => ({
  status: updates.status,
  driver_comments: updates.driver_comments ?? '',
  store_emp_name: updates.store_emp_name ?? '',
  signature_id: updates.signature_id ?? '',
  delivered: eggs?.updates.delivered ?? 0,
  returned: milk?.updates.returned ?? 0,
  exceptions: exceptionsIn(eggs?.updates.osd_data ?? []),
  arrived,
  skip_refuse_reason_code: updates.skip_refuse_reason_code ?? '',
  skip_refuse_driver_comment: updates.skip_refuse_driver_comment ?? '',
});

/** A change whose receipt reports that the host has it. */
export interface Hosted {
  readonly id: string;
  readonly stop: number;
}

/**
 * Receipts that report a state too early (I4, I10). The check runs as soon as a receipt changes. `on_host` means that
 * the host has each value of the change, or the value of an edit that is not surely earlier.
 */
export async function prematureReceipts(
  evidence: Evidence,
  accepted: readonly string[],
  hosted: readonly Hosted[],
): Promise<string[]> {
  if (accepted.length === 0) return [];
  const edits = await readEdits(evidence);
  const known = new Map(edits.map((edit) => [edit.id, edit]));
  const wrong = accepted
    // A receipt from before a restore may arrive after it.
    .filter((id) => !known.has(id) && !evidence.restores.hasLost(id))
    .map((id) => `${id} is accepted by its receipt, and the ledger does not have it`);
  if (hosted.length === 0) return wrong;
  const onHost = await readHost(evidence);
  wrong.push(...wrongNumbers(evidence, onHost));
  for (const { id, stop } of hosted) {
    const [edit, row] = [known.get(id), onHost.get(stop)];
    if (!edit) continue;
    if (!row) {
      wrong.push(`${id} is on_host by its receipt, and the host has no row of stop ${stop}`);
      continue;
    }
    const shown = valuesOnHost(row);
    // A clerk's correction is on the host before it is in the ledger. A restored server may date it by its discovery.
    const mayCount = (other: OfficeEdit): boolean => evidence.restores.hasHappened || !isSurelyBefore(other, edit);
    const others = [
      ...edits.filter((other) => other.stop === stop && !isEarlier(other, edit)),
      ...evidence.office.edits.filter((other) => other.stop === stop && mayCount(other)),
      ...lostIn(evidence).filter((other) => other.stop === stop && !isSurelyBefore(other, edit)),
    ];
    for (const field of fields) {
      const value = edit.values?.[field];
      if (value === undefined || !(field in shown) || shown[field] === value) continue;
      if (!others.some(({ values }) => values?.[field] === shown[field]))
        wrong.push(`${id} is on_host by its receipt, and the host has ${field} ${String(shown[field])}, not ${value}`);
    }
  }
  return wrong;
}

const wrongNumbers = ({ exceptionNumbers }: Evidence, onHost: ReadonlyMap<number, HostStop>): string[] =>
  [...onHost].flatMap(([stop, { exceptions }]) => exceptionNumbers.check(stop, exceptions));

/** Certainly overruled: by true time, or as an earlier item of the same queue. */
const isEarlier = (one: Edit, other: Edit): boolean =>
  !isCompletion(one) &&
  (isSurelyBefore(one, other) ||
    (one.clientId !== null && one.clientId === other.clientId && Number(one.seq) < Number(other.seq)));

/** The checks of an idle world. */
export async function violations(evidence: Evidence): Promise<string[]> {
  const edits = await readEdits(evidence);
  const of = (source: Edit['source']): Edit[] => edits.filter((edit) => edit.source === source);
  return [
    ...wrongInLedger(of('sync'), evidence),
    ...wrongQueues(of('sync'), evidence),
    ...wrongByRest(of('rest'), evidence),
    ...wrongLosses(edits, evidence),
    ...wrongOfOffice(of('office'), evidence),
    ...wrongTimes(edits),
    ...wrongPlans(evidence),
    ...wrongAssignments(evidence),
    ...wrongMails(edits, evidence),
    ...(await wrongReports(evidence)),
    ...(await wrongFiles(evidence)),
    ...(await wrongClosing(evidence, edits)),
    ...(await wrongHostFiles(evidence)),
    ...(await wrongReviews(evidence)),
    ...(await wrongAccounts(evidence)),
    ...(await wrongIncidents(of('sync'), evidence)),
    ...(await wrongLeaves(evidence)),
    ...(await wrongAnywhere(evidence, edits)),
  ];
}

/** No change is lost, duplicated, reordered, altered, or attributed to another driver. */
function wrongInLedger(all: readonly Edit[], { drivers, rulings, copies }: Evidence): string[] {
  const wrong: string[] = [];
  const strangers = all.filter(({ values }) => values === undefined);
  for (const { id, employee } of strangers) wrong.push(`${id} is in the ledger, and ${employee} has not recorded it`);
  for (const { history, employee } of drivers) {
    const isCopied = copies.ofDriver(employee) > 0;
    const own = all.filter((edit) => edit.employee === employee && history.has(edit.id));
    // The queues of copies have no order among themselves, but in the driver's diary.
    const edits = isCopied ? history.ids.flatMap((id) => own.filter((edit) => edit.id === id)) : own;
    const ids = edits.map(({ id }) => id);
    const isReleased = ({ id }: Edit): boolean => rulings.releases.has(id);
    const recorded = history.ids.filter((id) => !rulings.dismissals.has(id) || rulings.releases.has(id));
    if (!isDeepStrictEqual(ids, recorded))
      wrong.push(`${employee} recorded ${recorded.join(' ')}, and the ledger has ${ids.join(' ')}`);
    const hasPlace = ({ id }: Edit): boolean => !history.isStray(id) && !(isCopied && copies.hasLost(id));
    if (isCopied) wrong.push(...wrongOrder(edits.filter(hasPlace)));
    for (const [i, edit] of edits.entries()) {
      if (!isDeepStrictEqual(edit.stored, edit.values))
        wrong.push(`${edit.id} contains ${JSON.stringify(edit.stored)}, recorded was ${JSON.stringify(edit.values)}`);
      const stop = history.taps.find(({ id }) => id === edit.id)?.stop;
      if (stop !== undefined && stop !== edit.stop)
        wrong.push(`${edit.id} is of stop ${edit.stop}, recorded was ${stop}`);
      const before = edits[i - 1];
      // A released change comes to the route when the operator decides.
      const isSameRoute = ({ stop: at }: Edit): boolean =>
        at !== REPORT && isOfSecondRoute(at) === isOfSecondRoute(edit.stop);
      const beforeOnRoute = edits
        .slice(0, i)
        .findLast((other) => isSameRoute(other) && !isReleased(other) && hasPlace(other));
      const isOrdered = edit.stop !== REPORT && !isReleased(edit) && hasPlace(edit);
      if (isOrdered && beforeOnRoute && beforeOnRoute.version > edit.version)
        wrong.push(`${edit.id} follows ${beforeOnRoute.id} in its queue, and came before it on the route`);
      if (!isCopied && before && before.editTime > edit.editTime)
        wrong.push(`${edit.id} follows ${before.id} in its queue, and has an earlier edit time`);
    }
  }
  return wrong;
}

/**
 * Each REST request is in the ledger once, no matter how often it was sent, with its content, its author, and the
 * time of one of its sendings. A restored server does not get an answered one again.
 */
function wrongByRest(edits: readonly Edit[], { requests: sent, restores }: Evidence): string[] {
  const matched = new Map(edits.map((edit) => [edit.id, edit]));
  const requests = sent.filter(({ id, isAnswered }) => !isAnswered || !restores.hasLost(id));
  const wrong = requests.flatMap(({ id, values, stop, employee, sentAt }) => {
    const edit = matched.get(id);
    if (!edit) return [`the ledger does not have the REST request ${id}`];
    const stored = { stop: edit.stop, employee: edit.employee, values: edit.stored };
    if (!isDeepStrictEqual(stored, { stop, employee, values }))
      return [
        `the REST request ${id} was ${JSON.stringify({ stop, employee, values })}, not ${JSON.stringify(stored)}`,
      ];
    if (sentAt.includes(edit.editTime)) return [];
    return [`the REST request ${id} has the time ${timeText(edit.editTime)}, when it was not sent`];
  });
  return matched.size === requests.length ? wrong : [...wrong, 'the ledger has REST entries without a request'];
}

/**
 * Every phone and the host show the value of the latest edit (I7). `wrongTimes` compares the ledger's times with the
 * true ones; edits that are nearer than a measurement count by the ledger's time, then queue, then sequence.
 */
async function wrongAnywhere(evidence: Evidence, edits: readonly Edit[]): Promise<string[]> {
  const { seed, drivers, office } = evidence;
  const wrong: string[] = [];
  // The sort is stable: with equal edit times, the order of queues and sequences stays.
  const ordered = edits.toSorted((a, b) => a.editTime - b.editTime);
  const onHost = await readHost(evidence);
  wrong.push(...wrongNumbers(evidence, onHost), ...(await wrongParking(evidence, ordered)));
  for (const stop of [...stopsOf(seed), ...(office.plan.quantities.length >= LATE_STOP ? [LATE_STOP] : [])]) {
    const ofStop = completionLast(ordered.filter((edit) => edit.stop === stop));
    const expected = stopAfter(latestOf(ofStop.map(({ values }) => ({ values: values ?? {} }))));
    const place = placeOf(seed, stop);
    for (const { phone } of drivers.filter((driver) => isFollowing(evidence, driver, stop))) {
      const local = phone.app?.stop(place.stop, place.route).current;
      const shown = local && stopOf(local);
      if (!isDeepStrictEqual(shown, expected))
        wrong.push(
          `stop ${stop} reads ${JSON.stringify(shown)} on the phone of ${phone.employee}, not ${JSON.stringify(expected)}`,
        );
    }
    if (isRefused(ofStop)) wrong.push(...wrongParkedRows(stop, ofStop, onHost.get(stop)));
    else if (ofStop.length > 0) wrong.push(...wrongHostRows(stop, ofStop, onHost.get(stop), evidence));
    else if (onHost.has(stop)) wrong.push(`the host has a row of stop ${stop}, which has no edit`);
  }
  return wrong;
}
