import type { RouteKey, StopPlan, StopResult, StopStatus } from '@tailgate/sync-protocol';
import { markHidden } from '../runtime/hidden-characters.ts';
import { eventTime } from '../stops/event-time.ts';
import { clockOf, zoneName } from './local-clock.ts';
import type { DeliverySummary, Fact, SummaryTables } from './summary.ts';
import { counted, summaryTables } from './summary-tables.ts';

/** A stop, and the names for its description. */
export interface SummarizedStop {
  readonly route: RouteKey & { readonly name: string };
  /** Name of the facility; blank where unknown. */
  readonly facility: string;
  readonly plan: StopPlan;
  readonly result: StopResult;
  /** IANA zone of the facility. */
  readonly zone: string;
  /** Names of the route's drivers, by employee. */
  readonly drivers: Readonly<Record<string, string>>;
  /** The meaning of a reason code; blank where unknown. */
  readonly reason: (type: 'credit-reason' | 'stop-exception', code: string) => string;
}

/** Builds the summary of a stop in its present state. Pure. */
export function deliverySummary(stop: SummarizedStop): DeliverySummary {
  const { plan, result, reason } = stop;
  const tables = summaryTables(plan, result, (code) => reason('credit-reason', code));
  const exceptionCount = tables.exceptions.reduce((sum, line) => sum + line.entries.length, tables.overage.length);
  const updates = result.updates ?? {};
  const receiver = updates.store_emp_name || updates.store_emp_id || '';
  const { salesrep } = plan.customer.contact;
  const customer = plan.customer.name || `Stop ${plan.id}`;
  const headline = `${statusWords[result.status]}${exceptionCount > 0 ? ' with exceptions' : ''}`;
  return {
    ...tables,
    subject: oneLine(`${headline}: ${customer}, route ${stop.route.id}, stop ${plan.id}`),
    status: result.status,
    statusWords: statusWords[result.status],
    customer,
    facility: stop.facility || stop.route.facility,
    lead: introductionOf(stop, receiver, exceptionCount),
    totals: totalsOf(tables, exceptionCount),
    facts: factsOf(stop).filter(({ value }) => value !== ''),
    comment: (isSkipped(result.status) && updates.skip_refuse_driver_comment) || updates.driver_comments || '',
    signature: updates.signature_id ? { asset: updates.signature_id, caption: receiver || 'the receiver' } : undefined,
    exceptionCount,
    zone: zoneName(stop.zone),
    contact: [salesrep.name, salesrep.phone].filter(Boolean).join(', '),
  };
}

const statusWords: Record<StopStatus, string> = {
  P: 'Not delivered yet',
  D: 'Delivered',
  S: 'Skipped',
  R: 'Refused',
  C: 'Complete',
};

/** A line break in a name starts no header, and no character in it reverses the rest of the line. */
const oneLine = (text: string): string => markHidden(text.replaceAll(/\s+/g, ' ').trim());

const isSkipped = (status: StopStatus): boolean => status === 'S' || status === 'R';

function introductionOf(stop: SummarizedStop, receiver: string, exceptionCount: number): string {
  const { result, zone } = stop;
  const when = result.status === 'P' ? '' : clockOf(eventTime(result)?.toISOString(), zone);
  const received = result.status === 'D' && receiver ? ` Received by ${receiver}.` : '';
  const why = reasonOf(stop) && ` ${reasonOf(stop)}.`;
  const wrong = exceptionCount > 0 ? ` ${counted(exceptionCount, 'exception')}.` : '';
  return `${statusWords[result.status]}${when && ` on ${when}`}.${why}${received}${wrong}`;
}

function totalsOf({ products, collections }: SummaryTables, exceptionCount: number): Fact[] {
  const lines = products.flatMap((group) => group.lines);
  const delivered = totalOf(lines.map((line) => line.delivered));
  const ordered = totalOf(lines.map((line) => line.ordered));
  const returned = totalOf(lines.map((line) => line.returned));
  const collected = totalOf(collections.map((line) => line.returned));
  const expected = totalOf(collections.map((line) => line.ordered));
  return [
    { label: 'Delivered', value: delivered === undefined ? '' : partOf(delivered, ordered) },
    { label: 'Returned', value: returned ? String(returned) : '' },
    { label: 'Exceptions', value: exceptionCount > 0 ? String(exceptionCount) : '' },
    { label: 'Collected', value: collected === undefined ? '' : partOf(collected, expected) },
  ].filter(({ value }) => value !== '');
}

/** Undefined without any record. */
function totalOf(counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length > 0 ? known.reduce((sum, count) => sum + count, 0) : undefined;
}

const partOf = (some: number, all: number | undefined): string => (all ? `${some} of ${all}` : String(some));

/** Why the stop was skipped or refused, with the code; blank without a reason. */
function reasonOf({ result, reason }: SummarizedStop): string {
  const code = isSkipped(result.status) ? (result.updates?.skip_refuse_reason_code ?? '') : '';
  const words = code && reason('stop-exception', code);
  return words ? `${words} (${code})` : code && `Code ${code}`;
}

function factsOf(stop: SummarizedStop): Fact[] {
  const { route, plan, result, zone, drivers } = stop;
  const { customer, invoices } = plan;
  const { location } = customer;
  const updates = result.updates ?? {};
  const driver = updates.delivered_by_driver_id ?? '';
  const place = [location.city, [location.state, location.zip].filter(Boolean).join(' ')].filter(Boolean).join(', ');
  return [
    { label: 'Reason', value: reasonOf(stop) },
    { label: 'Received by', value: withId(updates.store_emp_name, updates.store_emp_id) },
    { label: 'Started', value: clockOf(updates.start_delivery_time, zone) },
    { label: 'Finished', value: clockOf(updates.end_delivery_time, zone) },
    { label: 'Customer', value: withId(customer.name, customer.id) },
    { label: 'Address', value: [...location.address, place].filter(Boolean).join('\n') },
    {
      label: invoices.length === 1 ? 'Invoice' : 'Invoices',
      value: invoices.map(({ id, date }) => (date ? `${id}, ${date}` : id)).join('\n'),
    },
    { label: 'Route', value: [`${route.id}, stop ${plan.id}`, route.name].filter(Boolean).join('\n') },
    { label: 'Driver', value: drivers[driver] || driver },
  ];
}

/** `Sam Storekeeper (4711)`, or the part that is known. */
const withId = (name: string | null | undefined, id: string | null | undefined): string =>
  name && id ? `${name} (${id})` : name || id || '';
