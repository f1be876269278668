import { expect, test } from 'vitest';
import { openPage, servePage, startBrowser } from '../support/browser.ts';
import { password } from '../support/people.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { demoRoute, openService } from './service.ts';

const route = demoRoute('R200');

// What an app would write; `app` is what the test calls from outside.
const script = `
import { createClient, openIndexedDb } from '@tailgate/client-sdk';

const route = ${JSON.stringify(route)};
const client = await createClient({
  url: location.origin,
  store: await openIndexedDb(),
  timing: { retryBaseMs: 20, retryCapMs: 250 },
});
const until = (watch, isSo) => new Promise((resolve) => {
  const look = () => { if (isSo(watch.current)) resolve(true); };
  watch.subscribe(look);
  look();
});

globalThis.phone = {
  signUp: async () => {
    await client.signUp('1003', ${JSON.stringify(password)});
    return until(client.route(), (route) => route !== undefined);
  },
  deliver: async (id, driver_comments) => {
    const receipt = client.updateStop(route, { id, updates: { status: 'D', driver_comments } });
    await receipt.saved;
    return receipt.id;
  },
  skip: async (id, skip_refuse_reason_code) => {
    const receipt = client.skipStop(route, id, { skip_refuse_reason_code });
    await receipt.saved;
    return receipt.id;
  },
  offline: () => until(client.status, (status) => status.connection !== 'online'),
  onHost: (id) => client.receipt(id).onHost,
  statuses: () => client.route().current.stops.map((stop) => stop.updates.status).join(''),
};
globalThis.ready = true;
`;

interface Phone {
  signUp(): Promise<unknown>;
  deliver(id: number, comments: string): Promise<string>;
  skip(id: number, reason: string): Promise<string>;
  offline(): Promise<unknown>;
  onHost(id: string): Promise<void>;
  statuses(): string;
}
declare global {
  var phone: Phone;
}

test('a driver works in a real browser without a network, the page is killed, and the host gets it all', async () => {
  const service = await openService();
  const network = await startTcpProxy(service.server.port);
  const address = await servePage(script, `http://127.0.0.1:${network.port}`);
  const context = await (await startBrowser()).newContext();
  const page = await openPage(context, address);
  await page.evaluate(() => globalThis.phone.signUp());

  network.refuse();
  network.cut();
  await page.evaluate(() => globalThis.phone.offline());
  const delivered = await page.evaluate(() => globalThis.phone.deliver(1, 'Tür links, Hof'));
  const refused = await page.evaluate(() => globalThis.phone.skip(2, '10'));
  await page.close();

  const again = await openPage(context, address);
  expect(await again.evaluate(() => globalThis.phone.statuses())).toMatch(/^DRP/);
  await network.accept();
  for (const id of [delivered, refused]) await again.evaluate((receipt) => globalThis.phone.onHost(receipt), id);
  await again.close();

  const rows = await service.show('RTSTPP', `RSRTE = 'R200' and RSSTP in (1, 2)`);
  expect(rows.map((row) => [row['RSSTP'], row['RSSTS']])).toEqual([
    ['1', 'D'],
    ['2', 'R'],
  ]);
  const ledger = await service.database.pool.query<{ id: string }>('select id from ledger order by seq');
  expect(ledger.rows.map((row) => row.id)).toEqual([delivered, refused]);
});
