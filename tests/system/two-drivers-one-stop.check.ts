import type { Conflict } from '@tailgate/client-sdk';
import { expect, test } from 'vitest';
import { openSignedUp, receiptOf, until } from './device.ts';
import { RouteHistory, hostStateOf } from './route-history.ts';
import { demoRoute, openService } from './service.ts';

const FIVE_MINUTES = 300_000;

test('two drivers of one route edit different fields of one stop offline: both edits survive everywhere', async () => {
  const service = await openService();
  const driver = await openSignedUp(service.server.port, '1001');
  const helper = await openSignedUp(service.server.port, '1002');
  const history = new RouteHistory(demoRoute('R100'));
  const [first, second] = driver.app.stop(1, history.route).current?.products ?? [];
  if (!first || !second) throw new Error('stop 1 has too few products');
  const lineOf = ({ id, invoice }: typeof first, delivered: number) => ({ id, invoice, updates: { delivered } });

  driver.loseNetwork();
  helper.loseNetwork();
  const earlier = history.update(
    driver.app,
    {
      id: 1,
      updates: { driver_comments: 'Dock 3', store_emp_id: 'E7', store_emp_name: 'Bea' },
      products: [lineOf(first, 11)],
    },
    Date.now() - FIVE_MINUTES,
  );
  driver.advanceClocks(FIVE_MINUTES);
  const later = history.update(helper.app, {
    id: 1,
    updates: { status: 'D', end_delivery_time: '2026-11-20T16:05:00.000Z', store_emp_name: 'Ana' },
    products: [lineOf(second, 4)],
  });
  const conflicts: Conflict[] = [];
  driver.app.on('conflict', (conflict) => conflicts.push(conflict));

  // The later edit arrives first and still wins the field that both edited.
  await helper.restoreNetwork();
  await later.accepted;
  await driver.restoreNetwork();
  await earlier.accepted;
  await Promise.all([receiptOf(driver.app, earlier.id).onHost, receiptOf(helper.app, later.id).onHost]);

  expect(await hostStateOf(service, history.route)).toEqual(history.expected());
  for (const { app } of [driver, helper]) {
    const stop = await until(app.stop(1, history.route), (view) => view?.updates.store_emp_id === 'E7');
    expect(stop).toMatchObject({
      pending: 0,
      updates: { status: 'D', driver_comments: 'Dock 3', store_emp_name: 'Ana', delivered_by_driver_id: '1002' },
      products: [{ updates: { delivered: 11 } }, { updates: { delivered: 4 } }, {}, {}],
    });
  }
  expect(conflicts).toEqual([
    expect.objectContaining({ id: earlier.id, stop: 1, path: 'updates.store_emp_name', mine: 'Bea', theirs: 'Ana' }),
  ]);
});
