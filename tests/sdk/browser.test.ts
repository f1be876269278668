import type { Browser, BrowserContext } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { openPage, servePage, startBrowser, untilReady } from '../support/browser.ts';
import { sampleKey } from '@tailgate/client-sdk/testing';
import type { ScriptedServer } from '@tailgate/client-sdk/testing';
import { startScriptedServer } from '../support/scripted-server.ts';

// The code of an app. The test calls `app` from outside the page.
const script = `
import { createClient, openIndexedDb } from '@tailgate/client-sdk';
import { exportQueues, importQueue } from '@tailgate/client-sdk/rescue';

const key = ${JSON.stringify(sampleKey)};
const timing = { retryBaseMs: 20, retryCapMs: 200 };
const client = await createClient({ url: location.origin, store: await openIndexedDb(), timing });

const until = (watch, isSo) => new Promise((resolve) => {
  const check = () => { if (isSo(watch.current)) resolve(watch.current); };
  watch.subscribe(check);
  check();
});

globalThis.app = {
  signIn: async () => {
    const result = await client.signIn({ employeeId: '1001', password: 'secret-of-driver' });
    await until(client.route(), (route) => route !== undefined);
    return result.kind;
  },
  record: async (stop, text) => {
    const receipt = client.updateStop(key, { id: stop, updates: { status: 'D', driver_comments: text } });
    await receipt.saved;
    return receipt.id;
  },
  offline: () => until(client.status, (status) => status.connection !== 'online').then(() => true),
  online: () => until(client.status, (status) => status.connection === 'online').then(() => true),
  comments: () => client.route().current?.stops.map((stop) => stop.updates.driver_comments),
  receipt: (id) => client.receipt(id)?.current.at,
  accepted: (id) => client.receipt(id).accepted,
  status: () => client.status.current,
  close: () => client.close(),
  rescue: async () => {
    await client.close();
    return exportQueues(await openIndexedDb());
  },
  takeIn: async (queue) => {
    await client.close();
    return (await importQueue(await openIndexedDb(), queue)).items;
  },
  takeInBeside: async (queue) => {
    const store = await openIndexedDb('tailgate', { patienceMs: 50 });
    return importQueue(store, queue).then(({ items }) => items, ({ name }) => name);
  },
};
globalThis.ready = true;
`;

interface App {
  signIn(): Promise<string>;
  record(stop: number, text: string): Promise<string>;
  offline(): Promise<boolean>;
  online(): Promise<boolean>;
  comments(): (string | null)[] | undefined;
  receipt(id: string): string | undefined;
  accepted(id: string): Promise<number>;
  status(): { pending: Record<string, number>; lastError: { code: string; message: string } | undefined };
  close(): Promise<void>;
  rescue(): Promise<unknown[]>;
  takeIn(queue: unknown): Promise<number>;
  takeInBeside(queue: unknown): Promise<number | string>;
}
declare global {
  var app: App;
}

