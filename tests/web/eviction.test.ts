import type { Status } from '@tailgate/client-sdk';
import { beforeAll, expect, test, vi } from 'vitest';
import { createSignal } from '../../server/web/ui/signal.ts';

const kept = new Map<string, string>();
beforeAll(() =>
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }),
);

/** Another run of the app. */
async function start() {
  vi.resetModules();
  return import('../../server/web/driver/eviction.ts');
}

const trouble = (code: string, at: number): Pick<Status, 'lastError'> => ({ lastError: { code, message: '', at } });
const none: Pick<Status, 'lastError'> = { lastError: undefined };

test('a later trouble does not hide that the browser has deleted the data; reading it does', async () => {
  const { closeEviction, evicted, followEviction } = await start();
  const status = createSignal(trouble('EVICTED', 1));
  followEviction({ status });
  status.set(trouble('UPLOAD_FAILED', 2));
  expect(evicted.current).toBe(true);
  closeEviction();
  status.set(trouble('EVICTED', 1));
  expect(evicted.current).toBe(false);
});

test('a second client of the same run, as after an import, does not bring back what the driver has read', async () => {
  const { closeEviction, evicted, followEviction } = await start();
  followEviction({ status: createSignal(trouble('EVICTED', 1)) });
  closeEviction();
  followEviction({ status: createSignal(trouble('EVICTED', 2)) });
  expect(evicted.current).toBe(false);
});

test('the next start still says so where the driver has not read it, and the one after reading does not', async () => {
  const first = await start();
  first.followEviction({ status: createSignal(trouble('EVICTED', 1)) });
  const second = await start();
  second.followEviction({ status: createSignal(none) });
  expect(second.evicted.current).toBe(true);
  second.closeEviction();
  const third = await start();
  third.followEviction({ status: createSignal(none) });
  expect(third.evicted.current).toBe(false);
});
