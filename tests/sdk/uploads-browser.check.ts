import type { BrowserContext } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { crashPage, openPage, servePage, startBrowser } from '../support/browser.ts';
import { insertRoutes, plan } from '../support/mirror.ts';
import { password, signUp } from '../support/people.ts';
import type { SyncNode } from '../support/sync-node.ts';
import { startSyncNode } from '../support/sync-node.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { download } from '../support/uploads.ts';

const script = `
import { createClient, openIndexedDb } from '@tailgate/client-sdk';
import { openIndexedDbFiles, openUploads } from '@tailgate/client-sdk/uploads';

/** Every open database connection of this page. */
const opened = [];
const open = indexedDB.open.bind(indexedDB);
IDBFactory.prototype.open = (...args) => {
  const request = open(...args);
  request.addEventListener('success', () => opened.push(request.result));
  return request;
};
const isOpen = (database) => {
  try {
    database.transaction(database.objectStoreNames);
    return true;
  } catch {
    return false;
  }
};

// A long back-off: the page retries nothing by itself within a test.
const timing = location.search === '?patient' ? { retryBaseMs: 1e9, retryCapMs: 1e9 } : { retryBaseMs: 20, retryCapMs: 200 };
const uploads = await openUploads({ store: await openIndexedDbFiles() });
const client = await createClient({ url: location.origin, store: await openIndexedDb(), timing, uploads });

/** A picture of a camera's size, of noise that no codec can compress. */
async function takePhoto(side) {
  const canvas = new OffscreenCanvas(side, side / 2);
  const context = canvas.getContext('2d');
  const picture = context.createImageData(side, side / 2);
  for (let i = 0, x = 1; i < picture.data.length; i++) picture.data[i] = (x = (x * 1103515245 + 12345) % 2147483648) >> 16;
  context.putImageData(picture, 0, 0);
  return canvas.convertToBlob({ type: 'image/jpeg', quality: 1 });
}

globalThis.files = {
  signIn: async (employeeId, password) => (await client.signIn({ employeeId, password })).kind,
  add: async (side, kind) => {
    const photo = await takePhoto(side);
    const { id } = await uploads.add(photo, { kind, name: kind + '.jpg' });
    return { id, size: photo.size };
  },
  here: (id) => uploads.here(id),
  waiting: () => uploads.status.current.waiting,
  failed: () => uploads.status.current.failed.map(({ id }) => id),
  at: (id) => uploads.file(id).current?.at,
  sync: () => client.syncNow(),
  close: () => client.close(),
  open: () => opened.filter(isOpen).map(({ name }) => name).sort(),
};
globalThis.ready = true;
`;

declare global {
  var files: {
    signIn(employeeId: string, password: string): Promise<string>;
    add(side: number, kind: string): Promise<{ id: string; size: number }>;
    here(id: string): Promise<void>;
    waiting(): number;
    failed(): string[];
    at(id: string): string | undefined;
    sync(): void;
    close(): Promise<void>;
    open(): string[];
  };
}

let node: SyncNode;
let context: BrowserContext;
let address: string;
let link: TcpProxy;

beforeAll(async () => {
  node = await startSyncNode();
  await insertRoutes(node.database.pool, [
    { facility: 'F01', id: 'R1', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1)] },
  ]);
  await signUp(node.client, '1001');
  link = await startTcpProxy(Number(new URL(node.client.url).port));
  address = await servePage(script, link.through(node.client.url));
  context = await (await startBrowser()).newContext();
});

test('in Chromium the SDK reduces a photo, but not a signature; both survive a killed page without a network', async () => {
  const page = await openPage(context, address);
  expect(await page.evaluate((secret) => globalThis.files.signIn('1001', secret), password)).toBe('signed_in');
  await context.setOffline(true);
  const photo = await page.evaluate(() => globalThis.files.add(2400, 'photo'));
  const signature = await page.evaluate(() => globalThis.files.add(400, 'signature'));
  expect(await page.evaluate(() => globalThis.files.waiting())).toBe(2);
  await page.close();

  await context.setOffline(false);
  const again = await openPage(context, address);
  await again.evaluate((id) => globalThis.files.here(id), photo.id);
  await again.evaluate((id) => globalThis.files.here(id), signature.id);
  const [smaller, same] = [await download(node.client, photo.id), await download(node.client, signature.id)];
  expect(smaller.bytes.length).toBeLessThan(photo.size / 2);
  // The noise exceeds this limit at first.
  expect(smaller.bytes.length).toBeLessThanOrEqual(1_000_000);
  expect(smaller.headers.get('content-type')).toBe('image/jpeg');
  expect(same.bytes.length).toBe(signature.size);
  await again.close();
});

