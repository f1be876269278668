import { createHash } from 'node:crypto';
import type { Client } from '@tailgate/client-sdk';
import type { RouteKey } from '@tailgate/sync-protocol';
import type { FileStore, Uploads } from '@tailgate/client-sdk/uploads';
import { fetchStack, MemoryFiles, openUploads, sha256Hex } from '@tailgate/client-sdk/uploads';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { endSessions } from '../../server/src/auth/end-sessions.ts';
import { withTransaction } from '../../server/src/db/transaction.ts';
import { insertRoutes, plan } from '../support/mirror.ts';
import { password, signUp } from '../support/people.ts';
import { Device, until } from '../support/sdk-device.ts';
import type { SyncNode } from '../support/sync-node.ts';
import { startSyncNode } from '../support/sync-node.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { TestBytes } from '../support/test-bytes.ts';
import { deviceAssetId } from '../support/tus-phone.ts';
import { download, keptOfUploads } from '../support/uploads.ts';

const random = new TestBytes('files of a device');
const largest = 2 * 1024 * 1024;
/** One for each test, with its own route. */
const employees = Array.from({ length: 19 }, (_, n) => String(1001 + n));

let node: SyncNode;
let link: TcpProxy;
let next = 0;

beforeAll(async () => {
  node = await startSyncNode({ uploadLimits: { fileBytes: largest } });
  await insertRoutes(
    node.database.pool,
    employees.map((employee) => ({
      facility: 'F01',
      id: `R${employee}`,
      weekEnd: '20261121',
      drivers: [employee],
      stops: [plan(1), plan(2)],
    })),
  );
  for (const employee of employees) await signUp(node.client, employee);
  link = await startTcpProxy(Number(new URL(node.client.url).port));
});

/** Resets the faults of the previous test. */
beforeEach(async () => {
  link.pass();
  link.throttle(Infinity);
  link.delay(0);
  await link.accept();
});

interface App {
  readonly device: Device;
  readonly files: FileStore;
  readonly client: Client;
  readonly uploads: Uploads;
  readonly key: RouteKey;
  /** Kills the app and starts it again. */
  readonly restart: () => Promise<App>;
}

/** A driver with a route and a phone, signed in. */
async function openApp(files: FileStore = new MemoryFiles()): Promise<App> {
  const device = new Device(link.through(node.client.url));
  const employeeId = employees[next++] ?? '';
  const app = await startApp(device, files, employeeId);
  const result = await app.client.signIn({ employeeId, password });
  expect(result.kind).toBe('signed_in');
  await until(app.client.status, ({ connection }) => connection === 'online');
  return app;
}

async function startApp(device: Device, files: FileStore, employeeId: string): Promise<App> {
  const uploads = await openUploads({ store: files, photos: false });
  const client = await device.start({ uploads });
  const restart = async (): Promise<App> => {
    await device.kill();
    return startApp(device, files, employeeId);
  };
  const key = { facility: 'F01', id: `R${employeeId}`, week_end: '20261121' };
  return { device, files, client, uploads, key, restart };
}

const photoOf = (size: number): Blob => new Blob([random.take(size)]);
const bytesOf = async (blob: Blob): Promise<Uint8Array> => new Uint8Array(await blob.arrayBuffer());
const serverHas = async (id: string, blob: Blob): Promise<void> => {
  const { bytes } = await download(node.client, id);
  expect(bytes.equals(await bytesOf(blob))).toBe(true);
};
const received = async (id: string): Promise<number> => {
  const { rows } = await node.database.pool.query<{ received: number }>(
    'select received from asset_intake where asset_id = $1',
    [id],
  );
  return rows[0]?.received ?? 0;
};

/** Ends the sessions of a driver who does not use this phone at the moment. The phone is not notified. */
async function endSignIns(employee: string): Promise<void> {
  await withTransaction(node.database.pool, (tx) => endSessions(tx, [employee], new Date(), 'evicted'));
}

