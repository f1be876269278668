import * as z from '#schema';

export const warning = z.object({ code: z.string(), path: z.string(), message: z.string() });

/**
 * The answer to one mutation. `applied` and `duplicate` have the route version that contains it. The mutation is on the
 * host when the route's `hosted_through` reaches that version and the stop is not parked. A report belongs to no route
 * and has no version. `quarantined` is final for the queue: the office decides about the mutation.
 */
export const mutationResult = z.object({
  seq: z.number(),
  id: z.string(),
  result: z.enum(['applied', 'duplicate', 'quarantined']),
  version: z.optional(z.number()),
  status: z.optional(z.string()),
  warnings: z.optional(z.array(warning)),
  code: z.optional(z.string()),
  reason: z.optional(z.string()),
  details: z.optional(z.array(z.object({ path: z.string(), message: z.string() }))),
});
export type MutationResult = z.infer<typeof mutationResult>;
