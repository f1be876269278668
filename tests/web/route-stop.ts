import type { LocalStop } from '@tailgate/client-sdk';
import type { PlanProduct, ReferenceCode, StopPlan, StopResult } from '@tailgate/sync-protocol';
import { keyedLines, stopView } from '@tailgate/sync-protocol';

/** A product of a plan. */
export const goods = (id: string, quantity: number, more: Partial<PlanProduct> = {}): PlanProduct => ({
  id,
  name: `Item ${id}`,
  description: '',
  invoice: 'I1',
  quantity,
  box_upc: '',
  item_upc: '',
  section: 'CASES',
  container_type: 'CASE',
  trailer_area: 'DRY',
  required: false,
  count_in_totes: false,
  add_photos: false,
  action_type: '',
  ...more,
});

/** An item to collect. */
export const empties = (id: string, quantity: number, required = false): StopPlan['collections'][number] => {
  const { name, description, invoice, section, container_type, count_in_totes, add_photos } = goods(id, quantity);
  return { id, name, description, invoice, section, container_type, count_in_totes, add_photos, quantity, required };
};

/** A stop as the SDK shows it. */
export function stopOf(plan: Partial<StopPlan>, result: StopResult = { status: 'P' }): LocalStop {
  const whole: StopPlan = {
    id: 1,
    type: 'delivery',
    sequence: plan.id ?? 1,
    eta: '',
    customer: {
      id: 'C1',
      name: 'Corner Shop',
      verify_returns: false,
      contact: { phone: '', email: '', contact_email: '', salesrep: { id: '', name: '', phone: '' } },
      location: { address: [], city: '', state: '', zip: '', coordinates: { latitude: '', longitude: '' } },
    },
    invoices: [],
    products: [],
    collections: [],
    ...plan,
  };
  const view = stopView(whole, result);
  const keyed = <Line extends { readonly id: string; readonly invoice: string }>(lines: readonly Line[]) =>
    keyedLines(lines).map(({ line, key }) => ({ ...line, key }));
  return {
    ...view,
    products: keyed(view.products).map((line, i) => ({ ...line, trailer_area: whole.products[i]?.trailer_area ?? '' })),
    collections: keyed(view.collections),
    pending: 0,
    amended: [],
    unseen: [],
    conflicts: [],
    warnings: [],
    receipts: [],
    parked: false,
    draft: undefined,
  };
}

/** A reason of the office's list. */
export const reason = (code: string, category: string, asks: Partial<ReferenceCode> = {}): ReferenceCode => ({
  type: 'credit-reason',
  code,
  description: `Reason ${code}`,
  category,
  driver_visible: true,
  stop_type: '',
  requires_photo: false,
  requires_comment: false,
  sort: 0,
  ...asks,
});
