import * as z from '#schema';
import { warning } from '../wire/mutation-result.ts';
import { blankIsAbsent, pageCursor, pageLimit } from '../schema/page.ts';

/** Query of GET /api/ops/flags; what is given must hold. */
export const flagQuery = z.object({
  facility: blankIsAbsent(5),
  route_id: blankIsAbsent(10),
  /** The code of a warning, such as `after_close`. */
  code: blankIsAbsent(40),
  limit: pageLimit,
  cursor: pageCursor,
});
export type FlagQuery = z.infer<typeof flagQuery>;

/** A change that was taken in although a person should know something about it (contract §4). */
export const flaggedChange = z.strictObject({
  /** The mutation's own id. */
  id: z.string(),
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  stop_id: z.int(),
  /** The route version that contains it. */
  version: z.int(),
  source: z.enum(['sync', 'rest', 'office', 'timer']),
  employee: z.string(),
  edit_time: z.iso.datetime(),
  received_at: z.iso.datetime(),
  warnings: z.array(warning),
});
export type FlaggedChange = z.infer<typeof flaggedChange>;
