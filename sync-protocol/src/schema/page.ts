import * as z from '#schema';

// Query parameters and metadata of paged lists.

const digits = z.optional(z.string().check(z.regex(/^\d{0,9}$/, 'must be a whole number')));

/** A whole number of a query string. A blank value, as forms send it, counts as absent. */
export const queryNumber = (min: number, max: number) =>
  z.pipe(
    digits,
    z.pipe(
      z.transform((value: string | undefined) => (value ? Number(value) : undefined)),
      z.optional(z.int().check(z.gte(min), z.lte(max))),
    ),
  );

/** The same with the default `otherwise` for a blank or absent value. */
export const queryNumberOr = (otherwise: number, min: number, max: number) =>
  z.pipe(
    digits,
    z.pipe(
      z.transform((value: string | undefined) => (value ? Number(value) : otherwise)),
      z.int().check(z.gte(min), z.lte(max)),
    ),
  );

/** Entries per page: 100 by default, at most 500. */
export const pageLimit = queryNumberOr(100, 1, 500);

/** `meta.next_cursor` of the previous page; blank for the first page. */
export const pageCursor = z.pipe(
  z.optional(z.string().check(z.maxLength(300))),
  z.transform((value: string | undefined) => value || undefined),
);

/** `meta` of a list: the cursor of the next page, null on the last page. */
export const pageMeta = z.strictObject({ next_cursor: z.nullable(z.string()) });

/** A text filter of a query string. A blank value, as forms send it, filters nothing. */
export const blankIsAbsent = (max: number) =>
  z.pipe(
    z.optional(z.string().check(z.maxLength(max))),
    z.transform((value: string | undefined) => value || undefined),
  );
