import type { CDPSession } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { requestBackgroundSync, syncTag } from '@tailgate/client-sdk/service-worker';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { openPage, servePage, startBrowser } from '../support/browser.ts';
import { startScriptedServer } from '../support/scripted-server.ts';

const client = `
import { createClient, openIndexedDb } from '@tailgate/client-sdk';
const timing = { retryBaseMs: 20, retryCapMs: 200 };
const open = async () => createClient({ url: location.origin, store: await openIndexedDb(), timing });
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
};
globalThis.ready = true;
`;

interface DriverPage {
  signIn(): Promise<string>;
  record(stop: number, text: string): Promise<string>;
}
declare global {
  var driver: DriverPage;
}

describe('the service worker, in a real Chromium', () => {
  test('what a closed page left behind is sent at the browser’s sync event', async () => {
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

    // A page of the origin without the app: only to speak to the browser.
    const bare = await context.newPage();
    await bare.goto(`${address}worker.js`);
    await dispatchSync(await context.newCDPSession(bare), address);
    await server.until(() => server.ledger.taken.length === 1);
    expect(server.ledger.taken.map((entry) => entry.id)).toEqual([id]);
    await context.close();
  });
});

test('where the browser has no background sync, or refuses it, the app is told', async () => {
  expect(await requestBackgroundSync({})).toBe(false);
  const asked: string[] = [];
  const refusing = { sync: { register: () => Promise.reject(new DOMException('no', 'NotAllowedError')) } };
  expect(await requestBackgroundSync(refusing)).toBe(false);
  expect(await requestBackgroundSync({ sync: { register: async (tag: string) => asked.push(tag) } })).toBe(true);
  expect(asked).toEqual([syncTag]);
});

/** The event as the browser would send it; it leaves the registering to people. */
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
