import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OfficeWorld } from './desk.ts';
import { openOfficeWorld } from './desk.ts';
import { deliver, driverOf, refuseComments, refusedComment, untilParked } from './refusing-host.ts';
import { operations } from '@tailgate/sync-protocol';
import { opsOperations } from '../../server/src/ops/operations.ts';
import type { Signed } from '../support/rest-client.ts';
import { demoRoute, opsToken } from '../system/service.ts';
import { phoneOf } from './hostile-data.ts';
import { acts, allActs, repeatAsLook } from './office-rights.ts';
import { decidesAnew, withoutReads, withReads } from './second-operator.ts';

let world: OfficeWorld;
let driver: Signed;
beforeAll(async () => {
  world = await openOfficeWorld();
  await refuseComments(world.service);
  driver = await driverOf(world.service, '1001');
});
afterAll(() => expect(world.faults()).toEqual([]));

async function park(stop: number, comment = refusedComment): Promise<string> {
  await deliver(world.service, driver, 'R100', stop, { driver_comments: comment, store_emp_name: 'Ana Gil' });
  const { parked_id } = await untilParked(world.service, world.headers.look.authorization, 'R100', stop);
  return `#/parked/${parked_id}`;
}

describe('B7', () => {
  test('a refused stop is repaired and confirmed on the host in at most 4 clicks', async () => {
    await park(2);
    const desk = await world.desk('repair');
    desk.hand.count();
    await desk.hand.sees('RUCMT is not wanted');
    await desk.hand.tap('Repair the stop');
    await desk.hand.sees('The host refuses this');
    await desk.hand.type('Comment of the driver', 'Left at the dock – “ok”');
    await desk.hand.sees('The green screen will read:');
    await desk.hand.sees('Left at the dock - "ok"');
    await desk.hand.sees('1 field');
    await desk.hand.tap('Save and send');
    await desk.hand.sees('The host has taken this row');
    await desk.hand.sees('Read back and confirmed : done');
    expect(desk.hand.count().taps).toBeLessThanOrEqual(4);
    const [row] = await world.service.show('RTSTUP', `RURTE = 'R100' and RUSTP = 2`);
    expect(String(row?.['RUCMT']).trim()).toBe('Left at the dock - "ok"');
  });

  test('a text that is too long is not sent: the bound says how much; a second refusal is shown', async () => {
    const desk = await world.desk('repair', await park(3));
    await desk.hand.type('Comment of the driver', 'x'.repeat(260));
    await desk.hand.sees('4 too many: the host holds 256');
    await desk.hand.sees('A value does not fit the host: correct it first.');
    await desk.hand.tap('Save and send');
    await desk.hand.type('Comment of the driver', 'BAD again');
    await desk.hand.tap('Save and send');
    await desk.hand.sees('The host refuses it again:');
    await desk.hand.type('Comment of the driver', 'x'.repeat(256));
    await desk.hand.sees('256 of 256');
    await desk.hand.tap('Save and send');
    await desk.hand.sees('The host has taken this row');
    expect(desk.acts.filter(({ url }) => url.endsWith('/repair'))).toHaveLength(2);
  });

  test('the second operator is shown what the first did', async () => {
    const hash = await park(4);
    const [first, second] = [await world.desk('repair', hash), await world.desk('admin', hash)];
    await second.hand.type('Comment of the driver', 'my own version');
    await withoutReads(second);
    await first.hand.tap('Skip it instead');
    await first.hand.type('Why the host does without it', 'known to the host');
    await first.hand.tap('Skip this row');
    await first.hand.sees('Skipped by');
    await second.hand.tap('Only try again');
    await second.hand.sees('REPAIR was here first, at');
    await second.hand.sees('and skipped this row');
    await second.hand.sees('until you confirm, the buttons send nothing.');
    await withReads(second);
    await second.hand.sees('known to the host');
    await second.hand.sees('my own version');
    await decidesAnew(second, ['Only try again', 'Save and send'], '/retry');
    expect(second.faults).toEqual([]);
  });

  test('a decision of another operator that comes while the page is open needs a confirmation, too', async () => {
    const hash = await park(8);
    const [first, second] = [await world.desk('repair', hash), await world.desk('admin', hash)];
    await second.hand.type('Comment of the driver', 'my own version');
    await first.hand.tap('Skip it instead');
    await first.hand.type('Why the host does without it', 'known to the host');
    await first.hand.tap('Skip this row');
    await second.hand.sees('REPAIR was here first, at');
    await second.shot('office-second-operator');
    await decidesAnew(second, ['Save and send'], '/repair');
    await second.hand.sees('The host has taken this row');
    expect(await first.hand.read()).not.toContain('was here first');
  });
});

