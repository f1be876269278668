import { beforeAll, expect, test } from 'vitest';
import { parseOpsCommand, runOpsCommand } from '../../server/src/ops/commands/cli.ts';
import { copyOf } from '../support/store-copy.ts';
import { backUp } from './database-backup.ts';
import { allOnHost, openDevice, openSignedUp, receiptOf, type Device } from './device.ts';
import { RouteHistory, hostStateOf } from './route-history.ts';
import { demoRoute, openService, type Service } from './service.ts';

let service: Service;

beforeAll(async () => {
  service = await openService();
});

const deliver = (day: RouteHistory, { app }: Device, stop: number, driver_comments = `Stop ${stop}`) =>
  day.update(app, {
    id: stop,
    updates: {
      status: 'D',
      end_delivery_time: `2026-11-20T16:${String(stop).padStart(2, '0')}:00.000Z`,
      driver_comments,
    },
  });

/** Ids of these diaries that are in no ledger. */
async function missing(...days: readonly RouteHistory[]): Promise<string[]> {
  const { rows } = await service.database.pool.query<{ id: string }>('select id from ledger');
  const taken = new Set(rows.map(({ id }) => id));
  return days.flatMap(({ ids }) => [...ids]).filter((id) => !taken.has(id));
}

/**
 * The recorded incidents, in order of time, without forks by the phones of earlier tests. Without drift, too: the server
 * reports lost writes as drift where it had read their doorbell lines before the kill.
 */
async function incidents(): Promise<string[]> {
  const { rows } = await service.database.pool.query<{ incident: string }>(
    `select concat_ws(' ', kind, employee, details::jsonb->>'reason', details::jsonb->>'from', details::jsonb->>'to') as incident
       from incident where kind not in ('queue_forked', 'host_drift') order by at`,
  );
  return rows.map(({ incident }) => incident);
}

/** The queues by which this employee's phones have sent something. */
async function queuesOf(employee: string): Promise<string[]> {
  const { rows } = await service.database.pool.query<{ client_id: string }>(
    'select client_id from client where employee = $1 and last_seq > 0',
    [employee],
  );
  return rows.map(({ client_id }) => client_id);
}

test('a phone that is restored from a backup continues under a new queue id, and nothing is lost or doubled', async () => {
  const day = new RouteHistory(demoRoute('R100'));
  const phone = await openSignedUp(service.server.port, '1001');
  await deliver(day, phone, 1).onHost;
  phone.loseNetwork();
  await deliver(day, phone, 2).saved;
  const backup = await copyOf(phone.disk);
  await phone.restoreNetwork();
  await allOnHost(phone.app, [...day.ids]);
  await deliver(day, phone, 3).onHost;
  phone.kill();

  // The copy still has stop 2 in its outbox, lacks stop 3, and gives its numbers to other items.
  const restored = await openDevice(service.server.port, backup);
  restored.loseNetwork();
  const app = await restored.start();
  deliver(day, restored, 4);
  day.update(app, { id: 3, updates: { store_emp_name: 'Ana' } });
  await restored.restoreNetwork();
  await allOnHost(
    app,
    [...day.ids].filter((id) => app.receipt(id)),
  );

  expect(await missing(day)).toEqual([]);
  expect(await hostStateOf(service, day.route)).toEqual(day.expected());
  expect(app.stop(3, day.route).current?.updates).toMatchObject({ status: 'D', store_emp_name: 'Ana' });
  expect(await queuesOf('1001')).toHaveLength(2);
});

test('two phones with one storage both deliver, and neither overwrites or blocks the other', async () => {
  const day = new RouteHistory(demoRoute('R200'));
  const phone = await openSignedUp(service.server.port, '1003');
  phone.loseNetwork();
  await deliver(day, phone, 1).saved;
  const copy = await phone.copyDevice();
  copy.loseNetwork();
  await copy.start();
  await deliver(day, phone, 2).saved;
  await deliver(day, copy, 3).saved;
  await Promise.all([phone.restoreNetwork(), copy.restoreNetwork()]);
  await Promise.all(
    [phone, copy].map(({ app }) =>
      allOnHost(
        app,
        [...day.ids].filter((id) => app.receipt(id)),
      ),
    ),
  );

  expect(await missing(day)).toEqual([]);
  expect(await hostStateOf(service, day.route)).toEqual(day.expected());
  expect(await queuesOf('1003')).toHaveLength(2);
  // Both continue.
  deliver(day, phone, 2, 'again by the phone');
  await allOnHost(phone.app, [...day.ids].slice(-1));
  deliver(day, copy, 3, 'again by its twin');
  await allOnHost(copy.app, [...day.ids].slice(-1));
  expect(await missing(day)).toEqual([]);
  expect(await hostStateOf(service, day.route)).toEqual(day.expected());
});