describe('a file', () => {
  test('is stored, sent and verified; the stop that names it is complete with it', async () => {
    const { uploads, client, key } = await openApp();
    const photo = photoOf(300_000);
    const { id } = await uploads.add(photo, { kind: 'photo', name: 'door.jpg' });
    const receipt = client.updateStop(key, { id: 1, updates: { status: 'D', signature_id: id } });
    // The feed may report it before the upload's own answer.
    await Promise.all([receipt.complete, uploads.here(id)]);
    await serverHas(id, photo);
    expect(uploads.status.current).toMatchObject({ waiting: 0, bytes: 0, files: [], sending: undefined, failed: [] });
    expect(uploads.file(id).current).toMatchObject({ at: 'here', epoch: '1' });
  });

  test('fails after a refusal, with the message of the envelope or of an older server', async () => {
    const { device, client: before } = await openApp();
    const employee = before.driver.current?.employeeId ?? '';
    await device.kill();
    let isOlder = false;
    const send: typeof fetch = async (url, init) => {
      const headers = new Headers(init?.headers);
      if (headers.has('upload-length')) headers.set('upload-length', String(largest + 1));
      // The id also commits to the length. Without metadata, only the length is wrong.
      headers.delete('upload-metadata');
      const answer = await fetch(url, { ...init, headers });
      if (!isOlder || answer.ok) return answer;
      await answer.text();
      return new Response('Maximum size exceeded\n', answer);
    };
    const store = new MemoryFiles();
    const uploads = await openUploads({ store, photos: false, httpStack: fetchStack(send) });
    const { status } = await device.start({ uploads });
    await until(status, ({ connection }) => connection === 'online');
    const add = () => uploads.add(photoOf(1_000), { kind: 'photo', employee });
    await expect(uploads.here((await add()).id)).rejects.toThrow(/^The body or file exceeds the limit\.$/);
    isOlder = true;
    await expect(uploads.here((await add()).id)).rejects.toThrow(/^Maximum size exceeded$/);
    expect(uploads.status.current.failed).toMatchObject([{ employee }, { employee }]);

    // For as long as sent ones, and no longer.
    const failedAfterStart = async (keepMs?: number) => {
      await device.kill();
      const later = await openUploads({ store, photos: false, ...(keepMs !== undefined && { keepMs }) });
      await device.start({ uploads: later });
      return later.status;
    };
    const kept = await failedAfterStart();
    const forgotten = await failedAfterStart(0);
    await expect.poll(() => forgotten.current.failed).toEqual([]);
    expect(kept.current.failed).toHaveLength(2);
    expect(await store.files()).toEqual([]);
  });

  test('waits without a network and is sent when there is one; signatures go before photos', async () => {
    const { uploads, client } = await openApp();
    const order: string[] = [];
    expect(client.canSignOut()).toBe(true);
    link.refuse();
    link.cut();
    const [photo, signature] = [photoOf(50_000), photoOf(5_000)];
    const first = await uploads.add(photo, { kind: 'photo' });
    const second = await uploads.add(signature, { kind: 'signature' });
    for (const [name, { id }] of Object.entries({ first, second }))
      uploads.file(id).subscribe((state) => state?.at === 'here' && order.push(name));
    expect(uploads.status.current.waiting).toBe(2);
    expect(Object.values(client.status.current.uploading)).toEqual([2]);
    expect([client.canSignOut(), client.dayComplete()]).toEqual([false, false]);
    await link.accept();
    uploads.wake();
    await Promise.all([uploads.here(first.id), uploads.here(second.id)]);
    expect([client.canSignOut(), client.dayComplete()]).toEqual([true, true]);
    expect(order).toEqual(['second', 'first']);
  });

  test('that is sent before the welcome is not requested again after it', async () => {
    const { device, client: before, key } = await openApp();
    const employee = before.driver.current?.employeeId ?? '';
    await device.kill();
    const channel = Promise.withResolvers<void>();
    let isOpen = false;
    const barred = (): void => {
      if (!isOpen) throw new DOMException('not yet', 'SecurityError');
    };
    class Gate extends WebSocket {
      constructor(url: string) {
        barred();
        super(url);
      }
    }
    const uploads = await openUploads({ store: new MemoryFiles(), photos: false });
    const client = await device.start({
      uploads,
      WebSocket: Gate,
      fetch: (...request) => channel.promise.then(() => fetch(...request)),
    });
    const { id } = await uploads.add(photoOf(5_000), { kind: 'photo', employee });
    const states: string[] = [];
    uploads.file(id).subscribe((state) => states.push(state?.at ?? 'gone'));
    await uploads.here(id);
    expect(client.status.current.connection).not.toBe('online');
    isOpen = true;
    channel.resolve();
    await client.updateStop(key, { id: 2, updates: { driver_comments: 'so that there was a welcome' } }).accepted;
    // The next turn of the loop sends a later file.
    await uploads.here((await uploads.add(photoOf(5_000), { kind: 'photo', employee })).id);
    expect(states).toEqual(['here']);
  });

  test('is one file if one driver adds it twice; of two drivers it is two, and their ids reveal no relation', async () => {
    const [one, other] = [await openApp(), await openApp()];
    const photo = photoOf(1_000);
    const { id } = await one.uploads.add(photo, { kind: 'photo' });
    expect((await one.uploads.add(photo, { kind: 'photo' })).id).toBe(id);
    expect((await other.uploads.add(photo, { kind: 'photo' })).id).not.toBe(id);
  });

  test('of a driver who has signed out is sent by the queue’s key', async () => {
    const { uploads, client, key } = await openApp();
    await client.updateStop(key, { id: 2, updates: { driver_comments: 'so that there is a queue' } }).accepted;
    link.refuse();
    link.cut();
    const photo = photoOf(20_000);
    const { id } = await uploads.add(photo, { kind: 'photo' });
    await client.signOut();
    await link.accept();
    uploads.wake();
    await uploads.here(id);
    await serverHas(id, photo);
    expect(client.driver.current).toBeUndefined();
  });

  test('of a driver who was evicted while another driver uses the phone is sent, though the token seems valid', async () => {
    const { uploads, client, key } = await openApp();
    await client.updateStop(key, { id: 2, updates: { driver_comments: 'so that there is a queue' } }).accepted;
    const employee = client.driver.current?.employeeId ?? '';
    const photo = photoOf(20_000);
    const other = employees[next++] ?? '';
    await client.signIn({ employeeId: other, password });
    await endSignIns(employee);
    const { id } = await uploads.add(photo, { kind: 'photo', employee });
    await uploads.here(id);
    await serverHas(id, photo);
    expect(client.status.current.employeeId).toBe(other);
  });

  test('continues after a kill of the app, from the bytes that had arrived', async () => {
    const { uploads, restart } = await openApp();
    link.throttle(200_000);
    const photo = photoOf(600_000);
    const { id } = await uploads.add(photo, { kind: 'photo' });
    await expect.poll(() => received(id), { timeout: 60_000 }).toBeGreaterThan(100_000);
    const again = await restart();
    link.pass();
    await again.uploads.here(id);
    await serverHas(id, photo);
    expect((await keptOfUploads(node.database.pool)).intakes).toBe(0);
  });

  test('continues where the kill lost the note that it had begun, and reports no fault', async () => {
    const { files, uploads, restart } = await openApp();
    link.throttle(200_000);
    const photo = photoOf(600_000);
    const { id } = await uploads.add(photo, { kind: 'photo' });
    const [kept] = await files.files();
    await expect.poll(() => received(id), { timeout: 60_000 }).toBeGreaterThan(100_000);
    const put = files.put.bind(files);
    files.put = () => new Promise(() => {});
    await put(id, kept?.value);
    files.put = put;
    const again = await restart();
    link.pass();
    await again.uploads.here(id);
    await serverHas(id, photo);
    expect(again.client.status.current.lastError).toBeUndefined();
  });
});

