import { clientFrame, type ErrorDetail } from '@tailgate/sync-protocol';
import { faultsOf } from '../wire/schema-faults.ts';
import type { Arrival } from './session-types.ts';

const known: ReadonlySet<unknown> = new Set(clientFrame.def.options.map((option) => option.shape.type.def.values[0]));

/** Reads a frame. Unknown types and fields are ignored, because a newer client may send them. */
export function readFrame(text: string, now: number): Arrival {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return broken([{ path: '', message: 'must be JSON' }], now);
  }
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string')
    return broken([{ path: 'type', message: 'must be the name of a frame' }], now);
  if (!known.has(value.type)) return { type: 'unknown', now };
  const parsed = clientFrame.safeParse(value);
  if (parsed.success) return { type: 'frame', frame: parsed.data, now };
  return broken(faultsOf(parsed.error.issues), now);
}

export const broken = (details: readonly ErrorDetail[], now: number): Arrival => ({
  type: 'broken',
  code: 'BAD_FRAME',
  details,
  now,
});

/** A phone declares more items lost than it can have recorded. */
export const lossTooLarge = (path: string, max: number): ErrorDetail => ({
  path,
  message: `must not be above ${max}: no later item can have been sent`,
});
