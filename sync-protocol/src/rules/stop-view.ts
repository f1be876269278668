import { filled } from './filled.ts';
import type { DeepReadonly } from '../schema/deep-readonly.ts';
import type { Customer, PlanProduct, StopPlan } from '../schema/stop-plan.ts';
import type { LineResult, OsdGroup, StopResult, StopStatus, StopUpdates } from '../schema/stops.ts';
import { keyedLines } from '../schema/stops.ts';

/** An exception group in responses, always with the v23 keys. */
export type OsdView = DeepReadonly<OsdGroup>;

/** A line of a stop in the documented response shape, with every field of the service. */
export interface LineUpdatesView {
  readonly delivered: number;
  readonly returned: number;
  readonly delivered_pallets: number | null;
  readonly accounting_complete: boolean;
  readonly image_ids: readonly string[] | null;
  readonly osd_data: readonly OsdView[];
}
export interface ActionView {
  /** Blank where neither plan nor driver has one. */
  readonly type: string;
  readonly updates: { readonly delivered: number; readonly osd_data: readonly OsdView[] };
}
/** A planned line of goods with its results. */
export interface ProductView extends Omit<PlanProduct, 'action_type' | 'trailer_area'> {
  readonly updates: LineUpdatesView;
  readonly action: ActionView | null;
}
/** A planned line that the driver collects, with its results. */
export interface CollectionView {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly invoice: string;
  readonly required: boolean;
  readonly count_in_totes: boolean;
  readonly add_photos: boolean;
  readonly container_type: string;
  readonly section: string;
  readonly quantity: number;
  readonly updates: LineUpdatesView;
  readonly action: ActionView;
}
/** Every field of the stop updates, with the documented null policy; interface.md part 2. */
export type StopUpdatesView = {
  readonly [Field in keyof Omit<StopUpdates, 'followup' | 'status'>]-?: DeepReadonly<
    Exclude<StopUpdates[Field], undefined>
  >;
} & { readonly status: StopStatus; readonly followup: boolean };
/** A stop as the app sees it: the plan with its results. Source: interface.md part 2. */
export interface StopView {
  readonly id: number;
  readonly type: StopPlan['type'];
  readonly sequence: number;
  readonly eta: string;
  readonly arrived: boolean;
  readonly updates: StopUpdatesView;
  readonly osd_emails: readonly string[];
  readonly customer: Customer;
  readonly invoices: StopPlan['invoices'];
  readonly products: readonly ProductView[];
  readonly collections: readonly CollectionView[];
}

/** Combines a plan and its result in the documented shape. The server's GET and the SDK's view share it. */
export function stopView(plan: StopPlan, result: StopResult): StopView {
  const updates = updatesView(result);
  return {
    id: plan.id,
    type: plan.type,
    sequence: plan.sequence,
    eta: plan.eta,
    arrived: result.arrived ?? false,
    updates,
    osd_emails: updates.osd_emails ?? [],
    customer: plan.customer,
    invoices: plan.invoices,
    products: keyedLines(plan.products).map(({ key, line: { action_type, trailer_area: _, ...product } }) => {
      const line = result.products?.[key];
      return { ...product, updates: lineView(line), action: actionView(line, action_type || null) };
    }),
    collections: keyedLines(plan.collections).map(({ key, line: collection }) => {
      const line = result.collections?.[key];
      return { ...collection, updates: lineView(line), action: actionView(line, 'collect') ?? collectAction };
    }),
  };
}

const collectAction: ActionView = { type: 'collect', updates: { delivered: 0, osd_data: [] } };

function lineView(line: LineResult | undefined): LineUpdatesView {
  return {
    delivered: line?.delivered ?? 0,
    returned: line?.returned ?? 0,
    delivered_pallets: line?.delivered_pallets ?? null,
    accounting_complete: line?.accounting_complete ?? false,
    image_ids: line?.image_ids?.length ? line.image_ids : null,
    osd_data: storedOsd(line?.osd_data),
  };
}

/** The view omits barcodes of itemized exceptions (interface.md part 2, storage rules). */
function actionView(line: LineResult | undefined, planned: string | null): ActionView | null {
  const type = line?.action_type ?? planned ?? '';
  const delivered = line?.action_delivered ?? 0;
  const osd = storedOsd(line?.action_osd_data).map((group) => ({
    ...group,
    data: group.data.map((entry) => ({ ...entry, barcodes: '' })),
  }));
  // Apps send an empty action with every line. It adds no action to a line without a planned one.
  if (type === '' && delivered === 0 && osd.length === 0) return null;
  return { type, updates: { delivered, osd_data: osd } };
}

/** A group without entries stores nothing (contract §4). */
const storedOsd = (groups: readonly OsdGroup[] | undefined): readonly OsdGroup[] =>
  groups?.filter((group) => group.data.length > 0) ?? [];

const updatesView = ({ status, updates = {} }: StopResult): StopUpdatesView => ({
  status,
  followup: updates.followup ?? (updates.followup_reason_code ?? '').trim() !== '',
  ...filled(blankUpdates, updates),
});

/** The documented null policy (interface.md part 2). */
const blankUpdates: Omit<StopUpdatesView, 'status' | 'followup'> = {
  followup_reason_code: '',
  start_delivery_time: null,
  end_delivery_time: null,
  delivery_latitude: '',
  delivery_longitude: '',
  delivered_by_driver_id: null,
  store_emp_id: null,
  store_emp_name: null,
  driver_comments: null,
  skip_refuse_reason_code: '',
  skip_refuse_timestamp: '',
  skip_refuse_driver_comment: '',
  signature_id: null,
  osd_emails: [],
  overage_items: [],
};
