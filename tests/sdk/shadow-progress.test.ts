import { describe, expect, test } from 'vitest';
import type { Progress } from '../../client-sdk/src/queue/item.ts';
import { progressAt } from '../../client-sdk/src/replica/progress.ts';

const target = { scope: 'route:F01:R100:20261121', stop: 3 } as const;
const head = { epoch: '1.1', version: 9, hosted_through: 4, parked: [], awaited: [] };
const accepted = (version: number): Progress => ({
  at: 'accepted',
  version,
  epoch: '1.1',
  since: 5,
  superseded: [],
  evidence: undefined,
});

describe('a route in shadow', () => {
  test('ends the receipt with its files as “shadow”, and never as “on the host”', () => {
    expect(progressAt(accepted(6), target, { ...head, shadow_through: 7 }, 8)).toEqual({
      at: 'shadow',
      version: 6,
      since: 8,
      accepted_at: 5,
      evidence: 'complete',
    });
    const hosted = { ...head, hosted_through: 9, shadow_through: 7 };
    expect(progressAt(accepted(6), target, hosted, 8)).toMatchObject({ at: 'shadow' });
    expect(progressAt(accepted(8), target, hosted, 8)).toMatchObject({ at: 'on_host' });
  });

  test('waits for files that the server lacks', () => {
    const shadow = { ...head, shadow_through: 7, awaited: [3] };
    const ended = progressAt(accepted(6), target, shadow, 8);
    expect(ended).toMatchObject({ at: 'shadow', evidence: 'awaited' });
    expect(ended && progressAt(ended, target, { ...shadow, awaited: [] }, 9)).toMatchObject({
      at: 'shadow',
      since: 8,
      evidence: 'complete',
    });
  });
});
