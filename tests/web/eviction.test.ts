import type { Status } from '@tailgate/client-sdk';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { closeEviction, evicted, followEviction } from '../../server/web/driver/eviction.ts';
import { createSignal } from '../../server/web/ui/signal.ts';

const kept = new Map<string, string>();
beforeAll(() =>
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }),
);
afterAll(() => vi.unstubAllGlobals());
beforeEach(() => closeEviction());

const trouble = (code: string, at: number): Pick<Status, 'lastError'> => ({ lastError: { code, message: '', at } });
const none: Pick<Status, 'lastError'> = { lastError: undefined };

test('a later trouble does not hide that the browser has deleted the data; reading it does', () => {
  const status = createSignal(trouble('EVICTED', 1));
  followEviction({ status });
  status.set(trouble('UPLOAD_FAILED', 2));
  expect(evicted.current).toBe(true);
  closeEviction();
  status.set(trouble('EVICTED', 1));
  expect(evicted.current).toBe(false);
});

test('the next start still says so where the driver has not read it, and the one after reading does not', () => {
  followEviction({ status: createSignal(trouble('EVICTED', 1)) });
  const atKill = [...kept];
  closeEviction();
  for (const [key, value] of atKill) kept.set(key, value);
  followEviction({ status: createSignal(none) });
  expect(evicted.current).toBe(true);
  closeEviction();
  followEviction({ status: createSignal(none) });
  expect(evicted.current).toBe(false);
});
