import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openPage, servePage, startBrowser } from '../support/browser.ts';

/** Two apps of one origin, each with stores of its own name and a scripted server in the page. */
const script = `
import { createClient, openIndexedDb } from '@tailgate/client-sdk';
import { deleteDatabase, driverPassword, sampleKey, ScriptedServer } from '@tailgate/client-sdk/testing';
import { fetchStack, openIndexedDbFiles, openUploads } from '@tailgate/client-sdk/uploads';

async function openApp(name) {
  const server = new ScriptedServer();
  const { url, fetch, WebSocket } = server;
  const uploads = await openUploads({ store: await openIndexedDbFiles(name + '-files'), httpStack: fetchStack(fetch) });
  const client = await createClient({ url, fetch, WebSocket, store: await openIndexedDb(name), uploads });
  const { kind } = await client.signIn({ employeeId: '1001', password: driverPassword });
  return { server, client, uploads, kind };
}

globalThis.side = {
  /** The messages of files on the default channel while a store of another name adds one. */
  async heard() {
    const heard = [];
    const channel = new BroadcastChannel('tailgate-files');
    const { client, uploads } = await openApp('other');
    const added = new Promise((resolve) => (channel.onmessage = ({ data }) => (data === 'end' ? resolve() : heard.push(data))));
    await uploads.add(new Blob(['photo']), { kind: 'signature' });
    new BroadcastChannel('tailgate-files').postMessage('end');
    await added;
    await client.close();
    return heard;
  },
  async deleted() {
    const { server, client } = await openApp('other');
    server.refuse = true;
    server.cut();
    await client.updateStop(sampleKey, { id: 1, updates: { status: 'D' } }).saved;
    await client.close();
    await deleteDatabase('other');
    await deleteDatabase('other-files');
    const again = await openIndexedDb('other');
    const rows = await again.readAll('item');
    await again.close();
    return { evicted: again.evicted, rows: rows.length };
  },
  names: async () => (await indexedDB.databases()).map(({ name }) => name).sort(),
};
globalThis.ready = true;
`;

declare global {
  var side: {
    heard(): Promise<unknown[]>;
    deleted(): Promise<{ evicted: boolean; rows: number }>;
    names(): Promise<string[]>;
  };
}

let page: Page;
beforeAll(async () => {
  const context = await (await startBrowser()).newContext();
  page = await openPage(context, await servePage(script, 'http://127.0.0.1:9'));
});

test('files of a store with a name of its own cause no message to apps with other stores', async () => {
  expect(await page.evaluate(() => globalThis.side.heard())).toEqual([]);
});

test('a deleted database opens empty, and not as one that the browser has evicted', async () => {
  expect(await page.evaluate(() => globalThis.side.deleted())).toEqual({ evicted: false, rows: 0 });
  expect(await page.evaluate(() => globalThis.side.names())).toEqual(['other']);
});
