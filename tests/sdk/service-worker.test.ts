import type { CDPSession } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { requestBackgroundSync, syncTag } from '@tailgate/client-sdk/service-worker';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { openPage, servePage, startBrowser } from '../support/browser.ts';
import { startScriptedServer } from '../support/scripted-server.ts';

const client = `
import { createClient, openIndexedDb } from '@tailgate/client-sdk';
import { openIndexedDbFiles, openUploads } from '@tailgate/client-sdk/uploads';
const timing = { retryBaseMs: 20, retryCapMs: 200 };
const open = async () => {
  uploads = await openUploads({ store: await openIndexedDbFiles() });
  return createClient({ url: location.origin, store: await openIndexedDb(), uploads, timing });
};
let uploads;
`;

const worker = `${client}
import { drainOnSync } from '@tailgate/client-sdk/service-worker';
self.addEventListener('sync', (event) => drainOnSync(event, open));
`;

const page = `${client}
const client = await open();
await navigator.serviceWorker.register('/worker.js', { type: 'module' });
await navigator.serviceWorker.ready;
globalThis.driver = {
  signIn: () => client.signIn({ employeeId: '1001', password: 'secret-of-driver' }).then((result) => result.kind),
  record: async (stop, text) => {
    const receipt = client.updateStop(${JSON.stringify(sampleKey)}, { id: stop, updates: { driver_comments: text } });
    await receipt.saved;
    return receipt.id;
  },
  add: async (bytes) => (await uploads.add(new Blob([new Uint8Array(bytes).fill(7)]), { kind: 'photo' })).id,
  file: (id) => uploads.file(id).current?.at,
  arrives: (id) => uploads.here(id),
};
globalThis.ready = true;
`;

interface DriverPage {
  signIn(): Promise<string>;
  record(stop: number, text: string): Promise<string>;
  add(bytes: number): Promise<string>;
  file(id: string): string | undefined;
  arrives(id: string): Promise<void>;
}
declare global {
  var driver: DriverPage;
}

describe('the service worker, in a real Chromium', () => {
  test('sends the changes of a closed page at the browser’s sync event', async () => {
    const server = await startScriptedServer();
    const address = await servePage(page, server.url, worker);
    const context = await (await startBrowser()).newContext();
    const first = await openPage(context, address);
    expect(await first.evaluate(() => globalThis.driver.signIn())).toBe('signed_in');
    server.refuse = true;
    server.cut();
    const id = await first.evaluate(() => globalThis.driver.record(1, 'and off he went'));
    await first.close();
    server.refuse = false;

    // A page of the origin without the app, only for access to the browser.
    const bare = await context.newPage();
    await bare.goto(`${address}worker.js`);
    await dispatchSync(await context.newCDPSession(bare), address);
    await server.until(() => server.ledger.taken.length === 1);
    expect(server.ledger.taken.map((entry) => entry.id)).toEqual([id]);
    await context.close();
  });

  test('also sends the photos of a closed page, larger than a request, without any change beside them', async () => {
    const server = await startScriptedServer();
    const address = await servePage(page, server.url, worker);
    const context = await (await startBrowser()).newContext();
    const first = await openPage(context, address);
    await first.evaluate(() => globalThis.driver.signIn());
    // The client needs a queue key, because the session may end meanwhile.
    await first.evaluate(() => globalThis.driver.record(1, 'at the door'));
    await server.until(() => server.ledger.taken.length === 1);
    server.refuse = true;
    server.cut();
    const ids = [
      await first.evaluate(() => globalThis.driver.add(2_500_000)),
      await first.evaluate(() => globalThis.driver.add(10)),
    ];
    await first.close();
    for (const token of server.tokens.keys()) server.revoke(token);
    server.refuse = false;

    const bare = await context.newPage();
    await bare.goto(`${address}worker.js`);
    await dispatchSync(await context.newCDPSession(bare), address);
    await server.until(() => ids.every((id) => server.files.has(id)));
    expect(ids.map((id) => server.files.get(id)?.bytes.length)).toEqual([2_500_000, 10]);

    // The next page sees that the worker has sent the files.
    const next = await openPage(context, address);
    for (const id of ids) await next.evaluate((file) => globalThis.driver.arrives(file), id);
    await context.close();
  });

  test('sends photos while an open page adds more, and the page sees all of them arrive', async () => {
    const server = await startScriptedServer();
    const address = await servePage(page, server.url, worker);
    const context = await (await startBrowser()).newContext();
    const first = await openPage(context, address);
    await first.evaluate(() => globalThis.driver.signIn());
    server.refuse = true;
    server.cut();
    const early = await first.evaluate(() => globalThis.driver.add(100));
    await first.close();
    server.refuse = false;
    // The worker leads: its requests get no answer.
    server.mute = true;
    const bare = await context.newPage();
    await bare.goto(`${address}worker.js`);
    const connections = server.connections;
    await dispatchSync(await context.newCDPSession(bare), address);
    await server.until(() => server.connections > connections);

    const second = await openPage(context, address);
    const late = await second.evaluate(() => globalThis.driver.add(200));
    server.mute = false;
    server.cut();
    for (const id of [early, late]) await second.evaluate((file) => globalThis.driver.arrives(file), id);
    expect([server.files.get(early)?.bytes.length, server.files.get(late)?.bytes.length]).toEqual([100, 200]);
    await context.close();
  });
});

test('the app learns that the browser has no background sync or refuses it', async () => {
  expect(await requestBackgroundSync({})).toBe(false);
  const asked: string[] = [];
  const refusing = { sync: { register: () => Promise.reject(new DOMException('no', 'NotAllowedError')) } };
  expect(await requestBackgroundSync(refusing)).toBe(false);
  expect(await requestBackgroundSync({ sync: { register: async (tag: string) => asked.push(tag) } })).toBe(true);
  expect(asked).toEqual([syncTag]);
});

/** Dispatches the event as the browser does. The browser requires a person for the registration. */
async function dispatchSync(session: CDPSession, address: string): Promise<void> {
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [found] = registrations;
      if (found) resolve(found.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  await session.send('ServiceWorker.dispatchSyncEvent', {
    origin: new URL(address).origin,
    registrationId: await registered,
    tag: syncTag,
    lastChance: false,
  });
}
