import type { StopPayload, StopPlan } from '@tailgate/sync-protocol';
import type { LineChange, StopChange } from './any-route.ts';

// The expected stops of GET route, written from interface.md and contract §4 alone: no rule of the product is used.

interface Line {
  readonly id: string;
  readonly invoice: string;
}
type OsdInput = NonNullable<LineChange['updates']>['osd_data'];
type OsdAnswer = StopPayload['products'][number]['updates']['osd_data'];

interface LineState {
  delivered?: number;
  returned?: number;
  accounting_complete?: boolean;
  image_ids?: readonly string[];
  osd_data?: OsdInput;
  action_type?: string;
  action_delivered?: number;
  action_osd?: OsdInput;
}

/** The lines of a plan that a driver changes, in the plan's order, as PUT route/stop takes them. */
export function linesOf(planned: readonly Line[], change: Readonly<Record<string, LineChange>>) {
  return planned.flatMap(({ id, invoice }) => {
    const lineChange = change[`${id} ${invoice}`];
    return lineChange ? [{ id, invoice, ...lineChange }] : [];
  });
}

export class StopModel {
  readonly #plan: StopPlan;
  readonly #products: LineState[];
  readonly #collections: LineState[];
  readonly #updates: { -readonly [Field in keyof StopPayload['updates']]?: StopPayload['updates'][Field] } = {};
  #status: StopPayload['updates']['status'] = 'P';
  #followup: boolean | null = null;
  #reason: string | null = null;

  constructor(plan: StopPlan) {
    this.#plan = plan;
    this.#products = plan.products.map(() => ({}));
    this.#collections = plan.collections.map(() => ({}));
  }

  /** A driver's change; later values replace earlier ones, field by field. */
  take({ updates, lines, returns }: StopChange, sender: string): void {
    for (const [i, { id, invoice }] of this.#plan.products.entries())
      applyLine(this.#products[i], lines[`${id} ${invoice}`]);
    for (const [i, { id, invoice }] of this.#plan.collections.entries())
      applyLine(this.#collections[i], returns[`${id} ${invoice}`]);
    if (!updates) return;
    const { status, followup, followup_reason_code, delivered_by_driver_id: deliverer } = updates;
    // A stop never becomes pending again.
    if (status !== undefined && status !== 'P') this.#status = status;
    if (followup !== undefined) this.#followup = followup;
    if (followup_reason_code !== undefined) this.#reason = followup_reason_code;
    if (status === 'D' || deliverer)
      this.#updates.delivered_by_driver_id = deliverer === '1001' || deliverer === '1002' ? deliverer : sender;
    else if (deliverer !== undefined) this.#updates.delivered_by_driver_id = null;
    for (const field of ['store_emp_id', 'store_emp_name', 'driver_comments'] as const)
      if (updates[field] !== undefined) this.#updates[field] = updates[field] || null;
    // A signature is evidence.
    if (updates.signature_id) this.#updates.signature_id = updates.signature_id;
    if (updates.osd_emails !== undefined) this.#updates.osd_emails = updates.osd_emails ?? [];
    if (updates.overage_items !== undefined)
      this.#updates.overage_items = updates.overage_items.map((item) => ({ ...item, osd_code: String(item.osd_code) }));
  }

  expected(): StopPayload {
    const { id, type, customer, invoices, products, collections } = this.#plan;
    const osd_emails = this.#updates.osd_emails ?? [];
    return {
      id,
      type,
      updates: {
        status: this.#status,
        followup: this.#followup ?? (this.#reason ?? '').trim() !== '',
        delivered_by_driver_id: null,
        store_emp_id: null,
        store_emp_name: null,
        driver_comments: null,
        signature_id: null,
        overage_items: [],
        ...this.#updates,
        osd_emails,
      },
      osd_emails,
      customer,
      invoices,
      products: products.map((planned, i) => {
        const { id: item, name, description, invoice, quantity, box_upc, item_upc, section } = planned;
        const state = this.#products[i] ?? {};
        return {
          ...{ id: item, name, description, invoice, quantity, box_upc, item_upc, section },
          updates: {
            delivered: state.delivered ?? 0,
            accounting_complete: state.accounting_complete ?? false,
            image_ids: state.image_ids?.length ? state.image_ids : null,
            osd_data: shownOsd(state.osd_data, true),
          },
          action: shownAction(state, planned.action_type),
        };
      }),
      collections: collections.map(({ invoice: _, ...line }, i) => {
        const state = this.#collections[i] ?? {};
        return {
          ...line,
          updates: { returned: state.returned ?? 0, osd_data: shownOsd(state.osd_data, true) },
          action: shownAction(state, 'collect') ?? { type: 'collect', updates: { delivered: 0, osd_data: [] } },
        };
      }),
    };
  }
}

function applyLine(state: LineState = {}, change: LineChange | undefined): void {
  const { updates, action } = change ?? {};
  if (updates?.delivered !== undefined) state.delivered = updates.delivered ?? 0;
  if (updates?.returned !== undefined) state.returned = updates.returned ?? 0;
  if (updates?.accounting_complete !== undefined) state.accounting_complete = updates.accounting_complete ?? false;
  // Photos are evidence: only an empty list clears them.
  if (updates?.image_ids)
    state.image_ids = typeof updates.image_ids === 'string' ? [updates.image_ids] : updates.image_ids;
  if (updates?.osd_data !== undefined) state.osd_data = updates.osd_data ?? [];
  if (action?.type !== undefined) state.action_type = action.type ?? '';
  if (action?.updates?.delivered === null) delete state.action_delivered;
  else if (action?.updates?.delivered !== undefined) state.action_delivered = action.updates.delivered;
  if (action?.updates?.osd_data !== undefined) state.action_osd = action.updates.osd_data;
}

function shownAction(state: LineState, planned: string): StopPayload['products'][number]['action'] {
  const type = state.action_type || planned;
  const updates = { delivered: state.action_delivered ?? 0, osd_data: shownOsd(state.action_osd, false) };
  // An empty action makes none where none was planned.
  return type === '' && updates.delivered === 0 && updates.osd_data.length === 0 ? null : { type, updates };
}

/** Groups without entries store nothing; the others keep their order and their entries. */
function shownOsd(groups: OsdInput, withBarcodes: boolean): OsdAnswer {
  return (groups ?? [])
    .filter(({ data }) => data.length > 0)
    .map((group) => ({
      osd_id: ('osd_id' in group && group.osd_id) || null,
      osd_code: String(group.osd_code),
      data: group.data.map((entry) => ({
        osd_parent: ('osd_parent' in entry && entry.osd_parent) || null,
        comment: entry.comment,
        quantity: entry.quantity,
        images_id: entry.images_id,
        barcodes: withBarcodes ? entry.barcodes : '',
        quantity_type: ('quantity_type' in entry && entry.quantity_type) || null,
      })),
    }));
}
