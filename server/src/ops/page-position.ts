import * as z from 'zod/mini';

/** Where a page of the office's lists ended: the entry's moment, to the microsecond, and its id. */
const pagePosition = z.tuple([z.iso.datetime({ precision: 6 }), z.uuid()]);
export type PagePosition = z.infer<typeof pagePosition>;

/** A cursor is opaque to callers: they hand back what they got. */
export const encodePosition = (position: PagePosition): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

/** Undefined where it is no cursor of ours. */
export function decodePosition(text: string): PagePosition | undefined {
  try {
    return pagePosition.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined; // no JSON: somebody made it up
  }
}
