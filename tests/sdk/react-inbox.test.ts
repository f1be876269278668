import { driverPassword } from '@tailgate/client-sdk/testing';
import { expect, test } from 'vitest';
import { openPage, servePage, startBrowser } from '../support/browser.ts';
import { startScriptedServer } from '../support/scripted-server.ts';

const script = `
import { createElement as h, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createClient, MemoryStore } from '@tailgate/client-sdk';
import { MemoryFiles, openUploads } from '@tailgate/client-sdk/uploads';
import {
  ClientProvider, useConflicts, useReceipt, useReview, useRouteState, useStop, useUploads,
} from '@tailgate/client-sdk/react';

const uploads = await openUploads({ store: new MemoryFiles() });
const client = await createClient({ url: location.origin, store: new MemoryStore(), uploads });

/** A change whose id is known before the change itself. */
const later = '01990000-0000-7000-8000-000000000001';

function Tick({ id }) {
  return h('li', {}, useReceipt(id)?.at);
}

function Screen() {
  const state = useRouteState();
  const stop = useStop(1);
  const review = useReview();
  const lost = useConflicts();
  const { waiting } = useUploads();
  return h('main', {}, h('h1', {}, state), h('p', { id: 'lists' }, review.length + ' ' + lost.length + ' ' + waiting),
    h('p', { id: 'later' }, useReceipt(later)?.at ?? 'none yet'),
    h('p', { id: 'none' }, useReceipt(undefined)?.at ?? 'none'),
    h('ul', {}, stop?.receipts.map((id) => h(Tick, { id, key: id }))),
    review.map(({ id, reason, dismissed }) => h('button', { key: id, onClick: () => client.acknowledge(id) }, dismissed ?? reason)));
}

createRoot(document.body.appendChild(document.createElement('div'))).render(
  h(StrictMode, {}, h(ClientProvider, { client, uploads }, h(Screen))));
globalThis.inbox = {
  signIn: () => client.signIn({ employeeId: '1001', password: '${driverPassword}' }),
  deliver: (id) => client.stop(id).deliver().id,
  recordLater: () => {
    const { key } = client.route().current;
    client.updateStop(key, { id: 3, updates: { driver_comments: 'later' } }, { id: later, employee: '1001' });
  },
  keep: () => uploads.add(new Blob(['a photo']), { kind: 'document' }),
};
globalThis.ready = true;
`;

declare global {
  var inbox: { signIn(): Promise<unknown>; deliver(id: number): string; recordLater(): void; keep(): Promise<unknown> };
}

test('hooks show receipts, the inbox, files, and the reason for a missing route', async () => {
  const server = await startScriptedServer();
  server.ledger.poisoned.add(2);
  const address = await servePage(script, server.url);
  const browser = await startBrowser();
  const context = await browser.newContext();
  const page = await openPage(context, address);
  expect(await page.textContent('h1')).toBe('signed_out');
  expect(await page.textContent('#none')).toBe('none');
  await page.evaluate(() => globalThis.inbox.signIn());
  await page.locator('h1', { hasText: 'here' }).waitFor();
  await page.evaluate(() => globalThis.inbox.deliver(1));
  await page.locator('li', { hasText: 'accepted' }).waitFor();
  server.host();
  await page.locator('li', { hasText: 'on_host' }).waitFor();

  const id = await page.evaluate(() => globalThis.inbox.deliver(2));
  await page.locator('button', { hasText: 'poison' }).waitFor();
  // A file waits as long as the network is away.
  await context.setOffline(true);
  await page.evaluate(() => globalThis.inbox.keep());
  await page.locator('#lists', { hasText: '1 0 1' }).waitFor();
  await context.setOffline(false);
  server.review(id, 'done by hand');
  await page.locator('button', { hasText: 'done by hand' }).click();
  await page.locator('#lists', { hasText: /^0 0/ }).waitFor();
});

test('a component that is mounted before its change shows the receipt as soon as the change is known', async () => {
  const server = await startScriptedServer();
  const address = await servePage(script, server.url);
  const browser = await startBrowser();
  const page = await openPage(await browser.newContext(), address);
  await page.evaluate(() => globalThis.inbox.signIn());
  await page.locator('h1', { hasText: 'here' }).waitFor();
  expect(await page.textContent('#later')).toBe('none yet');
  await page.evaluate(() => globalThis.inbox.recordLater());
  await page.locator('#later', { hasText: 'accepted' }).waitFor({ timeout: 60_000 });
  server.host();
  await page.locator('#later', { hasText: 'on_host' }).waitFor({ timeout: 60_000 });
});
