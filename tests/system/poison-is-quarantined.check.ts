import { operations } from '../../server/src/http/operations.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { allOnHost, openSignedUp, receiptOf } from './device.ts';
import { RouteHistory, hostStateOf } from './route-history.ts';
import { demoRoute, openService, opsToken } from './service.ts';

const storedItem = z.looseObject({ mutation: z.looseObject({ args: z.looseObject({}) }) });

test('a poison mutation is quarantined, the others are applied, and driver and office are notified', async () => {
  const service = await openService();
  // Only PostgreSQL refuses this; the rules accept it.
  await service.database.pool.query(
    `alter table stop_result add constraint no_poison check (doc not like '%arsenic%')`,
  );
  const phone = await openSignedUp(service.server.port, '1001');
  const history = new RouteHistory(demoRoute('R100'));
  const deliver = (stop: number, driver_comments: string, to = history) =>
    to.update(phone.app, {
      id: stop,
      updates: { status: 'D', end_delivery_time: '2026-11-20T16:05:00.000Z', driver_comments },
    });

  phone.loseNetwork();
  const refused = new RouteHistory(history.route);
  deliver(1, 'before');
  const poison = deliver(2, 'old lace and arsenic', refused);
  deliver(3, 'between');
  const malformed = deliver(4, 'from an app of another time', refused);
  deliver(5, 'behind');
  history.skip(phone.app, 6, { skip_refuse_reason_code: '10', skip_refuse_timestamp: '2026-11-20T16:20:00Z' });
  await Promise.all([...history.ids, ...refused.ids].map((id) => receiptOf(phone.app, id).saved));
  phone.kill();
  const rows = await phone.disk.readAll('item');
  for (const { key, value } of rows) {
    const item = storedItem.parse(value);
    if (item.mutation['id'] !== malformed.id) continue;
    item.mutation.args['stop'] = { id: 4, updates: { status: 'delivered' } };
    await phone.disk.write([{ put: 'item', key, value: item }], 'strict');
  }

  const app = await phone.start();
  const reported: string[] = [];
  app.on('quarantined', ({ id }) => reported.push(id));
  await phone.restoreNetwork();
  await allOnHost(app, [...history.ids]);
  await expect(receiptOf(app, poison.id).accepted).rejects.toMatchObject({ name: 'Quarantined' });
  expect(receiptOf(app, malformed.id).current).toMatchObject({ at: 'quarantined', code: 'VALIDATION_FAILED' });
  expect(reported.toSorted()).toEqual([poison.id, malformed.id].toSorted());

  const open = await service.rest.take(operations.listQuarantine, {
    headers: { authorization: `Bearer ${opsToken}` },
  });
  expect(open).toHaveLength(2);
  expect(open).toContainEqual(expect.objectContaining({ id: poison.id, employee: '1001', stop_id: 2 }));
  expect(open).toContainEqual(
    expect.objectContaining({ id: malformed.id, route_id: 'R100', code: 'VALIDATION_FAILED' }),
  );
  expect(await hostStateOf(service, history.route)).toEqual(history.expected());

  // The queue continues after both.
  deliver(7, 'the day goes on');
  await allOnHost(app, [...history.ids]);
  expect(await hostStateOf(service, history.route)).toEqual(history.expected());
});
