import { createHash, randomUUID } from 'node:crypto';
import type { Mutation, MutationName } from '@tailgate/sync-protocol';
import { contentText, linkText } from '@tailgate/sync-protocol';

/** A queue as a phone seals it, for tests that send protocol frames themselves. */
export class TestQueue {
  readonly clientId = randomUUID();
  readonly bootId = randomUUID();
  #seq = 0;
  #link: string | null = null;

  /** Seals the next item. Without `at`, a second after the one before it, starting an hour ago. */
  seal(name: MutationName, args: object, at = new Date(Date.now() - 3_600_000 + this.#seq * 1000)): Mutation {
    return this.take({
      id: mutationId(),
      name,
      version: 1,
      args,
      captured_at: at.toISOString(),
      boot_id: this.bootId,
      monotonic_ms: (this.#seq + 1) * 1000,
    });
  }

  /** Gives an item, of another queue perhaps (a fork), the next place: its id and content stay. */
  take(content: Omit<Mutation, 'seq' | 'prev_hash'>): Mutation {
    const item = { ...content, seq: ++this.#seq, prev_hash: this.#link };
    this.#link = base64Sha(linkText(base64Sha(contentText(item)), item.prev_hash, item.seq));
    return item;
  }
}

/** SHA-256, base64url. */
export const base64Sha = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** A UUID of version 7: time first, so that an index grows at its end. */
export function mutationId(now = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
