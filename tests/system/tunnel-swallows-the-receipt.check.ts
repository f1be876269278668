import type { LocalStop } from '@tailgate/client-sdk';
import { clientFrame } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { newSqliteStore } from '../support/sqlite-store.ts';
import { allOnHost, openSignedUp, pendingOf, receiptOf } from './device.ts';
import { RouteHistory, hostStateOf } from './route-history.ts';
import { demoRoute, openService } from './service.ts';

const DELIVERIES = 50;
const SKIPS = 8;
const CORRECTIONS = 5;

test('field case 30: the server is killed between commit and ack, and the app with it; everything is on the host once', async () => {
  const service = await openService();
  const { server, database } = service;
  const writes = await service.watchWrites();
  const phone = await openSignedUp(server.port, '1009', await newSqliteStore());
  const history = new RouteHistory(demoRoute('R900'));
  const stops = phone.app.route(history.route).current?.stops ?? [];
  expect(stops).toHaveLength(150);

  phone.loseNetwork();
  recordTheDay(history, phone.app, stops);
  const recorded = DELIVERIES + SKIPS + CORRECTIONS;
  expect(history.ids.size).toBe(recorded);
  await Promise.all([...history.ids].map((id) => receiptOf(phone.app, id).saved));
  phone.kill();

  // The app starts again offline: all changes are stored, and none can be sent.
  await phone.start();
  expect(pendingOf(phone.app)).toBe(recorded);
  expect(phone.app.stop(1, history.route).current?.updates.status).toBe('D');

  // The network returns, but after the first push no answer of the server reaches the phone.
  const committed = async (): Promise<number> => {
    const { rows } = await database.pool.query<{ count: number }>('select count(*)::int from ledger');
    return rows[0]?.count ?? 0;
  };
  let pushed = 0;
  phone.onSend = (text) => {
    const frame = clientFrame.parse(JSON.parse(text));
    if (frame.type !== 'push') return;
    pushed += frame.mutations.length;
    phone.network.bufferDown();
  };
  await phone.restoreNetwork();
  await phone.network.untilBufferedDown();
  await expect.poll(async () => (await committed()) - pushed, { timeout: 60_000 }).toBe(0);
  expect(pushed).toBeGreaterThan(CORRECTIONS);
  expect(pendingOf(phone.app)).toBe(recorded);

  // The changes are committed and unacknowledged: server and app are killed.
  await server.kill9();
  phone.kill();
  phone.onSend = () => undefined;
  phone.network.pass();
  await server.start();
  await phone.start();
  await allOnHost(phone.app, [...history.ids]);

  expect(await hostStateOf(service, history.route)).toEqual(history.expected());
  expect(await committed()).toBe(recorded);
  expect(pendingOf(phone.app)).toBe(0);
  expectOnceAndInOrder(await writes());
});

/** Deliveries with their manifests, then corrections: a skip here, a damaged case there. */
function recordTheDay(
  history: RouteHistory,
  app: Parameters<RouteHistory['update']>[0],
  stops: readonly LocalStop[],
): void {
  const morning = Date.parse('2026-11-20T14:00:00.000Z');
  const minute = (n: number): string => new Date(morning + n * 60_000).toISOString();
  for (const [n, { id, products }] of stops.slice(0, DELIVERIES).entries())
    history.update(app, {
      id,
      arrived: true,
      updates: {
        status: 'D',
        start_delivery_time: minute(10 * n),
        end_delivery_time: minute(10 * n + 7),
        delivery_latitude: (41.5 + n / 1000).toFixed(6),
        delivery_longitude: (-88.1 - n / 1000).toFixed(6),
        store_emp_id: `E${n}`,
        store_emp_name: `José Núñez ${n}`,
        driver_comments: `Rear door, ring twice (${n})`,
      },
      products: products.slice(0, 4).map((line, place) => ({
        id: line.id,
        invoice: line.invoice,
        updates: { delivered: line.quantity - (place === 0 ? 1 : 0), accounting_complete: true },
      })),
    });
  for (const [n, { id }] of stops.slice(DELIVERIES, DELIVERIES + SKIPS).entries())
    history.skip(app, id, {
      skip_refuse_reason_code: n % 2 === 0 ? '01' : '12',
      skip_refuse_timestamp: minute(600 + n),
      skip_refuse_driver_comment: `Nobody there (${n})`,
    });
  for (const [n, { id, products }] of stops.slice(0, CORRECTIONS).entries()) {
    const [line] = products;
    if (!line) throw new Error(`stop ${id} has no products`);
    const entry = { quantity: n + 1, comment: 'Crushed corner', barcodes: '00123', quantity_type: 'cases' as const };
    history.update(app, {
      id,
      products: [
        {
          id: line.id,
          invoice: line.invoice,
          updates: {
            osd_data: [
              { osd_id: `10${n}`, osd_code: '20', data: [entry, { ...entry, quantity: 1, quantity_type: 'units' }] },
              { osd_id: null, osd_code: '10', data: [{ ...entry, comment: '' }] },
            ],
          },
        },
      ],
    });
  }
}

/** No stop was written twice in one version, and each stop's versions only rise. */
function expectOnceAndInOrder(writes: readonly { stop: number; sequence: number }[]): void {
  const keys = writes.map(({ stop, sequence }) => `${stop} ${sequence}`);
  expect(keys).toEqual([...new Set(keys)]);
  const latest = new Map<number, number>();
  for (const { stop, sequence } of writes) {
    expect(sequence, `stop ${stop}`).toBeGreaterThan(latest.get(stop) ?? 0);
    latest.set(stop, sequence);
  }
  // Versions rise in the order of recording; the corrections are the last.
  const inOrderOfRecording = [...latest].toSorted(([, a], [, b]) => a - b).map(([stop]) => stop);
  const corrected = Array.from({ length: CORRECTIONS }, (_, n) => n + 1);
  const others = Array.from({ length: DELIVERIES + SKIPS - CORRECTIONS }, (_, n) => n + CORRECTIONS + 1);
  expect(inOrderOfRecording).toEqual([...others, ...corrected]);
}
