import { currentProtocol, oldestProtocol, protocolHistory } from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { fingerprint, frameFingerprints, mutationFingerprints } from './fingerprints.ts';
import released from './released-schemas.json' with { type: 'json' };

/**
 * The protocol of an old release stays supported: a phone may be off for a year. Before a release, new fingerprints go
 * into the block of the coming version. After the release that block never changes; a change needs a new line in
 * `protocolHistory` and a block of its own.
 */
describe('the protocol’s history', () => {
  test('has a line and a block for each version, without gaps, the newest last', () => {
    const versions = protocolHistory.map(({ version }) => version);
    expect(versions).toEqual(Array.from({ length: currentProtocol }, (_, n) => n + 1));
    expect(Object.keys(released)).toEqual(versions.map(String));
    expect(versions).toContain(oldestProtocol);
  });

  test('frames and mutations of the newest version are those of the code', () => {
    expect({ frames: frameFingerprints(), mutations: mutationFingerprints() }).toEqual(released[currentProtocol]);
  });

  test('the server still reads the mutations of every released version as they were written', () => {
    for (const block of Object.values(released)) expect(mutationFingerprints()).toMatchObject(block.mutations);
  });

  test('a changed schema changes its fingerprint', () => {
    const before = fingerprint(z.object({ a: z.string() }), 'input');
    expect(fingerprint(z.object({ a: z.string() }), 'input')).toBe(before);
    expect(fingerprint(z.object({ a: z.string(), b: z.optional(z.string()) }), 'input')).not.toBe(before);
  });
});
