import { afterAll, beforeAll, expect, test } from 'vitest';
import { opsOperations } from '../../server/src/ops/operations.ts';
import { OldSystem } from '../host/old-system.ts';
import { demoRoute } from '../system/service.ts';
import type { OfficeWorld } from './desk.ts';
import { openOfficeWorld } from './desk.ts';
import { faultsOf } from './looks.ts';
import { acts, repeatAsLook } from './office-rights.ts';
import { deliver, driverOf } from './refusing-host.ts';

const { facility, id: route, week_end: week } = demoRoute('R100');
const stopOf = (stop: number) => ({ facility, route, week: Number(week), stop });

let world: OfficeWorld;
beforeAll(async () => {
  world = await openOfficeWorld({ env: { LEGACY_MODE: 'shadow' } });
  const { service } = world;
  const driver = await driverOf(service, '1001');
  const old = new OldSystem((sql, values) => service.library.pool.query(sql, [...(values ?? [])]));
  await deliver(service, driver, route, 1, { driver_comments: 'left at the dock', store_emp_name: 'Rosa Delgado' });
  await deliver(service, driver, route, 2, { store_emp_name: 'Nils Petersen' });
  await deliver(service, driver, route, 3, { store_emp_name: 'Ana Ruiz' });
  await old.writeResult(stopOf(1), 'D', { RUCMT: 'AT THE DOCK', RUSNAM: 'Rosa Delgado', RUDRV: '1001' });
  await old.writeResult(stopOf(2), 'S', { RUSNAM: 'Nils Petersen', RUDRV: '1001' });
});
afterAll(() => expect(world.faults()).toEqual([]));

test('the page of the host has each kind of difference with its first stops, which lead to both values', async () => {
  const kinds = async () =>
    (await world.service.rest.take(opsOperations.readShadow, { headers: world.headers.look })).kinds;
  const verdicts = async () => (await kinds()).map(({ verdict, file, column }) => `${verdict} ${file}.${column}`);
  await expect
    .poll(verdicts)
    .toEqual(expect.arrayContaining(['different RTSTUP.RUCMT', 'different RTSTUP.RUSTS', 'missing there RTSTUP.']));
  const desk = await world.desk('look', '#/host');
  await desk.hand.sees('RTSTUP.RUCMT');
  await desk.hand.sees('AT THE DOCK');
  expect(await faultsOf(desk.page)).toEqual([]);
  // It is compared once, and again by the button.
  const compared = () => desk.lists.filter((url) => url.includes('/ops/shadow')).length;
  expect(compared()).toBe(1);
  await desk.hand.tap('Compare again');
  await expect.poll(compared).toBe(2);
  await desk.hand.seesNo('The server compares.');
  await desk.page.getByText('RTSTUP.RUCMT').scrollIntoViewIfNeeded();
  await desk.shot('office-shadow');
  desk.hand.count();
  await desk.hand.tap('R100 · 1');
  await desk.hand.sees('AT THE DOCK');
  expect(desk.hand.count().taps).toBe(1);
  await desk.shot('office-shadow-stop');
});

test('the page of the host has the first load and the lines of the doctor; only an administrator asks the host again', async () => {
  const { pool } = world.service.library;
  const looking = await world.desk('look', '#/host');
  await looking.hand.sees(/(\d+) of \1 routes are loaded from the host:/);
  await looking.hand.sees('Is the host set up for the service?');
  await looking.hand.sees(/FATZ of each facility is a zone \(\d+\)/);
  expect(await looking.page.getByText('Ask the host again').count()).toBe(0);
  const desk = await world.desk('admin', '#/host');
  await pool.query('alter table PODDTA.RTSTPP disable trigger rtstpp_update');
  await desk.hand.tap('Ask the host again');
  await desk.hand.sees('disabled or inoperative: RTSTPP.RTSTPP_UPDATE');
  await desk.hand.sees('The answer is there.');
  expect(await desk.page.getByText('asks the host now').count()).toBe(0);
  await desk.hand.sees('enable or recreate them, or set HOST_CHANGES=polling');
  await looking.hand.sees('disabled or inoperative: RTSTPP.RTSTPP_UPDATE');
  expect(await faultsOf(desk.page)).toEqual([]);
  await desk.page.getByText('Is the host set up').scrollIntoViewIfNeeded();
  await desk.shot('office-doctor');
  await pool.query('alter table PODDTA.RTSTPP enable trigger rtstpp_update');
});

/** Last: it repeats what the tests above have sent. */
test('every request of a button is refused with the token of a clerk who may only look', async () => {
  expect(await repeatAsLook(world)).toEqual(acts.shadow);
});
