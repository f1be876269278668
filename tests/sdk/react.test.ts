import { driverPassword, sampleKey } from '@tailgate/client-sdk/testing';
import { expect, test } from 'vitest';
import { openPage, servePage, startBrowser } from '../support/browser.ts';
import { startScriptedServer } from '../support/scripted-server.ts';

// The code of an app, with the hooks in strict mode. `seen` lists the values that its components received.
const script = `
import { createElement as h, StrictMode, startTransition, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createClient, MemoryStore } from '@tailgate/client-sdk';
import {
  ClientProvider, useCanSignOut, useClientEvent, useDayComplete, useDriver, useRoute, useStatus, useStop, useWatch,
} from '@tailgate/client-sdk/react';

const client = await createClient({ url: location.origin, store: new MemoryStore() });
const seen = { 1: [], 2: [], routes: [], conflicts: [], days: [] };
globalThis.seen = seen;

function Stop({ id }) {
  // Apps write a key inline: a new object in every render.
  const stop = useStop(id, { facility: '${sampleKey.facility}', id: '${sampleKey.id}', week_end: '${sampleKey.week_end}' });
  if (stop && seen[id].at(-1) !== stop) seen[id].push(stop);
  return h('li', { id: 'stop-' + id }, stop?.updates.driver_comments ?? 'none');
}

function Receipt({ receipt }) {
  return h('p', { id: 'receipt' }, useWatch(receipt).at);
}

function Screen() {
  const driver = useDriver();
  const { connection } = useStatus();
  const route = useRoute();
  const [receipt, show] = useState();
  const [atServer, complete] = [useCanSignOut(), useDayComplete()];
  const day = 'day ' + (complete ? 'complete' : atServer ? 'at the server' : 'on the phone');
  if (seen.days.at(-1) !== day) seen.days.push(day);
  if (route && seen.routes.at(-1) !== route) seen.routes.push(route);
  useClientEvent('conflict', ({ path }) => seen.conflicts.push(path));
  const record = () => {
    const made = client.updateStop(route.key, { id: 1, updates: { driver_comments: 'at the door' } });
    startTransition(() => show(made));
  };
  return h('main', {}, h('h1', {}, driver ? driver.name + ' ' + connection : 'signed out'),
    h(Stop, { id: 1 }), h(Stop, { id: 2 }), h('button', { onClick: record, disabled: !route }, 'Record'),
    receipt && h(Receipt, { receipt }));
}

createRoot(document.body.appendChild(document.createElement('div'))).render(
  h(StrictMode, {}, h(ClientProvider, { client }, h(Screen))));
globalThis.signIn = () => client.signIn({ employeeId: '1001', password: '${driverPassword}' });
globalThis.ready = true;
`;

interface Seen {
  readonly 1: readonly object[];
  readonly 2: readonly object[];
  readonly routes: readonly object[];
  readonly conflicts: readonly string[];
  readonly days: readonly string[];
}
declare global {
  var seen: Seen;
  var signIn: () => Promise<unknown>;
}

test('a component made of hooks renders on changes of its own data only', async () => {
  const server = await startScriptedServer();
  const address = await servePage(script, server.url);
  // Registered after the page's server, so that it ends first: an open socket would block the end of the server.
  const browser = await startBrowser();
  const page = await openPage(await browser.newContext(), address);
  expect(await page.textContent('h1')).toBe('signed out');

  await page.evaluate(() => globalThis.signIn());
  await page.getByText('Driver 1001 online').waitFor();
  await page.getByRole('button', { name: 'Record', disabled: false }).click();
  await page.getByText('accepted').waitFor();
  expect(await page.textContent('#stop-1')).toBe('at the door');

  server.host();
  await page.getByText('on_host').waitFor();
  const days = ['day complete', 'day on the phone', 'day at the server', 'day complete'];
  expect(await page.evaluate(() => globalThis.seen.days)).toEqual(days);
  server.edit({ id: 2, updates: { driver_comments: 'ring twice' } }, Date.now());
  await page.getByText('ring twice').waitFor();

  const { 1: first, 2: second } = await page.evaluate(() => ({
    1: globalThis.seen[1].length,
    2: globalThis.seen[2].length,
  }));
  // As planned, as recorded (pending), and as accepted.
  expect(first).toBe(3);
  expect(second).toBe(2);
});

test('a hook without a provider names what is missing', async () => {
  const { createElement } = await import('react');
  const { renderToString } = await import('react-dom/server');
  const { useStatus } = await import('@tailgate/client-sdk/react');
  const Lost = () => useStatus().connection;
  expect(() => renderToString(createElement(Lost))).toThrow('put a <ClientProvider client={…}> above');
});
