import type { Status } from '@tailgate/client-sdk';
import { beforeEach, expect, test, vi } from 'vitest';
import { followUnsent } from '../../server/web/driver/background-sync.ts';
import { createSignal } from '../../server/web/ui/signal.ts';

const register = vi.fn<() => Promise<void>>(async () => undefined);
const page = Object.assign(new EventTarget(), { hidden: true });
vi.stubGlobal('navigator', { serviceWorker: { ready: Promise.resolve({ sync: { register } }) } });
vi.stubGlobal('document', page);
beforeEach(() => register.mockClear());

type Followed = Pick<Status, 'connection' | 'pending' | 'awaitsSignIn' | 'refused' | 'uploading'>;
const offline: Followed = {
  connection: 'offline',
  pending: { '1001': 2 },
  awaitsSignIn: {},
  refused: {},
  uploading: {},
};

/** Resolves when the requests of this step have reached the worker. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a phone with something to send asks for a wake-up, also when it is put away; the end stops both', async () => {
  const status = createSignal(offline);
  const end = followUnsent({ status });
  await settled();
  expect(register).toHaveBeenCalledTimes(1);
  page.dispatchEvent(new Event('visibilitychange'));
  await settled();
  expect(register).toHaveBeenCalledTimes(2);
  end();
  status.set({ ...offline, pending: { '1001': 3 } });
  page.dispatchEvent(new Event('visibilitychange'));
  await settled();
  expect(register).toHaveBeenCalledTimes(2);
});

test.each([
  ['waits for its driver’s sign-in', { awaitsSignIn: { '1001': 2 } }],
  ['the server refuses', { refused: { '1001': 2 } }],
])('a change that %s is no reason: no worker can send it', async (_, held) => {
  const end = followUnsent({ status: createSignal({ ...offline, ...held }) });
  page.dispatchEvent(new Event('visibilitychange'));
  await settled();
  end();
  expect(register).not.toHaveBeenCalled();
});
