import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { operations } from '@tailgate/sync-protocol';
import { opsOperations } from '../../server/src/ops/operations.ts';
import { operatorPassword } from '../support/operators.ts';
import { demoRoute } from '../system/service.ts';
import type { OfficeWorld } from './desk.ts';
import { openOfficeWorld } from './desk.ts';
import { deliver, deliverWithFiles, driverOf, refuseComments, refusedComment, untilParked } from './refusing-host.ts';

const hostile = `<img src=x onerror="name='run'">`;
const hostileFile = '<img src=x onerror=name=1>.png';
const { facility, id: route, week_end: week } = demoRoute('R100');
const at = (stop: number, page = ''): string => `#/stop/${facility}/${route}/${week}/${stop}${page}`;

let world: OfficeWorld;
beforeAll(async () => {
  world = await openOfficeWorld();
  await refuseComments(world.service);
  const driver = await driverOf(world.service, '1001');
  await deliverWithFiles(world.service, driver, { signature: 'signature.png', photo: hostileFile });
  await deliver(world.service, driver, route, 2, { driver_comments: refusedComment, store_emp_name: hostile });
  await untilParked(world.service, world.headers.look.authorization, route, 2);
  await vi.waitFor(async () => expect(await isOnHost(1)).toBe(true), { timeout: 60_000 });
});
afterAll(() => expect(world.faults()).toEqual([]));

async function isOnHost(stop: number): Promise<boolean> {
  const params = { facility, route_id: route, week_end: week, stop_id: String(stop) };
  const { host } = await world.service.rest.take(opsOperations.readOpsStop, { headers: world.headers.look, params });
  return host.on_host;
}

describe('B4', () => {
  test('two clicks from the routes: ticks, lines that differ first, totals, comment, host, signature and photo', async () => {
    const desk = await world.desk('look', '#/routes');
    const files = '**/ops/assets/**';
    await desk.page.route(files, (request) => request.abort());
    desk.hand.count();
    await desk.hand.tap('R100 Chicago North and West');
    await desk.hand.tap('R100 stop 1, Lakeview');
    await desk.hand.sees('Stop 1 · Lakeview Corner Market');
    expect(desk.hand.count().taps).toBe(2);
    const rows = await desk.page.locator('main .tbl tbody tr').allInnerTexts();
    expect(rows[0]).toContain('Large Eggs');
    expect(rows[0]).toContain('−2');
    expect(rows[0]).toContain('“Corner “crushed” – 2”');
    await desk.hand.sees('52 planned');
    await desk.hand.sees('−6 difference');
    await desk.hand.sees('Ring at the “side door” – the bell is dead.');
    await desk.hand.sees('Ring at the "side door" - the bell is dead.');
    await desk.hand.sees('Rosa Delgado received it.');
    await desk.hand.sees('not from a phone');
    const pictures = desk.page.locator('main figure img');
    await desk.hand.sees('It is asked again every few seconds.');
    await desk.page.unroute(files);
    await expect.poll(() => pictures.count(), { timeout: 30_000 }).toBe(2);
    await desk.hand.seesNo('It is asked again every few seconds.');
    const widths = () =>
      pictures.evaluateAll((all) => all.map((each) => each instanceof HTMLImageElement && each.naturalWidth));
    await expect.poll(widths).toEqual([320, 400]);
    // The file of a hostile name is text, and its original opens on a click.
    await desk.hand.tap('Open photo 1');
    await desk.hand.sees(hostileFile);
    const [saved] = await Promise.all([desk.page.waitForEvent('download'), desk.hand.tap('Save the file')]);
    expect((await readFile(await saved.path())).subarray(1, 4).toString()).toBe('PNG');
    // The lock is above an open file, which is there again afterwards.
    const { token } = await desk.session();
    const ended = { method: 'DELETE', headers: { authorization: `Bearer ${token}` } };
    await fetch(`${world.service.server.url}/api/ops/sessions/current`, ended);
    await desk.hand.sees('The server has ended your session.');
    await desk.hand.type('Password', operatorPassword);
    await desk.hand.tap('Unlock');
    await desk.hand.sees('Save the file');
    await desk.page.keyboard.press('Escape');
    await desk.hand.seesNo('Save the file');
    const requests = desk.lists.filter((url) => url.includes('/ops/assets/'));
    expect(requests.every((url) => !url.includes('token'))).toBe(true);
    expect(await desk.page.evaluate('name')).toBe('');
  });

  test('a refused stop shows its third tick, and leads to the refused row', async () => {
    const desk = await world.desk('look', at(2));
    await desk.hand.sees('RUCMT is not wanted');
    await desk.hand.sees('Back office refused');
    await desk.hand.tap('Open the refused row');
    await desk.hand.sees('The host refuses this');
    expect(await desk.page.evaluate('name')).toBe('');
  });

  test('one click saves the lines as CSV or JSON', async () => {
    const desk = await world.desk('look', at(1));
    await desk.hand.sees('52 planned');
    const [csv] = await Promise.all([desk.page.waitForEvent('download'), desk.hand.tap('CSV')]);
    const text = await readFile(await csv.path(), 'utf8');
    expect(text).toContain('100241');
    expect(text.split('\r\n')).toHaveLength(4 + 2 + 2);
    const [json] = await Promise.all([desk.page.waitForEvent('download'), desk.hand.tap('JSON')]);
    expect(JSON.parse(await readFile(await json.path(), 'utf8'))).toContainEqual(
      expect.objectContaining({ id: '100241', delivered: 4 }),
    );
  });
});

