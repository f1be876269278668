import * as z from '#schema';
import { referenceCode } from '../schema/codes.ts';
import { routeHeader } from '../schema/route-header.ts';
import { stopPlan } from '../schema/stop-plan.ts';
import { stopResult } from '../schema/stops.ts';

/** What a queue hears of a mutation that was kept: the document `quarantine/MUTATION_ID` of its scope. */
export const quarantineDocument = z.object({
  /** `open`: it waits for a person; `released`: applied after all; `dismissed`: it will not be applied. */
  state: z.enum(['open', 'released', 'dismissed']),
  /** As in the answer to the mutation. */
  code: z.string(),
  reason: z.string(),
  /** The route version that contains it since it was released; a report has none. */
  version: z.optional(z.number()),
  /** The office's words where it was dismissed. */
  note: z.optional(z.string()),
});
export type QuarantineDocument = z.infer<typeof quarantineDocument>;

/** The values of the feed's documents, by what their keys begin with (docs/protocol.md, Documents). */
export const feedDocuments = {
  route: routeHeader,
  plan: stopPlan,
  result: stopResult,
  code: referenceCode,
  quarantine: quarantineDocument,
};
