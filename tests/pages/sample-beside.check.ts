import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openPageWorld, routes } from './world.ts';

/** Every row of the databases whose name begins with `tailgate` and has no `sample` in it, as JSON. */
const readReal = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const settled = <Result>(request: IDBRequest<Result>): Promise<Result> =>
      new Promise((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result));
        request.addEventListener('error', () => reject(request.error ?? new Error('no answer')));
      });
    const names = (await indexedDB.databases()).flatMap(({ name }) => name ?? []);
    const content: unknown[] = [];
    for (const name of names.filter((each) => !each.includes('sample')).sort()) {
      const database = await settled(indexedDB.open(name));
      for (const table of database.objectStoreNames) {
        const store = database.transaction(table).objectStore(table);
        content.push([name, table, await settled(store.getAllKeys()), await settled(store.getAll())]);
      }
      database.close();
    }
    return JSON.stringify(content);
  });

// Two undo windows pass.
const limit = { timeout: 240_000 };

test('A20: a sample route in the same browser leaves a driver’s waiting changes as they are', limit, async () => {
  const world = await openPageWorld();
  const { driver, key } = routes.short;
  await world.register(driver);
  const phone = await world.phone();
  const real = await phone.start();
  await phone.signIn(driver);
  await phone.untilInstalled();
  await phone.goOffline();
  await real.tap('Open stop 1');
  await real.tap('Deliver');
  await real.sees('On this phone');
  const realPage = phone.page;
  // The undo window is over: nothing of the driver's own changes by itself any more.
  await real.seesNo('Undo');
  const before = await readReal(realPage);
  expect(before).toContain('"seq":1');

  // The worker of the app opens it without a network.
  const sample = await phone.start('?demo');
  await sample.sees('Next · stop 1');
  await sample.tap('Open stop 1');
  await sample.tap('Name and signature');
  await sample.type('Name of the person who signs', 'Ana Gil');
  await sample.draw('Signature field, empty');
  await sample.tap('Done');
  await sample.tap('Deliver');
  await sample.sees('At the back office');
  await sample.tap('Close');
  await sample.tap('Sample route');
  await sample.tap('Start again');
  await sample.sees('0 of 9 stops done');
  expect(await readReal(realPage)).toBe(before);
  await sample.tap('Sample route');
  await sample.tap('Leave');
  await sample.sees('1 of 3 stops done');

  await phone.goOnline();
  await world.untilOnHost(key, (stops) => stops.some(({ stop, status }) => stop === 1 && status === 'D'));
  const { rows } = await world.service.database.pool.query<{ employee: string }>(
    `select employee from ledger where source = 'sync'`,
  );
  expect(rows).toEqual([{ employee: driver }]);
});
