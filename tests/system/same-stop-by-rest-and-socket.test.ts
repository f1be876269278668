import { operations, type StopAnswer, type StopObjectInput } from '@tailgate/sync-protocol';
import { beforeAll, expect, test } from 'vitest';
import { signIn } from '../support/people.ts';
import type { Signed } from '../support/rest-client.ts';
import { openSignedUp, receiptOf, until, type Device } from './device.ts';
import { RouteHistory, hostStateOf } from './route-history.ts';
import { demoRoute, openService, type HostWrite, type Service } from './service.ts';

let service: Service;
let phone: Device;
let handheld: Signed;
let writes: () => Promise<HostWrite[]>;
const history = new RouteHistory(demoRoute('R100'));

beforeAll(async () => {
  service = await openService();
  writes = await service.watchWrites();
  phone = await openSignedUp(service.server.port, '1001');
  handheld = await signIn(service.rest, '1001');
});

const delivery = (id: number): StopObjectInput => ({
  id,
  updates: { status: 'D', end_delivery_time: '2026-11-20T16:05:00.000Z', driver_comments: `Stop ${id}` },
  products: [],
});

async function put(stop: StopObjectInput): Promise<StopAnswer['result'] | undefined> {
  const { id, facility, week_end } = history.route;
  const body = { id, facility, week_end, stops: [stop] };
  return (await service.rest.take(operations.syncStops, { as: handheld, body })).stops[0]?.result;
}

/**
 * Records offline, a minute before anything is sent: the tap is earlier, in any order of arrival. The app ends there, so
 * that no hello from before that minute is in flight and reports another time.
 */
async function recordOffline(stops: readonly number[]): Promise<string[]> {
  phone.loseNetwork();
  const receipts = stops.map((stop) => history.update(phone.app, delivery(stop)));
  await Promise.all(receipts.map((receipt) => receipt.saved));
  phone.kill();
  phone.advanceClocks(60_000);
  return receipts.map(({ id }) => id);
}

/** The number of effects on each of these stops, once nothing is in flight any more. */
async function effectsOf(stops: readonly number[]) {
  const { pool } = service.database;
  await until(phone.app.route(history.route), (route) => route?.stops.every(({ pending }) => pending === 0) ?? false);
  await expect
    .poll(async () => (await pool.query('select from route where behind')).rowCount, { timeout: 60_000 })
    .toBe(0);
  const ledger = await pool.query<{ stop: number }>(
    `select stop_id as stop from ledger where result = 'applied' and stop_id = any($1) order by 1`,
    [stops],
  );
  const mails = await pool.query<{ stop: number }>(
    `select (data->>'stop')::int as stop from pgboss.job
      where name = 'mail' and (data->>'stop')::int = any($1) order by 1`,
    [stops],
  );
  const written = (await writes()).map(({ stop }) => stop).filter((stop) => stops.includes(stop));
  return {
    ledger: ledger.rows.map(({ stop }) => stop),
    mails: mails.rows.map(({ stop }) => stop),
    host: written.toSorted((a, b) => a - b),
  };
}

const once = (stops: readonly number[]) => ({ ledger: stops, mails: stops, host: stops });

test('first the socket, then REST: the second one is a duplicate', async () => {
  const [id = ''] = await recordOffline([1]);
  await phone.restoreNetwork();
  await phone.start();
  await receiptOf(phone.app, id).onHost;
  expect(await put(delivery(1))).toBe('duplicate');
  expect(await effectsOf([1])).toEqual(once([1]));
});

test('first REST, then the socket: the second one changes nothing', async () => {
  const [id = ''] = await recordOffline([2]);
  expect(await put(delivery(2))).toBe('applied');
  await phone.restoreNetwork();
  await phone.start();
  await receiptOf(phone.app, id).onHost;
  expect(await effectsOf([2])).toEqual(once([2]));
});

test('twenty by REST and ten by the socket, all at once', async () => {
  const stops = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
  const ids = await recordOffline(stops);
  const bodies = [...stops, ...Array<number>(10).fill(3)].map(delivery);
  await phone.restoreNetwork();
  await phone.start();
  await Promise.all([...bodies.map(put), ...ids.map((id) => receiptOf(phone.app, id).onHost)]);
  expect(await effectsOf(stops)).toEqual(once(stops));
  expect(await hostStateOf(service, history.route)).toEqual(history.expected());
});
