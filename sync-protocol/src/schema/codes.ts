import * as z from '#schema';
import type { DeepReadonly } from './deep-readonly.ts';

/** A reference code of the mirror and of the feed's scope `codes:all`; document keys are `code/TYPE/CODE`. */
export const referenceCode = z.object({
  type: z.enum(['stop-exception', 'credit-reason', 'invoice-exception', 'container-type', 'section', 'trailer-area']),
  code: z.string(),
  description: z.string(),
  category: z.string(),
  driver_visible: z.boolean(),
  /** Stop exceptions: S skip, R refuse, B both; else blank. */
  stop_type: z.enum(['S', 'R', 'B', '']),
  requires_photo: z.boolean(),
  requires_comment: z.boolean(),
  sort: z.number(),
});
/** A code of a list; its type names the list. */
export type ReferenceCode = DeepReadonly<z.infer<typeof referenceCode>>;