test('a refused row is tried again in 2 clicks', async () => {
  const before = await park(6);
  const desk = await world.desk('repair', '#/parked');
  desk.hand.count();
  await desk.hand.tap('R100 · stop 6');
  await desk.hand.sees('The host refuses this');
  await withoutReads(desk);
  await desk.hand.tap('Only try again');
  expect(desk.hand.count()).toEqual({ taps: 2, fields: 0 });
  await desk.hand.sees('It is tried again within seconds.');
  await withReads(desk);
  expect(desk.page.url()).toContain(before);
  await desk.hand.sees(' tries');
  await desk.hand.seesNo('It is tried again within seconds.');
});

describe('B9', () => {
  test('a kept change is dismissed or applied in at most 3 clicks, with the sentence that the driver reads', async () => {
    const { rest } = world.service;
    const { id, ...key } = demoRoute('R100');
    const send = (stop: object) => rest.call(operations.syncStops, { as: driver, body: { id, ...key, stops: [stop] } });
    await send({ id: 77, updates: { driver_comments: 'of another route' } });
    await send({ id: 78, updates: { driver_comments: 'of a third route' } });
    const desk = await world.desk('repair', '#/quarantine');
    desk.hand.count();
    await desk.hand.tap('R100 · stop 77');
    await desk.hand.sees('of another route');
    await desk.hand.type('A sentence that the driver reads', 'Record it at stop 7, please.');
    await desk.hand.tap('Dismiss it');
    await desk.hand.sees('Dismissed by REPAIR: “Record it at stop 7, please.”');
    expect(desk.hand.count()).toEqual({ taps: 2, fields: 1 });
    // Nothing is lost: a dismissed change can still be applied. The rules refuse it here again, and say so.
    await desk.hand.tap('Apply it now');
    await desk.hand.sees('The server refused');
    await desk.go('#/quarantine?code=NO_SUCH');
    await desk.hand.sees('Only changes of one cause: NO_SUCH.');
    await desk.hand.sees('Every change was applied.');
    await desk.hand.tap('Show the changes of every cause');
    desk.hand.count();
    await desk.hand.tap('R100 · stop 78');
    await desk.hand.tap('Apply it now');
    await desk.hand.sees('The server refused');
    expect(desk.hand.count()).toEqual({ taps: 2, fields: 0 });
  });

  test('who applies a kept change reads its warnings: its receipt may lie before the latest review of such flags', async () => {
    const { rest, library } = world.service;
    const { id, ...key } = demoRoute('R100');
    const products = [{ id: 'NOSUCH', invoice: 'A', updates: { delivered: 1 } }];
    const stop = { id: 79, updates: { driver_comments: 'of a late stop' }, products };
    await rest.call(operations.syncStops, { as: driver, body: { id, ...key, stops: [stop] } });
    const columns = 'RSFAC, RSRTE, RSWKE, RSTYP, RSCUS, RSETA';
    await library.pool.query(
      `insert into PODDTA.RTSTPP (${columns}, RSSTP, RSSEQ)
       select ${columns}, 79, 79 from PODDTA.RTSTPP where RSRTE = 'R100' and RSSTP = 2`,
    );
    const stopsNow = async () =>
      (await rest.take(operations.readRoute, { as: driver })).stops.map(({ id: each }) => each);
    await expect.poll(stopsNow).toContain(79);
    const desk = await world.desk('repair', '#/quarantine');
    await desk.hand.tap('R100 · stop 79');
    await desk.hand.tap('Apply it now');
    await desk.hand.sees('The stop has changed.');
    await desk.hand.sees('An item that the stop does not have');
  });

  test('the second operator reads who was first and when, and keeps the own sentence', async () => {
    const [entry] = await world.service.rest.take(opsOperations.listQuarantine, { headers: { ...world.headers.look } });
    const hash = `#/quarantine/${entry?.quarantine_id}`;
    const [first, second] = [await world.desk('repair', hash), await world.desk('admin', hash)];
    await second.hand.type('A sentence that the driver reads', 'My own sentence');
    await withoutReads(second);
    await first.hand.type('A sentence that the driver reads', 'Known');
    await first.hand.tap('Dismiss it');
    await first.hand.sees('Dismissed by REPAIR: “Known”');
    await second.hand.tap('Dismiss it');
    await second.hand.sees('REPAIR was here first, at');
    await withReads(second);
    await second.hand.sees('Dismissed by REPAIR: “Known”');
    expect(await second.page.getByLabel('A sentence that the driver reads').inputValue()).toBe('My own sentence');
    await decidesAnew(second, ['Apply it now'], '/release');
  });
});

