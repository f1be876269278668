import type { StopPlan } from '@tailgate/sync-protocol';

/** The digest of a plan that the rules need: item, invoice, ordered quantity. Kept beside the plan to spare its parsing. */
export interface PlanLines {
  readonly products: readonly PlanLine[];
  readonly collections: readonly PlanLine[];
}
export type PlanLine = readonly [id: string, invoice: string, quantity: number];

export const planLines = (plan: Pick<StopPlan, 'products' | 'collections'>): PlanLines => ({
  products: plan.products.map((line) => [line.id, line.invoice, line.quantity]),
  collections: plan.collections.map((line) => [line.id, line.invoice, line.quantity]),
});