test('a disk that cannot be read at the start is reported, and read later', async () => {
  const disk = new MemoryFiles();
  let wake = (): void => {};
  let isGone = false;
  const files: FileStore = {
    files: () => (isGone ? Promise.reject(new Error('the disk is gone')) : disk.files()),
    piece: (id, piece) => disk.piece(id, piece),
    put: (id, value, pieces) => disk.put(id, value, pieces),
    remove: (id) => disk.remove(id),
    close: () => disk.close(),
  };
  const uploads = await openUploads({ store: files, photos: false });
  const wakeUps = (listener: () => void) => {
    wake = listener;
    return () => {};
  };
  const client = await new Device(link.through(node.client.url), { uploads, wakeUps }).start();
  isGone = true;
  wake();
  const { lastError } = await until(client.status, (status) => status.lastError !== undefined);
  expect(lastError).toMatchObject({ code: 'FILES', message: 'the disk is gone' });

  isGone = false;
  const elsewhere = await openUploads({ store: disk, photos: false });
  const { id } = await elsewhere.add(photoOf(100), { kind: 'photo', employee: '1001' });
  wake();
  await until(uploads.file(id), (state) => state?.at === 'saved');
});

test('a file that is added after the client was closed is refused and not stored', async () => {
  const files = new MemoryFiles();
  const { client, uploads } = await openApp(files);
  await client.close();
  await expect(uploads.add(photoOf(100), { kind: 'photo', employee: '1001' })).rejects.toThrow('open new ones');
  expect(await files.files()).toEqual([]);
});

