import type { Fault, Item, QueueItem } from '../change.ts';
import { linkText, type Warning } from '@tailgate/sync-protocol';
import { sha256 } from '../item.ts';

/**
 * The state of a queue: the watermark, the last link of the chain, and the edit time that no later item may precede.
 */
export interface QueueState {
  readonly clientId: string;
  readonly lastSeq: number;
  readonly lastLink: Buffer | null;
  readonly lastEditTime: number | null;
}

/** An earlier mutation with this id. */
export interface KnownMutation {
  readonly hash: Buffer;
  /** The route version that contains it; null where it is in quarantine. */
  readonly version: number | null;
  readonly quarantined: Fault | null;
  /** The warnings of its answer; a client that lost the answer gets them again. */
  readonly warnings: readonly Warning[];
  readonly receivedAt: Date;
}

/**
 * How an item relates to its queue. Its identity is the id and the content; the sequence only orders (decision 8).
 * `moves`: it is the next item, and the watermark moves to it with any outcome.
 */
export type Verdict =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'duplicate'; readonly known: KnownMutation; readonly moves: boolean }
  | { readonly kind: 'reused'; readonly moves: boolean }
  | { readonly kind: 'fork'; readonly at: number }
  | { readonly kind: 'gap' };

export function judge(item: Item, { seq }: QueueItem, state: QueueState, known: KnownMutation | undefined): Verdict {
  const next = state.lastSeq + 1;
  if (seq > next) return { kind: 'gap' };
  const moves = seq === next;
  if (known) return known.hash.equals(item.hash) ? { kind: 'duplicate', known, moves } : { kind: 'reused', moves };
  return moves ? { kind: 'fresh' } : { kind: 'fork', at: seq };
}

/** The link of an item; its successor carries it as `prev_hash`. */
export const linkOf = (item: Item, queued: QueueItem): Buffer =>
  sha256(linkText(item.hash.toString('base64url'), queued.prevHash, queued.seq));

/** Whether an item follows the one before it. The fold flags a break, and never refuses it. */
export function fitsChain(queued: QueueItem, state: QueueState): boolean {
  // After a declared loss the link is unknown, and the loss has an incident already.
  if (state.lastLink === null && state.lastSeq > 0) return true;
  return queued.prevHash === (state.lastLink?.toString('base64url') ?? null);
}
