import { fetchStack, MemoryFiles, openUploads } from '@tailgate/client-sdk/uploads';
import type { HttpRequest, HttpStack } from 'tus-js-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { platform } from '../../client-sdk/src/platform/environment.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

/** `hangs` never answers, `breaks` fails. */
type Fate = 'hangs' | 'breaks' | 'passes';

/** The fates of the first requests; all later ones pass. */
class Line implements HttpStack {
  readonly sent: string[] = [];
  aborted = 0;
  readonly #outcomes: Fate[];
  readonly #inner = fetchStack(fetch);

  constructor(...outcomes: Fate[]) {
    this.#outcomes = outcomes;
  }

  createRequest(method: string, url: string): HttpRequest {
    const request = this.#inner.createRequest(method, url);
    const outcome = this.#outcomes.shift();
    this.sent.push(outcome ?? 'passes');
    if (outcome === 'hangs') {
      request.send = () => new Promise(() => {});
      request.abort = async () => void this.aborted++;
    }
    if (outcome === 'breaks') request.send = () => Promise.reject(new TypeError('the line broke'));
    return request;
  }

  getName(): string {
    return 'Line';
  }
}

/** @param waits how long a wait of the client takes here */
async function openApp(httpStack: HttpStack, waits: (ms: number) => number = (ms) => ms) {
  const server = await startScriptedServer();
  const clock = {
    ...platform.clock,
    skipped: 0,
    monotonic: () => platform.clock.monotonic() + clock.skipped,
    after: (ms: number, work: () => void) => platform.clock.after(waits(ms), work),
  };
  const uploads = await openUploads({ store: new MemoryFiles(), photos: false, httpStack, chunkBytes: 60 });
  const client = await new Device(server.url, { uploads, clock }).startSignedIn();
  await until(client.status, ({ connection }) => connection === 'online');
  const add = (kind: 'photo' | 'signature' = 'photo') =>
    uploads.add(new Blob([crypto.getRandomValues(new Uint8Array(100))]), { kind });
  /** A hint that the network is back, long after the latest progress. Resolves when the client has handled it. */
  const hint = async (idleMs = 50_000): Promise<void> => {
    clock.skipped += idleMs;
    client.syncNow();
    // The files in memory take no task of their own.
    await new Promise(setImmediate);
  };
  return { uploads, hint, add };
}

test('a request whose answer never comes does not stop the other files for ever', async () => {
  // A minute and more pass at once.
  const { uploads, add } = await openApp(new Line('hangs'), (ms) => (ms >= 60_000 ? 20 : ms));
  const files = [await add(), await add()];
  await Promise.all(files.map(({ id }) => uploads.here(id)));
  expect(uploads.status.current.waiting).toBe(0);
});

test('a hint that the network is back ends a request that has been idle, and its file is sent at once', async () => {
  const line = new Line('hangs');
  const { uploads, hint, add } = await openApp(line);
  const { id } = await add();
  await expect.poll(() => line.sent).toEqual(['hangs']);
  // A request that has just begun goes on.
  await hint(0);
  expect(line.aborted).toBe(0);
  await hint();
  expect(line.aborted).toBe(1);
  await uploads.here(id);
});

test('hints end one attempt of a file, and the next one when the server has taken bytes of it', async () => {
  const line = new Line('hangs', 'passes', 'hangs', 'hangs');
  const { hint, add } = await openApp(line);
  await add();
  await expect.poll(() => line.sent).toEqual(['hangs']);
  await hint();
  // The second attempt: a part passes, the next part waits.
  await expect.poll(() => line.sent).toEqual(['hangs', 'passes', 'hangs']);
  await hint();
  await expect.poll(() => line.sent).toHaveLength(4);
  // A slow link that reports no progress looks the same: the third attempt has its full time.
  await hint();
  await hint();
  expect(line).toMatchObject({ aborted: 2, sent: ['hangs', 'passes', 'hangs', 'hangs'] });
});

test('hints end no second attempt of a file, whatever another file does in between', async () => {
  const line = new Line('hangs', 'passes', 'passes', 'hangs');
  const { uploads, hint, add } = await openApp(line);
  await add();
  await expect.poll(() => line.sent).toEqual(['hangs']);
  // A signature goes before a photo.
  const { id } = await add('signature');
  await hint();
  await uploads.here(id);
  await expect.poll(() => line.sent).toEqual(['hangs', 'passes', 'passes', 'hangs']);
  await hint();
  expect(line.aborted).toBe(1);
});

test('a failed attempt leaves no listener behind that would hold the bytes of its file', async () => {
  const added = vi.spyOn(EventTarget.prototype, 'addEventListener');
  const removed = vi.spyOn(EventTarget.prototype, 'removeEventListener');
  onTestFinished(() => void vi.restoreAllMocks());
  const { uploads, add } = await openApp(new Line('breaks', 'breaks', 'breaks', 'breaks'));
  await uploads.here((await add()).id);
  const listeners = new Map<unknown, number>();
  for (const [{ mock }, by] of [[added, 1] as const, [removed, -1] as const])
    for (const [i, [type]] of mock.calls.entries()) {
      const target: unknown = mock.contexts[i];
      if (type === 'abort') listeners.set(target, (listeners.get(target) ?? 0) + by);
    }
  expect(Math.max(...listeners.values())).toBe(1);
});

test('credentials that a captive portal rejected are tried again after a hint that the network is back', async () => {
  let isCaptive = true;
  const denied = new Set<string>();
  const portal: typeof fetch = async (url, init) => {
    if (!isCaptive) return fetch(url, init);
    const headers = new Headers(init?.headers);
    denied.add(headers.get('queue_key') === null ? 'token' : 'queue key');
    return new Response('sign in to the network', { status: 401 });
  };
  const { uploads, hint, add } = await openApp(fetchStack(portal));
  const { id } = await add();
  await expect.poll(() => [...denied].toSorted()).toEqual(['queue key', 'token']);
  expect(uploads.status.current).toMatchObject({ waiting: 1, failed: [] });
  isCaptive = false;
  // The first hint may come while the last rejection is read.
  await expect.poll(() => hint(0).then(() => uploads.file(id).current?.at)).toBe('here');
});
