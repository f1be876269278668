import { createHash } from 'node:crypto';
import { canonicalJson, clientFrame, mutation, mutationArgs, serverFrame } from '@tailgate/sync-protocol';
import type { ZodMiniType } from 'zod/mini';
import * as z from 'zod/mini';

export type Fingerprints = Record<string, string>;

/** The input or output of a schema, as JSON Schema describes it, in 16 hexadecimal digits. */
export function fingerprint(schema: ZodMiniType, io: 'input' | 'output'): string {
  const text = canonicalJson(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Frames by direction and type: the input of client frames, the output of server frames. */
export function frameFingerprints(): Fingerprints {
  const prints: Fingerprints = {};
  for (const option of clientFrame.def.options) prints[`client ${nameOf(option)}`] = fingerprint(option, 'input');
  for (const option of serverFrame.def.options) prints[`server ${nameOf(option)}`] = fingerprint(option, 'output');
  return prints;
}

/** The envelope, and the arguments of each mutation by name and version. */
export function mutationFingerprints(): Fingerprints {
  const prints: Fingerprints = { envelope: fingerprint(mutation, 'input') };
  for (const [name, versions] of Object.entries(mutationArgs))
    for (const [version, schema] of Object.entries<ZodMiniType>(versions))
      prints[`${name} ${version}`] = fingerprint(schema, 'input');
  return prints;
}

const nameOf = (option: { shape: { type: { def: { values: readonly string[] } } } }): string =>
  option.shape.type.def.values.join(' ');
