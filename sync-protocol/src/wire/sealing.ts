import { canonicalJson } from '#canonical-json';

// The texts that a seal hashes. Phones load this file; only servers load the schema in mutation.ts.

/** The input of a mutation's content hash (SHA-256, base64url, of the UTF-8 bytes): its identity beside `id`. */
export const contentText = (item: object): string => canonicalJson(contentOf(item));

/** A mutation without its position in a queue. */
export function contentOf(item: object): object {
  const { seq: _seq, prev_hash: _prev, ...content }: { seq?: unknown; prev_hash?: unknown } = item;
  return content;
}

/** The link text of an item. Its successor has the SHA-256 of this text, base64url, as `prev_hash`. */
export const linkText = (hash: string, prevHash: string | null, seq: number): string =>
  JSON.stringify({ hash, prev_hash: prevHash, seq });
