import * as z from '#schema';
import { pageCursor, pageLimit } from './page.ts';

/** Query of GET /api/ops/quarantine. */
export const quarantineQuery = z.object({
  state: z._default(z.enum(['open', 'released', 'dismissed', 'all']), 'open'),
  limit: pageLimit,
  cursor: pageCursor,
});
export type QuarantineQuery = z.infer<typeof quarantineQuery>;

/** What was sent and could not be applied. It is kept as it came until somebody releases or dismisses it. */
export const quarantinedItem = z.strictObject({
  quarantine_id: z.string(),
  /** The mutation's own id. */
  id: z.string(),
  client_id: z.nullable(z.string()),
  seq: z.nullable(z.int()),
  employee: z.string(),
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  stop_id: z.nullable(z.int()),
  name: z.string(),
  code: z.string(),
  reason: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })),
  /** The bytes as text; `body_encoding` says base64 where they are no UTF-8. */
  body: z.string(),
  body_encoding: z.enum(['utf-8', 'base64']),
  received_at: z.iso.datetime(),
  state: z.enum(['open', 'released', 'dismissed']),
  resolved_at: z.nullable(z.iso.datetime()),
  resolved_by: z.nullable(z.string()),
  note: z.nullable(z.string()),
});
export type QuarantinedItem = z.infer<typeof quarantinedItem>;
