import * as z from '#schema';

// What lists that come in pages have in common.

const digits = z.optional(z.string().check(z.regex(/^\d{0,9}$/, 'must be a whole number')));

/** A whole number of a query string; absent where blank, as forms send it. */
export const queryNumber = (least: number, most: number) =>
  z.pipe(
    digits,
    z.pipe(
      z.transform((value: string | undefined) => (value ? Number(value) : undefined)),
      z.optional(z.int().check(z.gte(least), z.lte(most))),
    ),
  );

/** One that stands for `otherwise` where it is blank or absent. */
export const queryNumberOr = (otherwise: number, least: number, most: number) =>
  z.pipe(
    digits,
    z.pipe(
      z.transform((value: string | undefined) => (value ? Number(value) : otherwise)),
      z.int().check(z.gte(least), z.lte(most)),
    ),
  );

/** Entries a page: 100 unless asked otherwise, at most 500. */
export const pageLimit = queryNumberOr(100, 1, 500);

/** `meta.next_cursor` of the page before; blank for the first. */
export const pageCursor = z.pipe(
  z.optional(z.string().check(z.maxLength(300))),
  z.transform((value: string | undefined) => value || undefined),
);

/** A list's sibling: where its next page begins, null on the last. */
export const pageMeta = z.strictObject({ next_cursor: z.nullable(z.string()) });

/** Text of a query string by which a list is narrowed; blank, as forms send it, narrows nothing. */
export const blankIsAbsent = (max: number) =>
  z.pipe(
    z.optional(z.string().check(z.maxLength(max))),
    z.transform((value: string | undefined) => value || undefined),
  );
