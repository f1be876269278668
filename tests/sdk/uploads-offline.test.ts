import type { Client } from '@tailgate/client-sdk';
import type { FileStore, Uploads } from '@tailgate/client-sdk/uploads';
import { fetchStack, MemoryFiles, openUploads } from '@tailgate/client-sdk/uploads';
import type { HttpRequest, HttpStack } from 'tus-js-client';
import { DefaultHttpStack } from 'tus-js-client';
import { beforeAll, expect, test } from 'vitest';
import { insertRoutes, plan } from '../support/mirror.ts';
import { password, signUp } from '../support/people.ts';
import { Device, until } from '../support/sdk-device.ts';
import type { SyncNode } from '../support/sync-node.ts';
import { startSyncNode } from '../support/sync-node.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { TestBytes } from '../support/test-bytes.ts';
import { WebProxy } from '../support/web-proxy.ts';

const random = new TestBytes('files of an offline device');
/** No retry starts by itself within a test. */
const timing = { retryBaseMs: 600_000, retryCapMs: 600_000, openMs: 2_000, pingMs: 1_000, answerMs: 1_000 };
const late = { fraction: () => 0.999, bytes: (length: number) => new Uint8Array(random.take(length)) };

/** One for each test. */
const employees = ['1001', '1002', '1003', '1004', '1005', '1006'];

let node: SyncNode;
let link: TcpProxy;

beforeAll(async () => {
  node = await startSyncNode();
  const route = { facility: 'F01', weekEnd: '20261121', stops: [plan(1)] };
  await insertRoutes(
    node.database.pool,
    employees.map((employee) => ({ ...route, id: `R${employee}`, drivers: [employee] })),
  );
  for (const employee of employees) await signUp(node.client, employee);
  link = await startTcpProxy(Number(new URL(node.client.url).port));
});

/** The platform's requests and their outcomes. */
class LoggedStack implements HttpStack {
  readonly log: string[] = [];
  readonly #inner = new DefaultHttpStack({});

  createRequest(method: string, url: string): HttpRequest {
    const request = this.#inner.createRequest(method, url);
    const send = request.send.bind(request);
    request.send = async (body: Uint8Array<ArrayBuffer>) => {
      const answer = await send(body).catch((error: unknown) => {
        this.log.push(`${method} -`);
        throw error;
      });
      this.log.push(`${method} ${answer.getStatus()}`);
      return answer;
    };
    return request;
  }

  getName(): string {
    return 'LoggedStack';
  }
}

async function offlineApp(
  employeeId: string,
  store: FileStore = new MemoryFiles(),
): Promise<{ client: Client; uploads: Uploads; stack: LoggedStack }> {
  await link.accept();
  const stack = new LoggedStack();
  const uploads = await openUploads({ store, photos: false, httpStack: stack });
  const device = new Device(link.through(node.client.url), { uploads, timing, random: late });
  const client = await device.start();
  expect(await client.signIn({ employeeId, password })).toMatchObject({ kind: 'signed_in' });
  await until(client.status, ({ connection }) => connection === 'online');
  link.refuse();
  link.cut();
  await until(client.status, ({ connection }) => connection === 'offline');
  return { client, uploads, stack };
}

const addPhotos = (uploads: Uploads, count: number): Promise<{ readonly id: string }[]> =>
  Promise.all(
    Array.from({ length: count }, () => uploads.add(new Blob([random.take(1_000)]), { kind: 'photo' as const })),
  );

test('files without a network wait together: one request probes for all of them, and syncNow sends all', async () => {
  const { client, uploads, stack } = await offlineApp('1001');
  const files = await addPhotos(uploads, 64);
  await expect.poll(() => stack.log).toEqual(['POST -']);
  client.syncNow();
  await expect.poll(() => stack.log).toEqual(['POST -', 'POST -']);
  await addPhotos(uploads, 1);
  expect(stack.log).toHaveLength(2);
  await link.accept();
  client.syncNow();
  await Promise.all(files.map(({ id }) => uploads.here(id)));
  // The client sends no HEAD for a file that was never sent: a browser's console shows each 404.
  expect(new Set(stack.log.slice(2))).toEqual(new Set(['POST 201']));
});

