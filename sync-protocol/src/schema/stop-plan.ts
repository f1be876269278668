import * as z from '#schema';
import type { DeepReadonly } from './deep-readonly.ts';

// The plan: the part of a stop that the host owns.

const flags = { required: z.boolean(), count_in_totes: z.boolean(), add_photos: z.boolean() };

export const planProduct = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  invoice: z.string(),
  quantity: z.number(),
  box_upc: z.string(),
  item_upc: z.string(),
  section: z.string(),
  container_type: z.string(),
  trailer_area: z.string(),
  ...flags,
  /** `scan`, `count`, `deliver`… or blank. Blank makes the payload's `action` null. */
  action_type: z.string(),
});
export type PlanProduct = DeepReadonly<z.infer<typeof planProduct>>;

export const planCollection = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  invoice: z.string(),
  quantity: z.number(),
  section: z.string(),
  container_type: z.string(),
  ...flags,
});
export type PlanCollection = DeepReadonly<z.infer<typeof planCollection>>;

export const customer = z.object({
  id: z.string(),
  name: z.string(),
  verify_returns: z.boolean(),
  contact: z.object({
    phone: z.string(),
    email: z.string(),
    contact_email: z.string(),
    salesrep: z.object({ id: z.string(), name: z.string(), phone: z.string() }),
  }),
  location: z.object({
    address: z.array(z.string()),
    city: z.string(),
    state: z.string(),
    zip: z.string(),
    coordinates: z.object({ latitude: z.string(), longitude: z.string() }),
  }),
});
export type Customer = DeepReadonly<z.infer<typeof customer>>;

/** Products and collections are in host order; line keys count occurrences in that order. */
export const stopPlan = z.object({
  id: z.number(),
  type: z.enum(['delivery', 'backhaul', 'warehouse']),
  sequence: z.number(),
  /** Planned arrival, HHMMSS at the facility, or blank. */
  eta: z.string(),
  customer,
  invoices: z.array(z.object({ id: z.string(), date: z.string() })),
  products: z.array(planProduct),
  collections: z.array(planCollection),
});
export type StopPlan = DeepReadonly<z.infer<typeof stopPlan>>;
