import * as z from '#schema';

// The lists of interface.md 4.5 in the answers of the REST interface (contract §5), each sorted by `sort`.

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
/** The list contains only codes that are flagged for drivers. */
export const invoiceExceptionPayload = z.strictObject({ ...codeName, driver_visible: z.literal('Y') });
/** Container types, sections and trailer areas. */
export const plainCodePayload = z.strictObject({ ...codeName, sort: z.int() });
