import { readFile } from 'node:fs/promises';
import { operations } from '@tailgate/sync-protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { opsOperations } from '../../server/src/ops/operations.ts';
import type { Signed } from '../support/rest-client.ts';
import { demoRoute } from '../system/service.ts';
import type { OfficeWorld } from './desk.ts';
import { openOfficeWorld } from './desk.ts';
import { hostile, phoneOf } from './hostile-data.ts';
import { settle } from './looks.ts';
import { withoutReads, withReads } from './second-operator.ts';
import { deliver, driverOf, refuseComments, untilIncident, untilParked } from './refusing-host.ts';

let world: OfficeWorld;
let driver: Signed;
/** Pages that show a hostile text, by the beginnings of their addresses. */
const telling = ['parked/', 'quarantine/', 'incidents/', 'phones', 'host', 'stop/'];

/** The pages with one subject, beside those of the navigation. */
let details: readonly string[];
beforeAll(async () => {
  world = await openOfficeWorld();
  const { service, headers } = world;
  const { rest, library } = service;
  await refuseComments(service);
  driver = await driverOf(service, '1001');
  const { id, ...key } = demoRoute('R100');
  const send = (stop: object) => rest.call(operations.syncStops, { as: driver, body: { id, ...key, stops: [stop] } });
  // Comments, names of recipients, items, devices, reasons, names of the host's masters.
  await deliver(service, driver, 'R100', 2, { driver_comments: `BAD ${hostile}`, store_emp_name: hostile });
  await send({ id: 3, products: [{ id: 'NOSUCH', invoice: 'A', updates: { delivered: 1 } }] });
  await send({ id: 77, updates: { driver_comments: hostile } });
  await phoneOf(service, driver, { device: hostile, app: hostile, pending: 3 });
  await rest.take(opsOperations.beginHold, {
    headers: { ...headers.admin },
    body: { reason: hostile, from: '2030-01-01T22:00:00Z' },
  });
  await library.pool.query(`update PODDTA.FACMSTP set FATZ = $1, FANAM = $1`, [hostile]);
  await library.pool.query(`update PODDTA.RTHDRP set RHNAM = $1 where RHRTE = 'R100'`, [hostile]);
  const parked = await untilParked(service, headers.look.authorization, 'R100', 2);
  const incident = await untilIncident(service, headers.look.authorization);
  const [kept] = await rest.take(opsOperations.listQuarantine, { headers: { ...headers.look } });
  const [phone] = await rest.take(opsOperations.listDevices, { headers: { ...headers.look } });
  const stop = `stop/F01/R100/${key.week_end}/2`;
  details = [
    `parked/${parked.parked_id}`,
    `quarantine/${kept?.quarantine_id}`,
    `incidents/${incident}`,
    `phones/${phone?.client_id}`,
    `${stop}/history`,
    'flags?code=unknown_product',
    `parked?cause=${encodeURIComponent(hostile)}`,
    encodeURIComponent(hostile),
  ];
});
afterAll(() => expect(world.faults()).toEqual([]));

