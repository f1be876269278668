import type { OsdGroup, StopPlan, StopResult } from '@tailgate/sync-protocol';
import { evidenceOf } from '../../stops/named-assets.ts';
import { statusTime, statusWriter } from '../../stops/event-time.ts';
import { readPlan, readResult } from '../../stops/stored-documents.ts';
import type { StopSummary } from './contract.ts';
import { plannedAt, type PlannedDay } from './planned-times.ts';

/** A row of `summaryColumns`. */
export interface SummaryRow {
  readonly facility: string;
  readonly route_id: string;
  readonly week_end: string;
  readonly stop_id: number;
  readonly plan: string;
  readonly result: string;
  readonly version: number;
  readonly dispatched_on: string;
  readonly zone: string;
  readonly on_host: boolean;
  readonly parked_since: Date | null;
  readonly missing_files: number;
  /** Names of the route's drivers by employee id, also of former ones. */
  readonly names: Readonly<Record<string, string>>;
}

/** @param firstEta the clock of the route's first planned arrival, where it is known */
export function summaryOf(row: SummaryRow, firstEta = ''): StopSummary {
  const [plan, result] = [readPlan(row.plan), readResult(row.result)];
  const { facility, route_id, week_end, stop_id, dispatched_on, version, on_host, missing_files } = row;
  const zone = row.zone || 'UTC';
  const day: PlannedDay = { dispatchedOn: dispatched_on, zone, firstEta };
  const writer = statusWriter(result);
  return {
    facility,
    route_id,
    week_end,
    stop_id,
    sequence: plan.sequence,
    type: plan.type,
    customer: plan.customer.id,
    customer_name: plan.customer.name,
    city: plan.customer.location.city,
    invoices: plan.invoices.map(({ id }) => id),
    dispatched_on,
    zone,
    planned_at: plannedAt(plan.eta, day)?.toISOString() ?? null,
    status: result.status,
    status_at: result.status === 'P' ? null : (statusTime(result)?.toISOString() ?? null),
    status_by: writer === undefined || writer.by === '' ? null : writer.by,
    status_by_name: row.names[writer?.by ?? ''] ?? '',
    ...piecesOf(plan, result),
    exceptions: countExceptions(result),
    received_by: result.updates?.store_emp_name ?? '',
    files: evidenceOf(result).size,
    missing_files,
    version,
    on_host,
    parked_since: row.parked_since?.toISOString() ?? null,
  };
}

/** Pieces of products: planned, and recorded as delivered on any line, planned or not. */
function piecesOf({ products }: StopPlan, result: StopResult): Pick<StopSummary, 'planned' | 'delivered'> {
  const lines = Object.values(result.products ?? {});
  return {
    planned: products.reduce((sum, { quantity }) => sum + quantity, 0),
    delivered: lines.reduce((sum, { delivered }) => sum + (delivered ?? 0), 0),
  };
}

/** Recorded exceptions of lines and actions, and overage items. */
function countExceptions({ updates, products = {}, collections = {} }: StopResult): number {
  const entries = (groups: readonly OsdGroup[] = []): number => groups.reduce((sum, { data }) => sum + data.length, 0);
  return [...Object.values(products), ...Object.values(collections)].reduce(
    (sum, { osd_data, action_osd_data }) => sum + entries(osd_data) + entries(action_osd_data),
    updates?.overage_items?.length ?? 0,
  );
}