test('PostgreSQL is restored to noon: phones resend their items, and declare those they no longer have', async () => {
  const { server, database } = service;
  const [keeps, set, forgot] = [
    await openSignedUp(server.port, '1009'),
    await openSignedUp(server.port, '1002'),
    await openSignedUp(server.port, '1005'),
  ];
  const [keptDay, setDay, forgotDay, lost] = [
    new RouteHistory(demoRoute('R900')),
    new RouteHistory(demoRoute('R100')),
    new RouteHistory(demoRoute('R400')),
    new RouteHistory(demoRoute('R400')),
  ];
  const before = await hostStateOf(service, setDay.route);
  await Promise.all([
    deliver(keptDay, keeps, 1).onHost,
    deliver(setDay, set, 8).onHost,
    deliver(forgotDay, forgot, 1).onHost,
  ]);
  await server.stop();
  const putBack = await backUp(database);
  await server.start();

  // The afternoon.
  await Promise.all([2, 3, 4].map((stop) => deliver(keptDay, keeps, stop).onHost));
  await deliver(keptDay, keeps, 1, 'came back at two').onHost;
  await deliver(setDay, set, 9).onHost;
  // This phone is restored, too, to a state with stop 9.
  const backup = await copyOf(set.disk);
  await deliver(lost, forgot, 2).onHost;
  for (const { key } of await forgot.disk.readAll('item')) await forgot.disk.write([{ delete: 'item', key }], 'strict');
  for (const phone of [keeps, set, forgot]) phone.kill();
  await server.kill9();
  await putBack();
  await runOpsCommand(parseOpsCommand(['restored', '--reason', 'disk failure']), database.pool, {
    autocloseSeconds: 600,
    keyFile: '',
  });
  await server.start();
  expect(await missing(keptDay)).toHaveLength(4);

  const again = await openDevice(server.port, backup);
  // The answers come before the documents of the new epoch, whose numbers are lower than the old ones. The host has
  // nothing of it yet: no receipt may exceed `accepted`.
  const { promise: answered, resolve: letDocumentsCome } = Promise.withResolvers<void>();
  keeps.onFetch = () => answered;
  await service.fault('outage', 'on');
  await Promise.all([keeps.start(), again.start(), forgot.start()]);
  deliver(keptDay, keeps, 5);
  deliver(setDay, again, 10);
  deliver(forgotDay, forgot, 1, 'after the restore');
  // On a stop whose delivery only the host has.
  const comment = { id: 2, updates: { driver_comments: 'left a note' } };
  forgotDay.update(forgot.app, comment);
  lost.edits.push({ kind: 'update', by: '1005', at: Date.now(), stop: comment });
  const laterReceipts = [...keptDay.ids].slice(1).map((id) => receiptOf(keeps.app, id));
  await Promise.all(laterReceipts.map((receipt) => receipt.accepted));
  expect(laterReceipts.map((receipt) => receipt.current.at)).toEqual(Array(5).fill('accepted'));
  letDocumentsCome();
  await service.fault('outage', 'off');
  await allOnHost(keeps.app, [...keptDay.ids]);
  await allOnHost(again.app, [...setDay.ids]);
  await allOnHost(forgot.app, [...forgotDay.ids].slice(-2));
  expect(await missing(keptDay, setDay, forgotDay)).toEqual([]);
  expect(await hostStateOf(service, keptDay.route)).toEqual(keptDay.expected());
  expect(await hostStateOf(service, setDay.route)).toEqual({ ...before, ...setDay.expected() });
  expect(await hostStateOf(service, forgotDay.route)).toEqual({ ...forgotDay.expected(), ...lost.expected() });
  // Lost items are reported.
  expect(await missing(lost)).toHaveLength(1);
  expect(await incidents()).toEqual(['restored disk failure', 'items_gone 1005 no longer on this device 2 2']);
});