test('hostile names, comments, reasons and devices are text on every page', async () => {
  const desk = await world.desk('admin');
  await desk.page.evaluate(`globalThis.hack = () => { document.documentElement.dataset.hacked = 'yes'; }`);
  const places = await desk.page
    .locator('nav.side a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  const pages = [...places.map((href) => (href ?? '').replace(/^#\//, '')), ...details];
  expect(pages.length).toBeGreaterThanOrEqual(15);
  for (const at of pages) {
    await desk.go(`#/${at}`);
    if (telling.some((begin) => at.startsWith(begin))) await desk.hand.sees(hostile);
    await settle(desk.page);
    const titles = desk.page.locator('.cause-title');
    for (let n = 0; n < (await titles.count()); n++) await titles.nth(n).click();
    expect([at, await desk.page.locator('img[src=x]').count()]).toEqual([at, 0]);
  }
  expect(await desk.page.evaluate('document.documentElement.dataset.hacked')).toBeUndefined();
});

test('a foreign page can neither frame the console nor act with it: no cookie, no foreign origin', async () => {
  const desk = await world.desk('admin');
  const answers: string[] = [];
  desk.page.on('response', (response) => {
    if (response.headers()['set-cookie'] !== undefined) answers.push(response.url());
  });
  await desk.go('#/phones');
  await desk.hand.sees('Look here before a route is paid');
  const foreign = await desk.context.newPage();
  await foreign.route('http://elsewhere.test/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<iframe src="${world.address}"></iframe><form method="post" enctype="text/plain"></form>`,
    }),
  );
  await foreign.goto('http://elsewhere.test/');
  const frame = foreign.frames().find((each) => each !== foreign.mainFrame());
  await expect.poll(() => frame?.url()).toBe('chrome-error://chromewebdata/');
  const hold = `${world.service.server.url}/api/ops/hold`;
  const act = (type: string) =>
    foreign.evaluate(
      async ([url, contentType]) => {
        const body = JSON.stringify({ reason: 'forged' });
        const request = {
          method: 'POST',
          credentials: 'include',
          headers: { 'content-type': contentType },
          body,
        } as const;
        return fetch(url, request).then(
          (answer) => `answered ${answer.status}`,
          () => 'refused',
        );
      },
      [hold, type] as const,
    );
  expect(await act('application/json')).toBe('refused');
  expect(await act('text/plain')).toBe('refused');
  const holds = await world.service.rest.take(opsOperations.listHolds, { headers: { ...world.headers.look } });
  expect(holds.map(({ reason }) => reason)).toEqual([hostile]);
  expect(answers).toEqual([]);
  expect(await desk.context.cookies()).toEqual([]);
});

test('10,000 rows page from the server, at most 200 at once; one click saves all of them', async () => {
  const { rest } = world.service;
  const long = await driverOf(world.service, '1009');
  const { id, ...key } = demoRoute('R900');
  const batches = 67;
  for (let batch = 0; batch < batches; batch++) {
    const stops = Array.from({ length: 150 }, (_, at) => ({
      id: at + 1,
      updates: { overage_items: [{ barcode: String(batch), osd_code: 77, quantity: 1 }] },
    }));
    await rest.take(operations.syncStops, { as: long, body: { id, ...key, stops } });
  }
  // The list has a flag ten seconds after its receipt.
  const sentAt = Date.now();
  await expect.poll(() => Date.now() - sentAt, { timeout: 30_000 }).toBeGreaterThan(10_000);
  const desk = await world.desk('look', '#/flags?code=unknown_code');
  await desk.hand.sees('R900 · stop');
  expect(await desk.page.locator('tbody tr').count()).toBe(100);
  await withoutReads(desk);
  await desk.hand.tap('Show more');
  await desk.hand.sees('It is asked again every few seconds.');
  await withReads(desk);
  await desk.hand.tap('Show more');
  await expect.poll(() => desk.page.locator('tbody tr').count()).toBe(200);
  await desk.hand.seesNo('The server did not answer.');
  // Another filter has none of these rows.
  await desk.go('#/flags?code=unknown_product');
  await desk.hand.sees('R100 · stop 3');
  await expect.poll(() => desk.page.locator('tbody tr').count()).toBe(1);
  await desk.go('#/flags?code=unknown_code');
  await desk.hand.sees('R900 · stop');
  const [json] = await Promise.all([desk.page.waitForEvent('download'), desk.hand.tap('JSON')]);
  const rows: unknown = JSON.parse(await readFile(await json.path(), 'utf8'));
  expect(rows).toHaveLength(batches * 150);
  const limits = desk.lists.map((url) => Number(new URL(url).searchParams.get('limit') ?? 0));
  expect(Math.max(...limits)).toBe(200);
});
