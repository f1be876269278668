import type { Amendment, Client, Conflict } from '@tailgate/client-sdk';
import { sampleKey, sampleScope } from '@tailgate/client-sdk/testing';
import { expect, test } from 'vitest';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';
import { newSqliteStore } from '../support/sqlite-store.ts';

const server = await startScriptedServer({ stops: [1, 2, 3, 4, 5, 6] });
const phone = new Device(server.url, { store: await newSqliteStore() });

const minutesFromNow = (minutes: number): number => Date.now() + minutes * 60_000;
const amendmentsOf = (client: Client): Amendment[] => {
  const amendments: Amendment[] = [];
  client.on('amendment', (amendment) => amendments.push(amendment));
  return amendments;
};
const client = await phone.startSignedIn();
await until(client.route(), (route) => route !== undefined);

test('an amendment of the office raises an event with both values, author and time, and shows in the view', async () => {
  const amendments = amendmentsOf(client);
  const fields = { status: 'D' as const, driver_comments: 'dock' };
  await client.updateStop(sampleKey, { id: 1, updates: fields }).accepted;
  const at = minutesFromNow(1);
  const counted = [{ id: 'ITEM1', invoice: 'INV1', updates: { delivered: 4 } }];
  server.amend({ id: 1, updates: { status: 'P', driver_comments: 'dock' }, products: counted }, at);
  const stop = await until(client.stop(1), (each) => each?.updates.status === 'P');
  const place = { route: sampleScope, stop: 1, by: 'CLERK1', at };
  const path = 'products.ITEM1\tINV1\t0.delivered';
  // A repeated comment is not a change.
  expect(amendments).toEqual([
    { ...place, path: 'status', before: 'D', after: 'P' },
    { ...place, path, before: undefined, after: 4 },
  ]);
  expect(stop?.amended).toEqual([
    { path: 'status', value: 'P', by: 'CLERK1', at },
    { path: 'updates.driver_comments', value: 'dock', by: 'CLERK1', at },
    { path, value: 4, by: 'CLERK1', at },
  ]);
  // A later edit of a driver has that driver as its author again.
  server.edit({ id: 1, updates: { status: 'D' } }, at + 1);
  const later = await until(client.stop(1), (each) => each?.updates.status === 'D');
  expect(later?.amended.map((edit) => edit.path)).toEqual(['updates.driver_comments', path]);
  expect(amendments).toHaveLength(2);
});

test('amendment against unconfirmed edits: the later edit shows, and only an edit that loses raises an event', async () => {
  const amendments = amendmentsOf(client);
  const conflicts: Conflict[] = [];
  client.on('conflict', (conflict) => conflicts.push(conflict));
  server.holdAcks();
  const receipts = [2, 3].map((id) => client.updateStop(sampleKey, { id, updates: { driver_comments: 'mine' } }));
  await server.until(() => server.ledger.taken.some(({ stop }) => stop === 3));
  const at = minutesFromNow(5);
  server.amend({ id: 2, updates: { driver_comments: 'theirs' } }, minutesFromNow(-5));
  server.amend({ id: 3, updates: { driver_comments: 'theirs' } }, at, 'ANN');
  await until(client.stop(3), (stop) => stop?.updates.driver_comments === 'theirs');
  expect(client.stop(2).current?.updates.driver_comments).toBe('mine');
  expect(amendments).toEqual([
    { route: sampleScope, stop: 3, path: 'updates.driver_comments', before: 'mine', after: 'theirs', by: 'ANN', at },
  ]);
  server.releaseAcks();
  await Promise.all(receipts.map((receipt) => receipt.accepted));
  // The driver's edit was accepted before, so it lost nothing.
  expect(conflicts).toEqual([]);
  expect(amendments).toHaveLength(1);
});

test('the client reports an amendment from the time the app was off at its next start, from a patch or a snapshot', async () => {
  await phone.kill();
  const at = minutesFromNow(2);
  server.amend({ id: 4, updates: { driver_comments: 'call first' } }, at);
  const restarted = await phone.start();
  const amendments = amendmentsOf(restarted);
  await until(restarted.stop(4), (stop) => stop?.updates.driver_comments === 'call first');
  const shared = { route: sampleScope, stop: 4, path: 'updates.driver_comments', by: 'CLERK1', at };
  expect(amendments).toEqual([{ ...shared, before: undefined, after: 'call first' }]);
  // A reload gives the route a new epoch: the whole route arrives, and only changed values count as news.
  server.ledger.amend({ id: 4, updates: { driver_comments: 'call twice' } }, at + 1, 'ANN');
  server.ledger.epoch = 7;
  server.publish();
  await until(restarted.stop(4), (stop) => stop?.updates.driver_comments === 'call twice');
  expect(amendments.slice(1)).toEqual([
    { ...shared, before: 'call first', after: 'call twice', by: 'ANN', at: at + 1 },
  ]);
});

test('a driver who receives a route for the first time sees the amended values and gets no amendment event', async () => {
  const other = new Device(server.url);
  const app = await other.start();
  const amendments = amendmentsOf(app);
  await app.signIn({ employeeId: '1002', password: 'secret-of-driver' });
  const stop = await until(app.stop(4), (each) => each !== undefined);
  expect(stop?.amended).toMatchObject([{ path: 'updates.driver_comments', by: 'ANN' }]);
  expect(amendments).toEqual([]);
});
