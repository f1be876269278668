import * as z from 'zod/mini';

/** Where a page of the office's lists ended: the entry's moment, to the microsecond, and its id. */
const pagePosition = z.tuple([z.iso.datetime({ precision: 6 }), z.uuid()]);
export type PagePosition = z.infer<typeof pagePosition>;

/** The same in a list of routes, whose id is facility, id and week. */
const routePosition = z.tuple([z.iso.datetime({ precision: 6 }), z.string(), z.string(), z.string()]);
export type RoutePosition = z.infer<typeof routePosition>;

/** A cursor is opaque to callers: they hand back what they got. */
export const encodePosition = (position: PagePosition | RoutePosition): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

/** Undefined where it is no cursor of ours. */
export const decodePosition = (text: string): PagePosition | undefined => pagePosition.safeParse(parse(text)).data;
export const decodeRoutePosition = (text: string): RoutePosition | undefined =>
  routePosition.safeParse(parse(text)).data;

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined; // no JSON: somebody made it up
  }
}