test('a photo that is taken again leaves the phone, and only the second one is sent', async () => {
  const { uploads, client, files, restart } = await openApp();
  link.refuse();
  link.cut();
  await until(client.status, ({ connection }) => connection !== 'online');
  const [first, second] = [photoOf(600_000), photoOf(300_000)];
  const { id: dropped } = await uploads.add(first, { kind: 'photo' });
  const { id } = await uploads.add(second, { kind: 'photo' });
  expect(Buffer.from((await uploads.read(dropped)) ?? []).equals(await bytesOf(first))).toBe(true);

  await uploads.discard(dropped);
  expect(uploads.status.current.waiting).toBe(1);
  expect(uploads.file(dropped).current).toBeUndefined();
  expect(await uploads.read(dropped)).toBeUndefined();
  expect((await files.files()).map(({ key }) => key)).toEqual([id]);
  expect(await files.piece(dropped, 0)).toBeUndefined();

  const after = await restart();
  await link.accept();
  after.client.syncNow();
  await after.uploads.here(id);
  await serverHas(id, second);
  expect(await received(dropped)).toBe(0);
  // The server has it: it stays on the phone until the retention ends.
  await after.uploads.discard(id);
  expect(after.uploads.file(id).current).toMatchObject({ at: 'here' });
});

test('a photo that is discarded during its upload does not return to the phone', async () => {
  const { uploads, files } = await openApp();
  link.throttle(100_000);
  const { id } = await uploads.add(photoOf(400_000), { kind: 'photo' });
  await until(uploads.status, ({ sending }) => (sending?.sent ?? 0) > 0);
  await uploads.discard(id);
  link.throttle(Infinity);
  await until(uploads.status, ({ sending }) => sending === undefined);
  expect(await files.files()).toEqual([]);
  expect(uploads.status.current.waiting).toBe(0);
});

test('the hash of a text is the SHA-256 of its UTF-8 form', () => {
  for (const text of ['', 'abc', 'Crème fraîche 9 of 11 — “Oak Park”', 'x'.repeat(10_000)])
    expect(sha256Hex(text)).toBe(createHash('sha256').update(text).digest('hex'));
});

test('the id of a file is the one that the protocol defines', async () => {
  const files = new MemoryFiles();
  const { uploads } = await openApp(files);
  const bytes = random.take(777);
  const { id } = await uploads.add(new Blob([bytes]), { kind: 'photo' });
  const [stored] = (await files.files()).map(({ value }) => value);
  expect(stored).toMatchObject({ id, size: 777 });
  const salt = typeof stored === 'object' && stored !== null && 'salt' in stored ? String(stored.salt) : '';
  expect(deviceAssetId(salt, bytes)).toBe(id);
});
