import * as z from 'zod/mini';
import { readCursor } from '../http/answers/validation.ts';

/** End of a page: the entry's time, to the microsecond, and its id. */
const entryPosition = z.tuple([z.iso.datetime({ precision: 6 }), z.uuid()]);
type EntryPosition = z.infer<typeof entryPosition>;

/** The same in a list of routes, whose id is facility, id and week. */
const routePosition = z.tuple([z.iso.datetime({ precision: 6 }), z.string(), z.string(), z.string()]);
type RoutePosition = z.infer<typeof routePosition>;

/** The position after which a page begins; undefined for the first page. */
export const readPosition = <Position>(
  schema: z.ZodMiniType<Position>,
  cursor: string | undefined,
): Position | undefined => readCursor(cursor, (text) => schema.safeParse(parse(text)).data);

export const entryAfter = (cursor: string | undefined): EntryPosition | undefined =>
  readPosition(entryPosition, cursor);
export const routeAfter = (cursor: string | undefined): RoutePosition | undefined =>
  readPosition(routePosition, cursor);

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined; // not a cursor of this server
  }
}

/** A part of a list, as an endpoint answers it. */
export interface Page<Item> {
  readonly data: Item[];
  /** `next_cursor` is null on the last page. */
  readonly meta: { readonly next_cursor: string | null };
}

/** A page of at most `limit` rows. One row more shows that another page follows, or `hasMore` where the page ends early. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  {
    item,
    position,
    hasMore = rows.length > limit,
  }: {
    readonly item: (row: Row) => Item;
    readonly position: (row: Row) => EntryPosition | RoutePosition;
    readonly hasMore?: boolean;
  },
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = hasMore && last !== undefined ? cursorOf(position(last)) : null;
  return { data: shown.map(item), meta: { next_cursor: next } };
}

/** Opaque to callers, who send it back unchanged. */
export const cursorOf = (position: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');