test('a file that arrives opens the waiting socket, and the status never shows offline while bytes pass', async () => {
  const { client, uploads } = await offlineApp('1002');
  await link.accept();
  const shown: string[] = [];
  client.status.subscribe(({ connection }) => shown.push(connection));
  const [file] = await addPhotos(uploads, 1);
  await uploads.here(file?.id ?? '');
  await until(client.status, ({ connection }) => connection === 'online');
  expect(shown.slice(shown.indexOf('connecting'))).not.toContain('offline');
});

test.each([
  { by: 'the platform’s requests', employeeId: '1005', sending: () => new DefaultHttpStack({}) },
  { by: 'fetch', employeeId: '1006', sending: () => fetchStack(fetch) },
])('a long upload by $by over a slow link without sockets never shows offline while its bytes pass', async (line) => {
  const proxy = await WebProxy.start(node.client.url, { blocksSockets: true });
  const slow = await startTcpProxy(Number(new URL(proxy.url).port));
  slow.throttle(200_000);
  // Sync over plain HTTP would count as a connection, too.
  const send: typeof fetch = (input, init) =>
    new Request(input).url.includes('/api/sync/pu')
      ? Promise.reject(new TypeError('no channel over HTTP'))
      : fetch(input, init);
  const uploads = await openUploads({
    store: new MemoryFiles(),
    photos: false,
    httpStack: line.sending(),
    chunkBytes: 65_536,
  });
  const device = new Device(slow.through(proxy.url), {
    uploads,
    fetch: send,
    timing: { ...timing, retryBaseMs: 20, retryCapMs: 200 },
    random: late,
  });
  const client = await device.start();
  await client.signIn({ employeeId: line.employeeId, password });
  const shown: string[] = [];
  const { id } = await uploads.add(new Blob([random.take(400_000)]), { kind: 'document' });
  const before = slow.bytesUp;
  // The bytes of a request's head, and of socket attempts and hellos in the meantime.
  const ofTheFile = before + 8_000;
  const check = (): unknown => slow.bytesUp > ofTheFile && shown.push(client.status.current.connection);
  client.status.subscribe(check);
  uploads.status.subscribe(check);
  await uploads.here(id);
  expect(slow.bytesUp - before).toBeGreaterThan(400_000);
  expect(new Set(shown)).toEqual(new Set(['connecting']));
});

test('a socket that opens wakes the waiting files', async () => {
  const { client, uploads, stack } = await offlineApp('1003');
  const files = await addPhotos(uploads, 3);
  await expect.poll(() => stack.log).toEqual(['POST -']);
  await link.accept();
  await client.signIn({ employeeId: '1003', password });
  await Promise.all(files.map(({ id }) => uploads.here(id)));
  expect(client.status.current.connection).toBe('online');
});

test('files that arrive while the disk is full count as sent, and may be deleted for room', async () => {
  const disk = new MemoryFiles();
  let isFull = false;
  const files: FileStore = {
    files: () => disk.files(),
    piece: (id, index) => disk.piece(id, index),
    put: (id, facts, pieces) =>
      isFull ? Promise.reject(new DOMException('', 'QuotaExceededError')) : disk.put(id, facts, pieces),
    remove: (id) => disk.remove(id),
    close: () => disk.close(),
  };
  const { client, uploads } = await offlineApp('1004', files);
  const added = await addPhotos(uploads, 3);
  isFull = true;
  await link.accept();
  client.syncNow();
  await Promise.all(added.map(({ id }) => uploads.here(id)));
  expect(uploads.status.current).toMatchObject({ waiting: 0, failed: [] });
  await expect.poll(() => disk.files()).toEqual([]);
  const { troubles } = await client.diagnostics();
  expect(troubles.filter(({ code }) => code === 'FILES').map(({ message }) => message)).toEqual(['QuotaExceededError']);
});
