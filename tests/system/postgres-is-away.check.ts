import { operations } from '@tailgate/sync-protocol';
import { expect, inject, test } from 'vitest';
import { signIn } from '../support/people.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { allOnHost, openSignedUp, pendingOf, receiptOf, until } from './device.ts';
import { RouteHistory, hostStateOf } from './route-history.ts';
import { demoRoute, openService } from './service.ts';

test('PostgreSQL is unreachable: REST answers with a time to retry, sockets stay, the queue waits, and all of it recovers', async () => {
  const link = await startTcpProxy(Number(new URL(inject('postgresUrl')).port));
  const service = await openService({ databaseUrl: (url) => link.through(url) });
  const phone = await openSignedUp(service.server.port, '1001');
  const handheld = await signIn(service.rest, '1001');
  const history = new RouteHistory(demoRoute('R100'));
  const deliver = (stop: number) =>
    history.update(phone.app, { id: stop, updates: { status: 'D', end_delivery_time: '2026-11-20T16:05:00.000Z' } });
  await deliver(1).onHost;
  const moves: string[] = [];
  phone.app.status.subscribe(({ connection }) => moves.push(connection));

  link.refuse();
  link.cut();
  const refused = deliver(2);
  const { id, facility, week_end } = history.route;
  const body = { id, facility, week_end, stops: [{ id: 3, updates: { status: 'D' } }] };
  const reply = await service.rest.call(operations.syncStops, { as: handheld, body });
  expect(reply).toMatchObject({ status: 503, error: { code: 'DATABASE_UNAVAILABLE' } });
  await until(phone.app.status, ({ lastError }) => lastError?.code === 'DATABASE_UNAVAILABLE');
  deliver(4);
  expect(refused.current.at).toBe('saved');
  expect(pendingOf(phone.app)).toBe(2);

  await link.accept();
  await allOnHost(phone.app, [...history.ids]);
  // The phone never lost its connection.
  expect(new Set(moves)).toEqual(new Set(['online']));
  expect(receiptOf(phone.app, refused.id).current.at).toBe('on_host');
  expect(await hostStateOf(service, history.route)).toEqual(history.expected());
  expect((await service.rest.call(operations.syncStops, { as: handheld, body })).status).toBe(200);
});
