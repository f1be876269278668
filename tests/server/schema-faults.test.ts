import { loadConditionReport, skipRefuseArgs, stopUpdateArgs } from '@tailgate/sync-protocol';
import type { ErrorDetail } from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { faultsOf, maxFaults } from '../../server/src/wire/schema-faults.ts';

const route = { facility: 'F01', id: 'R100', week_end: '20261121' };

function faults(schema: z.ZodMiniType, value: unknown, root?: string): ErrorDetail[] {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : faultsOf(parsed.error.issues, root);
}

describe('a value that does not fit a schema gets an error in words', () => {
  test('the error of a field with several kinds lists them', () => {
    expect(faults(skipRefuseArgs, { route })).toEqual([
      { path: 'stop_id', message: 'Invalid input: expected number or string' },
    ]);
    expect(faults(skipRefuseArgs, { route, stop_id: true })).toEqual([
      { path: 'stop_id', message: 'Invalid input: expected number or string' },
    ]);
    expect(
      faults(stopUpdateArgs, { route, stop: { id: 1, products: [{ id: 'A', updates: { image_ids: 5 } }] } }),
    ).toEqual([
      { path: 'stop.products.0.updates.image_ids', message: 'Invalid input: expected null or string or array' },
    ]);
  });

  test('the schema’s own messages are unchanged', () => {
    const report = { reportId: 'r', loadId: 'l', stopId: '1', driverId: 'd', sections: [], capturedAt: 5 };
    expect(faults(loadConditionReport, report)).toEqual([
      { path: 'capturedAt', message: 'must be an instant with an offset, such as 2026-11-20T10:00:00Z' },
    ]);
  });

  test('the path begins at the root of the sender’s message', () => {
    expect(faults(stopUpdateArgs, { route, stop: { id: 1000 } }, 'args')).toEqual([
      { path: 'args.stop.id', message: 'Too big: expected number to be <=999' },
    ]);
    expect(faults(stopUpdateArgs, 'no object', 'args')[0]?.path).toBe('args');
  });

  test('the error of a body with many faults lists only a few of them', () => {
    const products = Array.from({ length: 2 * maxFaults }, () => ({ id: 5 }));
    expect(faults(stopUpdateArgs, { route, stop: { id: 1, products } })).toHaveLength(maxFaults);
  });
});
