import { canonicalJson } from '#canonical-json';

/** What a mutation's content hash is taken of (SHA-256, base64url, of the UTF-8 bytes): its identity beside `id`. */
export const contentText = (item: object): string => canonicalJson(contentOf(item));

/** All of a mutation but its place in a queue. */
export function contentOf(item: object): object {
  const { seq: _seq, prev_hash: _prev, ...content }: { seq?: unknown; prev_hash?: unknown } = item;
  return content;
}

/** What the link of an item is taken of: its successor carries the SHA-256 of this text, base64url, as `prev_hash`. */
export const linkText = (hash: string, prevHash: string | null, seq: number): string =>
  JSON.stringify({ hash, prev_hash: prevHash, seq });
