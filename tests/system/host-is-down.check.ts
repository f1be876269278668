import { expect, test } from 'vitest';
import { fetchDocumented } from '../support/fetch-documented.ts';
import { allOnHost, openSignedUp, pendingOf, receiptOf } from './device.ts';
import { RouteHistory, hostStateOf } from './route-history.ts';
import { demoRoute, openService } from './service.ts';

test('the host is down for the whole drain: the driver is unaffected, and the rows arrive when it returns', async () => {
  const service = await openService();
  const phone = await openSignedUp(service.server.port, '1001');
  const history = new RouteHistory(demoRoute('R100'));

  phone.loseNetwork();
  for (const stop of [1, 2, 3, 4])
    history.update(phone.app, { id: stop, updates: { status: 'D', end_delivery_time: `2026-11-20T16:0${stop}:00Z` } });
  history.skip(phone.app, 5, { skip_refuse_reason_code: '02', skip_refuse_timestamp: '2026-11-20T16:20:00Z' });
  const troubleBefore = phone.app.status.current.lastError;
  await service.fault('outage', 'on');
  await phone.restoreNetwork();
  const ids = [...history.ids];
  await Promise.all(ids.map((id) => receiptOf(phone.app, id).accepted));

  // No action of a driver needs the host: not the drain, not later edits, not REST.
  history.update(phone.app, { id: 1, updates: { driver_comments: 'Came back for a signature' } });
  await Promise.all([...history.ids].map((id) => receiptOf(phone.app, id).accepted));
  expect(phone.app.status.current).toMatchObject({ connection: 'online', lastError: troubleBefore });
  expect(pendingOf(phone.app)).toBe(0);
  const ready = await fetchDocumented(`${service.server.url}/api/health/ready`);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toMatchObject({ data: { host: { ok: false } } });
  // The outage was real: no row has arrived.
  expect((await service.library.pool.query('select from poddta.rtstup')).rowCount).toBe(0);
  expect([...history.ids].map((id) => receiptOf(phone.app, id).current.at)).toEqual(Array(6).fill('accepted'));

  await service.fault('outage', 'off');
  await allOnHost(phone.app, [...history.ids]);
  expect(await hostStateOf(service, history.route)).toEqual(history.expected());
});
