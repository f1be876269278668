import { InvalidChange } from '@tailgate/client-sdk';
import { expect, test } from 'vitest';
import { lastRecorded, record } from '../../server/web/driver/recorded.ts';
import { gateFault } from '../../server/web/ui/gate-fault.ts';

const attempt = (error: unknown): boolean =>
  record({ stop: 4, kind: 'corrected' }, () => {
    throw error;
  });

test('a refused value is named at the gate, and nothing is recorded', () => {
  lastRecorded.set(undefined);
  const path = 'updates.products.0.osd_data.0.data.0.comment';
  expect(attempt(new InvalidChange([{ path, message: 'must not exceed 2000 characters' }]))).toBe(false);
  expect(gateFault.current).toBe('Not saved. Comment: At most 2,000 characters.');
  expect(attempt(new InvalidChange([{ path: 'skip_refuse_reason_code', message: 'has no known form' }]))).toBe(false);
  expect(gateFault.current).toBe('Not saved. Reason: This cannot be saved: has no known form');
  expect(attempt(new Error('the store is closed'))).toBe(false);
  expect(gateFault.current).toContain('the store is closed');
  expect(lastRecorded.current).toBeUndefined();
});
