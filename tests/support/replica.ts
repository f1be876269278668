import type { Cursor, PatchFrame, Snapshot } from '@tailgate/sync-protocol';
import { addToChecksum } from '@tailgate/sync-protocol';
import { expect } from 'vitest';

/** The documents of one scope as a phone stores them. It applies patches by the protocol, and checks each checksum. */
export class Replica {
  readonly documents = new Map<string, { version: number; value: unknown }>();
  cursor: Cursor | null = null;
  hostedThrough: number | undefined;

  take(patch: PatchFrame | Snapshot): void {
    const from = 'from' in patch ? patch.from : null;
    if (from === null) this.documents.clear();
    else expect({ epoch: patch.epoch, version: from }, 'a patch begins where the replica stands').toEqual(this.cursor);
    for (const { key, version, value } of patch.docs) this.documents.set(key, { version, value });
    for (const key of patch.deletes) this.documents.delete(key);
    this.cursor = { epoch: patch.epoch, version: patch.to };
    this.hostedThrough = patch.hosted_through;
    const sum = [...this.documents].reduce((total, [key, { version }]) => addToChecksum(total, key, version), 0);
    expect(patch.checksum, `the checksum of ${patch.scope} at ${patch.to}`).toBe(sum);
  }

  value(key: string): unknown {
    return this.documents.get(key)?.value;
  }
}
