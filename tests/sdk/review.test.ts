import { operations } from '../../server/src/http/operations.ts';
import { expect, test } from 'vitest';
import { addStops, insertRoutes, plan } from '../support/mirror.ts';
import { password, signUp } from '../support/people.ts';
import { opsToken } from '../support/rest-server.ts';
import { Device, until } from '../support/sdk-device.ts';
import { startSyncNode } from '../support/sync-node.ts';

const key = { facility: 'F01', id: 'R1', week_end: '20261121' };
const route = { ...key, weekEnd: key.week_end, drivers: ['1001'] };
const headers = { authorization: `Bearer ${opsToken}` };

test('a dismissal and a release show on the phone that recorded the change, also after an absence', async () => {
  const { database, client: rest, clock } = await startSyncNode();
  await insertRoutes(database.pool, [{ ...route, stops: [plan(1)] }]);
  await signUp(rest, '1001');
  const device = new Device(rest.url);
  const app = await device.start();
  await app.signIn({ employeeId: '1001', password });
  // The route has not arrived yet. Later the phone would refuse a stop that it does not have.
  const receipt = app.updateStop(key, { id: 7, updates: { driver_comments: 'a stop that was forgotten' } });
  await expect(receipt.accepted).rejects.toThrow('no stop 7');

  const [entry] = await rest.take(operations.listQuarantine, { headers });
  const params = { quarantine_id: entry?.quarantine_id ?? '' };
  const body = { by: 'MILLER', reason: 'no such stop' };
  await rest.take(operations.dismissQuarantined, { headers, params, body });
  await until(receipt, (state) => state.at === 'quarantined' && state.dismissed === 'no such stop (MILLER)');

  await device.kill();
  await addStops(database.pool, route, [plan(7)]);
  clock.now = new Date(clock.now.getTime() + 60_000);
  const { item } = await rest.take(operations.releaseQuarantined, { headers, params, body: { by: 'MILLER' } });
  const again = await device.start();
  const same = again.receipt(receipt.id) ?? receipt;
  expect(await until(same, ({ at }) => at === 'accepted')).toMatchObject({ version: item.version });
  const stop = await until(again.stop(7), (shown) => shown !== undefined);
  expect(stop?.updates.driver_comments).toBe('a stop that was forgotten');
  await same.complete;
});
