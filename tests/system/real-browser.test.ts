import { codesScope } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { crashPage, openPage, servePage, startBrowser } from '../support/browser.ts';
import { password } from '../support/people.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { RouteHistory, hostStateOf } from './route-history.ts';
import { demoRoute, openService } from './service.ts';

const route = demoRoute('R100');

// The code of an app; the test calls `story` from outside.
const script = `
import { createClient, openIndexedDb } from '@tailgate/client-sdk';

const route = ${JSON.stringify(route)};
const timing = { retryBaseMs: 20, retryCapMs: 250 };
const client = await createClient({ url: location.origin, store: await openIndexedDb(), timing });
const until = (watch, wanted) => new Promise((resolve) => {
  const look = () => { if (wanted(watch.current)) resolve(); };
  watch.subscribe(look);
  look();
});

globalThis.story = {
  signUp: async () => {
    await client.signUp('1001', '${password}');
    await until(client.route(), (known) => known !== undefined);
  },
  scopes: async () => (await client.diagnostics()).scopes.map(({ scope }) => scope),
  offline: () => until(client.status, ({ connection }) => connection !== 'online'),
  update: async (stop) => {
    const receipt = client.updateStop(route, stop);
    await receipt.saved;
    return receipt.id;
  },
  skip: async (stop, fields) => {
    const receipt = client.skipStop(route, stop, fields);
    await receipt.saved;
    return receipt.id;
  },
  statuses: () => client.route().current.stops.map((stop) => stop.updates.status).join(''),
  standing: (ids) => ids.map((id) => client.receipt(id)?.current.at),
  onHost: async (ids) => { await Promise.all(ids.map((id) => client.receipt(id).onHost)); },
};
globalThis.ready = true;
`;

interface Story {
  signUp(): Promise<void>;
  scopes(): Promise<string[]>;
  offline(): Promise<void>;
  update(stop: object): Promise<string>;
  skip(stop: number, fields: object): Promise<string>;
  statuses(): string;
  standing(ids: readonly string[]): (string | undefined)[];
  onHost(ids: readonly string[]): Promise<void>;
}
declare global {
  var story: Story;
}

/** A batch that waits to write its ledger entries. */
const waitingForLedger = `select from pg_stat_activity
  where wait_event_type = 'Lock' and query like '%insert into ledger%' and datname = current_database()`;

test('field case 30: in a real Chromium, page and server are killed between commit and ack; all of it is on the host once', async () => {
  const service = await openService();
  const network = await startTcpProxy(service.server.port);
  const address = await servePage(script, `http://127.0.0.1:${network.port}`);
  const context = await (await startBrowser()).newContext();
  const page = await openPage(context, address);
  await page.evaluate(() => globalThis.story.signUp());
  // The code lists separate refusals from skips.
  await expect.poll(() => page.evaluate(() => globalThis.story.scopes())).toContain(codesScope);

  network.refuse();
  network.cut();
  await page.evaluate(() => globalThis.story.offline());
  const delivery = {
    id: 1,
    updates: {
      status: 'D' as const,
      start_delivery_time: '2026-11-20T15:50:00.000Z',
      end_delivery_time: '2026-11-20T16:05:00.000Z',
      store_emp_name: 'Müller',
    },
  };
  const skipped = { skip_refuse_reason_code: '11', skip_refuse_timestamp: '2026-11-20T16:30:00.000Z' };
  const ids = [
    await page.evaluate((stop) => globalThis.story.update(stop), delivery),
    await page.evaluate((fields) => globalThis.story.skip(2, fields), skipped),
  ];
  await crashPage(page);

  const again = await openPage(context, address);
  expect(await again.evaluate(() => globalThis.story.statuses())).toBe('DRPPPPPPPPPPPP');
  expect(await again.evaluate((all) => globalThis.story.standing(all), ids)).toEqual(['saved', 'saved']);
  expect((await service.database.pool.query('select from ledger')).rowCount).toBe(0);

  // The network works until the push arrives; the test blocks its commit, and its answer is not let through.
  const { pool } = service.database;
  const count = async (statement: string): Promise<number> => (await pool.query(statement)).rowCount ?? 0;
  const lock = await pool.connect();
  await lock.query('begin');
  await lock.query('lock table ledger in share mode');
  await network.accept();
  await expect.poll(() => count(waitingForLedger)).toBe(1);
  network.bufferDown();
  await lock.query('rollback');
  lock.release();
  await expect.poll(() => count('select from ledger')).toBe(2);
  await service.server.kill9();
  expect(await again.evaluate((all) => globalThis.story.standing(all), ids)).toEqual(['saved', 'saved']);
  network.pass();
  await service.server.start();
  await again.evaluate((all) => globalThis.story.onHost(all), ids);

  const history = new RouteHistory(route);
  const at = Date.now();
  history.edits.push({ kind: 'update', by: '1001', at, stop: delivery });
  history.edits.push({ kind: 'skip', by: '1001', at, stop: { id: 2 }, fields: skipped });
  expect(await hostStateOf(service, route)).toEqual(history.expected());
  const { rows } = await service.database.pool.query<{ id: string }>('select id from ledger order by seq');
  expect(rows.map(({ id }) => id)).toEqual(ids);
});