describe('B11', () => {
  test('a lost phone is ended in 2 clicks and a reason; the second operator reads who did it', async () => {
    await phoneOf(world.service, await driverOf(world.service, '1004'), {
      device: 'Moto G84',
      pending: 3,
      files: { count: 2, bytes: 1_900_000 },
    });
    const [desk, second] = [await world.desk('admin', '#/phones'), await world.desk('admin', '#/phones')];
    desk.hand.count();
    await desk.hand.sees('1.9 MB');
    await desk.hand.tap('1004');
    await desk.hand.sees('3 changes, 2 files (1.9 MB)');
    await desk.hand.type('Reason', 'Left at stop 2, not found');
    await desk.hand.tap('End this phone');
    await desk.hand.sees('Ended by ADMIN');
    expect(desk.hand.count()).toEqual({ taps: 2, fields: 1 });
    await second.hand.tap('1004');
    await second.hand.sees('Left at stop 2, not found');
    // A filtered list says so, and a chosen row keeps its filters.
    await second.go('#/phones?state=revoked&employee=1004');
    await second.hand.sees('Only the phones of driver 1004.');
    await second.hand.tap('1004');
    await second.hand.sees('Ended by ADMIN');
    expect(second.page.url()).toMatch(/\?state=revoked&employee=1004$/);
    await second.hand.tap('Show those of all drivers');
    expect(second.page.url()).toMatch(/#\/phones\?state=revoked$/);
  });
});

describe('B10', () => {
  test('a hold now is 2 clicks and a reason; a planned one has a time; one click ends it', async () => {
    const desk = await world.desk('admin', '#/host');
    await desk.hand.sees('How far behind, last 24 hours');
    await desk.hand.tap('As a table');
    await desk.hand.sees('Hour from');
    await desk.hand.tap('As a chart');
    desk.hand.count();
    await desk.hand.tap('Hold now');
    await desk.hand.sees('Write the reason first.');
    await desk.hand.type('Reason', 'Backup of the host');
    await desk.hand.seesNo('Write the reason first.');
    await desk.hand.tap('Begin the hold');
    await desk.hand.sees('in force');
    expect(desk.hand.count().taps).toBe(2);
    await desk.hand.tap('End this hold');
    await desk.hand.sees('Nothing is on hold');
    desk.hand.count();
    await desk.hand.tap('Plan a hold');
    await desk.hand.type('Reason', 'Inventory');
    await desk.hand.sees('Choose the begin of the hold.');
    await desk.page.getByLabel('From, on the clock').fill('2030-01-01T22:00');
    await desk.hand.tap('Plan the hold');
    await desk.hand.sees('to come');
    expect(desk.hand.count().taps).toBe(2);
    await desk.hand.tap('End this hold');
    await desk.hand.sees('Nothing is on hold');
  });
});

test('a hold beside one that another author has begun meanwhile needs a confirmation', async () => {
  const desk = await world.desk('admin', '#/host');
  await desk.hand.tap('Hold now');
  await desk.hand.type('Reason', 'Backup of the host');
  const body = { by: 'BACKUP', reason: 'Backup of the host', until: null };
  const headers = { authorization: `Bearer ${opsToken}` };
  const { hold_id } = await world.service.rest.take(opsOperations.beginHold, { headers, body });
  await desk.hand.tap('Begin the hold');
  await desk.hand.sees('machine:BACKUP was here first, at');
  await desk.hand.sees('a hold is in force that lasts as long');
  await decidesAnew(desk, ['Begin the hold'], '/hold');
  const own = async () => {
    const holds = await world.service.rest.take(opsOperations.listHolds, { headers });
    return holds.find(({ by }) => by === 'ADMIN')?.hold_id ?? '';
  };
  await expect.poll(own, { timeout: 60_000 }).not.toBe('');
  for (const id of [hold_id, await own()])
    await world.service.rest.take(opsOperations.endHold, { headers, params: { hold_id: id }, body: {} });
});

describe('B15', () => {
  test('one click saves the whole list as CSV or JSON, from pages of at most 200 rows', async () => {
    await park(5);
    const desk = await world.desk('look', '#/parked');
    await desk.hand.sees('R100 · stop 5');
    desk.hand.count();
    const [csv] = await Promise.all([desk.page.waitForEvent('download'), desk.hand.tap('CSV')]);
    expect(csv.suggestedFilename()).toMatch(/^parked-\d{4}-\d\d-\d\d-\d{4}\.csv$/);
    expect(await readFile(await csv.path(), 'utf8')).toContain('R100 · stop 5,RTSTUP,');
    const [json] = await Promise.all([desk.page.waitForEvent('download'), desk.hand.tap('JSON')]);
    expect(desk.hand.count()).toEqual({ taps: 2, fields: 0 });
    const rows: unknown = JSON.parse(await readFile(await json.path(), 'utf8'));
    expect(rows).toContainEqual(expect.objectContaining({ route_id: 'R100', stop_id: 5 }));
    const limits = desk.lists.map((url) => Number(new URL(url).searchParams.get('limit') ?? 0));
    expect(Math.max(...limits)).toBeLessThanOrEqual(200);
  });
});

test('what a driver writes is text, never markup', async () => {
  const hostile = `BAD <img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
  await driverOf(world.service, '1003').then((other) =>
    deliver(world.service, other, 'R200', 1, { driver_comments: hostile, store_emp_name: '"><svg onload=alert(1)>' }),
  );
  const entry = await untilParked(world.service, world.headers.look.authorization, 'R200', 1);
  const desk = await world.desk('repair', `#/parked/${entry.parked_id}`);
  await desk.hand.sees('<img src=x onerror=');
  const { facility, route_id, week_end } = entry;
  await desk.go(`#/stop/${facility}/${route_id}/${week_end}/1/history`);
  await desk.hand.sees('"><svg onload=alert(1)>');
  expect(await desk.page.title()).toContain('Stop 1');
  expect(await desk.page.locator('main img, main script, main svg[onload]').count()).toBe(0);
});

/** Last: it repeats what the tests above have sent. */
test('every request of a button is refused with the token of a clerk who may only look', async () => {
  expect(await repeatAsLook(world)).toEqual(acts.acts);
  expect([...new Set(Object.values(acts).flat())].sort()).toEqual(allActs().sort());
});