describe('the SDK in a real Chromium, on its IndexedDB', () => {
  let server: ScriptedServer;
  let browser: Browser;
  let context: BrowserContext;
  let address: string;
  beforeAll(async () => {
    server = await startScriptedServer();
    address = await servePage(script, server.url);
    browser = await startBrowser();
    context = await browser.newContext();
  });

  test('changes that were recorded without a network survive a reload and a killed page, and arrive once', async () => {
    const page = await openPage(context, address);
    expect(await page.evaluate(() => globalThis.app.signIn())).toBe('signed_in');
    server.refuse = true;
    server.cut();
    await page.evaluate(() => globalThis.app.offline());
    const first = await page.evaluate(() => globalThis.app.record(1, 'vor dem Tunnel'));

    await page.reload();
    await untilReady(page);
    expect(await page.evaluate(() => globalThis.app.comments())).toEqual(['vor dem Tunnel', null, null]);
    expect(await page.evaluate((id) => globalThis.app.receipt(id), first)).toBe('saved');
    const second = await page.evaluate(() => globalThis.app.record(2, 'im Tunnel'));
    await page.close();

    const again = await openPage(context, address);
    expect(await again.evaluate(() => globalThis.app.comments())).toEqual(['vor dem Tunnel', 'im Tunnel', null]);
    expect((await again.evaluate(() => globalThis.app.status())).pending).toEqual({ 1001: 2 });
    server.refuse = false;
    await again.evaluate((id) => globalThis.app.accepted(id), second);
    expect(server.ledger.taken.map((entry) => entry.id)).toEqual([first, second]);
    expect(server.ledger.chainBreaks).toBe(0);
    await again.close();
  });

  // A page reads frames with the light reader, where Node uses zod.
  test('the client ignores frames of a later protocol, and reports and survives broken ones', async () => {
    const page = await openPage(context, address);
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    await page.evaluate(() => globalThis.app.online());
    server.broadcast('{"type":"hologram","pixels":[1,2]}');
    server.broadcast('{"type":"patch","scope":7}');
    const id = await page.evaluate(() => globalThis.app.record(3, 'afterwards'));
    await page.evaluate((of) => globalThis.app.accepted(of), id);
    expect((await page.evaluate(() => globalThis.app.status())).lastError).toMatchObject({
      code: 'BAD_FRAME',
      message: 'malformed frame (scope)',
    });
    expect(errors).toEqual([]);
    await page.close();
  });

  test('a failed load of a part that follows the start affects only calls that need this part', async () => {
    const page = await context.newPage();
    const lost: string[] = [];
    page.on('requestfailed', (request) => lost.push(new URL(request.url()).pathname.replace(/-.*/, '')));
    await page.route(/\/(http-transport|auth-requests)-/, (route) => route.abort());
    await page.goto(address);
    await untilReady(page);
    const id = await page.evaluate(() => globalThis.app.record(1, 'without them'));
    await page.evaluate((of) => globalThis.app.accepted(of), id);
    expect(await page.evaluate(() => globalThis.app.signIn().catch((error: Error) => error.name))).toBe('Unreachable');
    expect(lost).toEqual(expect.arrayContaining(['/http', '/auth']));
    await page.close();
  });

  test("an export takes undelivered changes out of the browser, and another phone's browser delivers them", async () => {
    const page = await openPage(context, address);
    await page.evaluate(() => globalThis.app.signIn());
    server.refuse = true;
    server.cut();
    await page.evaluate(() => globalThis.app.offline());
    const id = await page.evaluate(() => globalThis.app.record(3, 'auf dem alten Gerät'));
    const [queue, ...others] = await page.evaluate(() => globalThis.app.rescue());
    expect(others).toEqual([]);
    await page.close();

    const other = await browser.newContext();
    const rescuer = await openPage(other, address);
    // While a client runs, it would not see the import: nothing is written.
    expect(await rescuer.evaluate((exported) => globalThis.app.takeInBeside(exported), queue)).toBe('StoreInUse');
    expect(await rescuer.evaluate((exported) => globalThis.app.takeIn(exported), queue)).toBe(1);
    server.refuse = false;
    await rescuer.reload();
    await untilReady(rescuer);
    await server.until(() => server.ledger.taken.some((entry) => entry.id === id));
    expect(server.ledger.taken.find((entry) => entry.id === id)?.employee).toBe('1001');
    expect(server.ledger.chainBreaks).toBe(0);
    await other.close();
  });

  test('the client detects at its next start that the browser has deleted the storage, and reports it', async () => {
    const page = await openPage(context, address);
    expect((await page.evaluate(() => globalThis.app.status())).lastError?.code).toBeUndefined();
    await page.evaluate(() => globalThis.app.close());
    const session = await context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin: new URL(address).origin, storageTypes: 'indexeddb' });
    await page.reload();
    await untilReady(page);
    expect((await page.evaluate(() => globalThis.app.status())).lastError?.code).toBe('EVICTED');
    await page.close();
  });
});