test('a page that does not run the client stores files, too, and sees them arrive', async () => {
  const first = await openPage(context, address);
  const second = await openPage(context, address);
  const photo = await second.evaluate(() => globalThis.files.add(600, 'photo'));
  await second.evaluate((id) => globalThis.files.here(id), photo.id);
  expect(await second.evaluate(() => globalThis.files.waiting())).toBe(0);
  expect((await download(node.client, photo.id)).headers.get('content-type')).toBe('image/jpeg');

  // A page closes all its connections, with or without the client.
  expect(await second.evaluate(() => globalThis.files.open())).toEqual(['tailgate', 'tailgate-files']);
  for (const page of [second, first]) {
    await page.evaluate(() => globalThis.files.close());
    expect(await page.evaluate(() => globalThis.files.open())).toEqual([]);
  }
  await first.close();
  await second.close();
});

test('files that another page adds without a network wait with the others, and none of them costs a request', async () => {
  const leader = await openPage(context, `${address}?patient`);
  await leader.evaluate((secret) => globalThis.files.signIn('1001', secret), password);
  const guest = await openPage(context, `${address}?patient`);
  let requests = 0;
  await leader.route('**/api/sync/uploads**', (route) => {
    requests++;
    return route.abort();
  });
  const added = [await guest.evaluate(() => globalThis.files.add(200, 'signature'))];
  await expect.poll(() => requests).toBe(1);
  for (const side of [210, 220, 230, 240])
    added.push(await guest.evaluate((width) => globalThis.files.add(width, 'signature'), side));
  await expect.poll(() => leader.evaluate(() => globalThis.files.waiting())).toBe(5);
  expect(requests).toBe(1);
  await leader.unroute('**/api/sync/uploads**');
  await guest.evaluate(() => globalThis.files.sync());
  for (const { id } of added) await guest.evaluate((name) => globalThis.files.here(name), id);
  await leader.close();
  await guest.close();
});

test('a failed file that another page adds again is sent', async () => {
  const leader = await openPage(context, address);
  const guest = await openPage(context, address);
  await leader.route('**/api/sync/uploads**', (route) => route.fulfill({ status: 400, body: 'no such file' }));
  const { id } = await leader.evaluate(() => globalThis.files.add(250, 'signature'));
  await expect.poll(() => guest.evaluate(() => globalThis.files.failed())).toEqual([id]);
  await leader.unroute('**/api/sync/uploads**');
  expect((await guest.evaluate(() => globalThis.files.add(250, 'signature'))).id).toBe(id);
  for (const page of [guest, leader]) {
    await expect.poll(() => page.evaluate((name) => globalThis.files.at(name), id)).toBe('here');
    expect(await page.evaluate(() => globalThis.files.failed())).toEqual([]);
  }
  expect((await download(node.client, id)).status).toBe(200);
  await leader.close();
  await guest.close();
});

test('after a crash during an upload, the page continues from the bytes that had arrived', async () => {
  const page = await openPage(context, address);
  link.throttle(300_000);
  const file = await page.evaluate(() => globalThis.files.add(1_000, 'signature'));
  const received = async (): Promise<number> => {
    const { rows } = await node.database.pool.query<{ received: number }>(
      'select received from asset_intake where asset_id = $1',
      [file.id],
    );
    return rows[0]?.received ?? 0;
  };
  await expect.poll(received, { timeout: 60_000, interval: 20 }).toBeGreaterThan(file.size / 4);
  await crashPage(page);
  link.cut();
  await page.close();
  const before = link.bytesUp;

  link.throttle(Infinity);
  const again = await openPage(context, address);
  await again.evaluate((id) => globalThis.files.here(id), file.id);
  expect((await download(node.client, file.id)).bytes.length).toBe(file.size);
  expect(link.bytesUp - before).toBeLessThan(file.size * 0.8);
});
