import { currentProtocol, oldestProtocol, protocolHistory } from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { fingerprint, frameFingerprints, mutationFingerprints } from './fingerprints.ts';
import released from './released-schemas.json' with { type: 'json' };

/**
 * A phone that was off for a year still speaks what it spoke then. Before a release, new fingerprints go into the block
 * of the version that comes; after it the block never changes, and a change needs a new line in `protocolHistory` and a
 * block of its own.
 */
describe('the protocol’s history', () => {
  test('has a line and a block for each version, without gaps, the newest last', () => {
    const versions = protocolHistory.map(({ version }) => version);
    expect(versions).toEqual(Array.from({ length: currentProtocol }, (_, n) => n + 1));
    expect(Object.keys(released)).toEqual(versions.map(String));
    expect(versions).toContain(oldestProtocol);
  });

  test('frames and mutations of the newest version are those that we speak', () => {
    expect({ frames: frameFingerprints(), mutations: mutationFingerprints() }).toEqual(released[currentProtocol]);
  });

  test('mutations of every version ever released are still read as they were written', () => {
    for (const block of Object.values(released)) expect(mutationFingerprints()).toMatchObject(block.mutations);
  });

  test('a changed schema shows', () => {
    const before = fingerprint(z.object({ a: z.string() }), 'input');
    expect(fingerprint(z.object({ a: z.string() }), 'input')).toBe(before);
    expect(fingerprint(z.object({ a: z.string(), b: z.optional(z.string()) }), 'input')).not.toBe(before);
  });
});
