import * as z from '#schema';

/** A reference code as the mirror and the feed's scope `codes:all` hold it; document keys are `code/TYPE/CODE`. */
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
export type ReferenceCode = z.infer<typeof referenceCode>;

// The lists of interface.md 4.5 as REST answers them (contract §5), each sorted by `sort`.

const codeName = { code: z.string(), description: z.string() };

export const stopExceptionPayload = z.strictObject({
  ...codeName,
  type: z.enum(['S', 'R', 'B']),
  requires_comment: z.boolean(),
  requires_photo: z.boolean(),
  sort: z.int(),
});
export const creditReasonPayload = z.strictObject({
  ...codeName,
  category: z.string(),
  requires_photo: z.boolean(),
  sort: z.int(),
});
/** Only those that are flagged for drivers. */
export const invoiceExceptionPayload = z.strictObject({ ...codeName, driver_visible: z.literal('Y') });
/** Container types, sections and trailer areas. */
export const plainCodePayload = z.strictObject({ ...codeName, sort: z.int() });
