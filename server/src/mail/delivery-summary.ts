import type { LineResult, OsdGroup, RouteKey, StopPlan, StopResult, StopStatus } from '@tailgate/sync-protocol';
import { lineKey } from '@tailgate/sync-protocol';
import { clockOf } from './local-clock.ts';

/** A stop, and what is needed to speak of it to a customer. */
export interface SummarizedStop {
  readonly route: RouteKey & { readonly name: string };
  readonly plan: StopPlan;
  readonly result: StopResult;
  /** IANA zone of the facility. */
  readonly zone: string;
  /** Names of the route's drivers, by employee. */
  readonly drivers: Readonly<Record<string, string>>;
  /** What a reason code means; blank where nobody knows. */
  readonly reason: (type: 'credit-reason' | 'stop-exception', code: string) => string;
}

export interface DeliverySummary {
  readonly title: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly tables: readonly SummaryTable[];
}

export interface SummaryTable {
  readonly heading: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What a delivery summary says, in order; how it looks is `render-summary.ts`. Nothing that was not recorded is told. */
export function deliverySummary(stop: SummarizedStop): DeliverySummary {
  const { plan, result } = stop;
  return {
    title: `${plan.customer.name || `Stop ${plan.id}`}: ${statusWords[result.status]}`,
    facts: factsOf(stop).filter(({ value }) => value !== ''),
    tables: [productsOf(stop), collectionsOf(stop), exceptionsOf(stop)].filter(({ rows }) => rows.length > 0),
  };
}

export const statusWords: Record<StopStatus, string> = {
  P: 'pending',
  D: 'delivered',
  S: 'skipped',
  R: 'refused',
  C: 'complete',
};

function factsOf({ route, plan, result, zone, drivers, reason }: SummarizedStop): { label: string; value: string }[] {
  const { customer, invoices } = plan;
  const { location } = customer;
  const updates = result.updates ?? {};
  const skipped = result.status === 'S' || result.status === 'R';
  const code = skipped ? (updates.skip_refuse_reason_code ?? '') : '';
  const driver = updates.delivered_by_driver_id ?? '';
  const place = [location.city, [location.state, location.zip].filter(Boolean).join(' ')].filter(Boolean).join(', ');
  return [
    { label: 'Customer', value: [customer.name, customer.id].filter(Boolean).join(', ') },
    { label: 'Address', value: [...location.address, place].filter(Boolean).join(', ') },
    { label: 'Route', value: [route.id, route.name].filter(Boolean).join(', ') },
    { label: 'Stop', value: String(plan.id) },
    { label: 'Invoices', value: invoices.map(({ id }) => id).join(', ') },
    { label: 'Status', value: statusWords[result.status] },
    { label: 'Reason', value: [code, code && reason('stop-exception', code)].filter(Boolean).join(' ') },
    { label: 'Started', value: clockOf(updates.start_delivery_time, zone) },
    { label: 'Finished', value: clockOf(updates.end_delivery_time, zone) },
    { label: 'Driver', value: drivers[driver] || driver },
    { label: 'Received by', value: updates.store_emp_name || updates.store_emp_id || '' },
    { label: 'Signature', value: updates.signature_id ? 'on file' : '' },
    { label: 'Comment', value: (skipped && updates.skip_refuse_driver_comment) || updates.driver_comments || '' },
  ];
}

function productsOf({ plan, result }: SummarizedStop): SummaryTable {
  const lines = linesOf(plan.products, result.products);
  const rows = lines.map(({ id, invoice, planned, line }) => [
    planned?.name || id,
    invoice,
    written(planned?.quantity),
    written(line?.delivered ?? line?.action_delivered),
    written(line?.returned),
  ]);
  return { heading: 'Items', columns: ['Item', 'Invoice', 'Ordered', 'Delivered', 'Returned'], rows };
}

function collectionsOf({ plan, result }: SummarizedStop): SummaryTable {
  const lines = linesOf(plan.collections, result.collections);
  const rows = lines.map(({ id, planned, line }) => [
    planned?.name || id,
    written(planned?.quantity),
    written(line?.returned ?? line?.action_delivered),
  ]);
  return { heading: 'Collected', columns: ['Item', 'Expected', 'Collected'], rows };
}

function exceptionsOf({ plan, result, reason }: SummarizedStop): SummaryTable {
  const meaning = (code: string): string => [code, reason('credit-reason', code)].filter(Boolean).join(' ');
  const ofGroups = (name: string, groups: readonly OsdGroup[] = []): string[][] =>
    groups.flatMap(({ osd_code, data }) =>
      data.map(({ quantity, quantity_type, comment }) => [
        name,
        meaning(osd_code),
        [written(quantity), quantity_type].filter(Boolean).join(' '),
        comment,
      ]),
    );
  const lines = [...linesOf(plan.products, result.products), ...linesOf(plan.collections, result.collections)];
  const rows = [
    ...lines.flatMap(({ id, planned, line }) => [
      ...ofGroups(planned?.name || id, line?.osd_data),
      ...ofGroups(planned?.name || id, line?.action_osd_data),
    ]),
    ...(result.updates?.overage_items ?? []).map(({ barcode, osd_code, quantity, comment }) => [
      `Not ordered${barcode && `: ${barcode}`}`,
      meaning(osd_code),
      written(quantity),
      comment,
    ]),
  ];
  return { heading: 'Exceptions', columns: ['Item', 'Reason', 'Quantity', 'Comment'], rows };
}

interface SummaryLine<Planned> {
  readonly id: string;
  readonly invoice: string;
  readonly planned: Planned | undefined;
  readonly line: LineResult | undefined;
}

/** The manifest in its order with what was recorded of each line, then what was recorded beyond it. */
function linesOf<Planned extends { readonly id: string; readonly invoice: string }>(
  plan: readonly Planned[],
  results: Readonly<Record<string, LineResult>> = {},
): SummaryLine<Planned>[] {
  const seen = new Map<string, number>();
  const left = new Map(Object.entries(results));
  const lines = plan.map((planned): SummaryLine<Planned> => {
    const { id, invoice } = planned;
    const pair = lineKey(id, invoice, 0);
    const n = seen.get(pair) ?? 0;
    seen.set(pair, n + 1);
    const line = left.get(lineKey(id, invoice, n));
    left.delete(lineKey(id, invoice, n));
    return { id, invoice, planned, line };
  });
  return [...lines, ...[...left.values()].map((line) => ({ ...line, planned: undefined, line }))];
}

/** A count that nobody recorded is not zero. */
const written = (count: number | null | undefined): string => count?.toString() ?? '';