describe('B13', () => {
  test('one click: each field three times, different ones first, only the differing cell tinted', async () => {
    const desk = await world.desk('look', at(2));
    await desk.hand.sees('RUCMT is not wanted');
    desk.hand.count();
    await desk.hand.tap('Three columns');
    await desk.hand.sees('the host refuses it');
    expect(desk.hand.count().taps).toBe(1);
    const table = desk.page.locator('main .tbl tbody tr');
    const first = table.first();
    expect(await first.locator('td.dif').count()).toBe(1);
    expect(await table.last().locator('td.dif').count()).toBe(0);
    await desk.page.getByLabel('The host’s rows').selectOption({ label: 'read now' });
    await desk.hand.sees('The host has: read now');
    expect(await desk.page.evaluate(() => location.hash)).toContain('host=live');
  });
});

describe('B5 and B14', () => {
  test('a skip has its reason in the history, a delivery its values in words, and each time is on the facility’s clock', async () => {
    const driver = await driverOf(world.service, '1009');
    const { week_end } = demoRoute('R900');
    const skip = { facility, route_id: 'R900', week_end, stop_id: 1, type: 'refuse', skip_refuse_reason_code: '11' };
    const comment = { skip_refuse_driver_comment: 'Ordered next week' };
    await world.service.rest.take(operations.skipStop, { as: driver, body: { ...skip, ...comment } });
    const desk = await world.desk('look', `#/stop/${facility}/R900/${week_end}/1/history`);
    await desk.hand.sees('Comment on skip or refusal Ordered next week');
    await desk.go(at(1, '/history'));
    await desk.hand.sees('Receiver Rosa Delgado');
    await desk.hand.sees('Status delivered');
    await desk.hand.sees(/Large Eggs 15 dz: Counting complete yes/);
    expect(await desk.hand.read()).not.toMatch(/accounting_complete|end_delivery_time/);
  });

  test('the history is one click, and the stop as it was at a moment two', async () => {
    const desk = await world.desk('look', at(2));
    await desk.hand.sees('RUCMT is not wanted');
    desk.hand.count();
    await desk.hand.tap('History');
    await desk.hand.sees('1 entry, newest first');
    expect(desk.hand.count().taps).toBe(1);
    const [entry] = await desk.page.locator('main a[data-row]').allInnerTexts();
    await desk.hand.tap((entry ?? '').split('\n')[0] ?? '');
    await desk.hand.sees('As it was at');
    expect(desk.hand.count().taps).toBe(1);
    await desk.hand.sees(hostile);
    await desk.page.reload();
    await desk.hand.sees('As it was at');
    await desk.page.goBack();
    await desk.hand.seesNo('As it was at');
  });
});

