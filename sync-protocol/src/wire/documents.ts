import * as z from '#schema';
import { referenceCode } from '../schema/codes.ts';
import { routeHeader } from '../schema/route-header.ts';
import { stopPlan } from '../schema/stop-plan.ts';
import { stopResult } from '../schema/stops.ts';

/** The state of a quarantined mutation: the document `quarantine/MUTATION_ID` in the scope of its queue. */
export const quarantineDocument = z.object({
  /** `open`: pending review; `released`: applied later; `dismissed`: it will not be applied. */
  state: z.enum(['open', 'released', 'dismissed']),
  /** The code of the answer to the mutation. */
  code: z.string(),
  reason: z.string(),
  /** The route version that contains a released mutation; a report has none. */
  version: z.optional(z.number()),
  /** The office's reason for a dismissal, and its author in brackets. */
  note: z.optional(z.string()),
});
export type QuarantineDocument = z.infer<typeof quarantineDocument>;

/** The values of the feed's documents, by the prefix of their keys (docs/protocol.md, Documents). */
export const feedDocuments = {
  route: routeHeader,
  plan: stopPlan,
  result: stopResult,
  code: referenceCode,
  quarantine: quarantineDocument,
};
