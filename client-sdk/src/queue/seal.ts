import { contentText, linkText } from '@tailgate/sync-protocol';
import { base64url } from '../platform/environment.ts';
import type { Environment } from '../platform/environment.ts';
import type { KeptMutation } from './item.ts';

export interface Sealed {
  readonly mutation: KeptMutation;
  /** The `prev_hash` of the queue's next item. */
  readonly link: string;
}

/** Gives a mutation its place in the queue's chain; it is immutable afterwards (protocol.md, Sealing). */
export async function seal(
  unsealed: KeptMutation,
  previous: string | null,
  sha256: Environment['sha256'],
): Promise<Sealed> {
  const mutation = { ...unsealed, prev_hash: previous };
  const hash = base64url(await sha256(contentText(mutation)));
  const link = base64url(await sha256(linkText(hash, previous, mutation.seq)));
  return { mutation, link };
}