describe('B3', () => {
  test('from any page: the field, the text, the stop: 2 clicks', async () => {
    const desk = await world.desk('look', '#/host');
    await desk.hand.sees('By file');
    desk.hand.count();
    await desk.hand.type('Search', 'halsted');
    await desk.hand.sees('Stops,');
    await desk.hand.tap('R100 stop 2, Halsted Food & Fuel');
    await desk.hand.sees('Stop 2 · Halsted Food & Fuel');
    // The click that focuses the field is the first one.
    const { taps, fields } = desk.hand.count();
    expect(taps + fields).toBeLessThanOrEqual(2);
    await desk.page.goBack();
    await desk.hand.sees('results for “halsted”');
    expect(await desk.page.locator('mark').first().innerText()).toBe('Halsted');
    await desk.hand.sees('Nothing among: routes, drivers, files, changes.');
  });

  test('the keyboard alone: slash, the text, Enter, j, Enter', async () => {
    const desk = await world.desk('look', '#/host');
    const { keyboard } = desk.page;
    await desk.hand.sees('By file');
    await keyboard.press('/');
    await keyboard.type('Lakeview ');
    await desk.hand.sees('for “Lakeview”');
    await keyboard.type('Corner');
    await desk.hand.sees('for “Lakeview Corner”');
    await keyboard.press('Control+A');
    await keyboard.type('8100101');
    await keyboard.press('Enter');
    await desk.hand.sees('1 result for “8100101”');
    await desk.page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    await keyboard.press('j');
    await keyboard.press('Enter');
    await desk.hand.sees('Stop 1 · Lakeview Corner Market');
    expect(desk.faults).toEqual([]);
  });

  test('each list of results is saved by one click', async () => {
    const desk = await world.desk('look', '#/search/Marcus%20Bell');
    await desk.hand.sees('1 result for “Marcus Bell”');
    const [csv] = await Promise.all([desk.page.waitForEvent('download'), desk.hand.tap('CSV')]);
    expect(csv.suggestedFilename()).toMatch(/^found-drivers-/);
    const [heads, row] = (await readFile(await csv.path(), 'utf8')).split('\r\n');
    expect(heads).toContain('employee,name,facility,active');
    expect(row).toContain('1001,Marcus Bell,F01,true');
    await desk.go('#/search/halsted');
    const stops = desk.page.locator('section', { hasText: 'Stops, ' }).first();
    const [json] = await Promise.all([
      desk.page.waitForEvent('download'),
      stops.getByRole('button', { name: 'JSON' }).click(),
    ]);
    expect(JSON.parse(await readFile(await json.path(), 'utf8'))).toContainEqual(
      expect.objectContaining({ route_id: 'R100', stop_id: 2 }),
    );
  });

  test('a trace, a driver and a file lead to their pages; nothing is said per kind; a hostile text is text', async () => {
    const desk = await world.desk('look', at(1));
    const trace = await desk.page.locator('dd.mono a').first().innerText();
    await desk.hand.tap(trace);
    await desk.hand.sees(`1 result for “${trace}”`);
    await desk.hand.sees('R100 stop 1,');
    await desk.go('#/search/Marcus%20Bell');
    await desk.hand.tap('Marcus Bell');
    await desk.hand.sees('Phones');
    await desk.go(`#/search/${encodeURIComponent(hostile)}`);
    await desk.hand.sees(`Nothing has “${hostile}”`);
    await desk.hand.sees('Nothing among: stops, routes, customers, drivers, files, changes.');
    expect(await desk.page.evaluate('name')).toBe('');
  });
});

test('every request of these pages is one of a reader', () => {
  expect(world.acts()).toEqual([]);
});
