import type { UpdatesInput } from '@tailgate/client-sdk';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { operations } from '../../server/src/http/operations.ts';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { addStops, insertRoutes, plan } from '../support/mirror.ts';
import { password, signUp } from '../support/people.ts';
import { opsToken } from '../support/rest-server.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';
import { startSyncNode } from '../support/sync-node.ts';

const key = { facility: 'F01', id: 'R1', week_end: '20261121' };
const route = { ...key, weekEnd: key.week_end, drivers: ['1001'] };
const day = 86_400_000;
const headers = { authorization: `Bearer ${opsToken}` };

/** A phone whose clock is a day ahead. Tests may turn it later. */
async function phoneAhead() {
  const { database, client: rest } = await startSyncNode();
  await insertRoutes(database.pool, [{ ...route, stops: [plan(1), plan(2)] }]);
  await signUp(rest, '1001');
  const turned = { ms: day };
  const clock = {
    now: () => Date.now() + turned.ms,
    monotonic: () => performance.now(),
    after: (ms: number, work: () => void) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
  };
  const app = await new Device(rest.url, { clock }).start();
  await app.signIn({ employeeId: '1001', password });
  return { app, rest, database, turned, phoneTime: () => new Date(clock.now()) };
}

/** Until the documents arrive, a stop shows the times of the phone's clock. */
const isAbout = (instant: string | null | undefined, time: number): boolean =>
  Math.abs(Date.parse(instant ?? '') - time) < 60_000;

test('a Date of the phone is corrected with its edit, a text is not, and the ledger stores the original', async () => {
  const { app, database, phoneTime } = await phoneAhead();
  await until(app.route(key), (shown) => shown !== undefined);
  const began = new Date(phoneTime().getTime() - 600_000);
  const typed = '2026-11-20T10:00:00.000Z';
  const times = { start_delivery_time: began, end_delivery_time: typed };
  const first = app.updateStop(key, { id: 1, updates: { status: 'D', ...times } });
  const skipped = app.skipStop(key, 2, { skip_refuse_timestamp: phoneTime(), skip_refuse_reason_code: null });
  await skipped.accepted;
  const shown = await until(app.stop(1, key), (stop) =>
    isAbout(stop?.updates.start_delivery_time, Date.now() - 600_000),
  );
  expect(shown?.updates.end_delivery_time).toBe(typed);
  await until(app.stop(2, key), (stop) => isAbout(stop?.updates.skip_refuse_timestamp, Date.now()));

  const { rows } = await database.pool.query<{ body: string }>('select body from ledger where id = $1', [first.id]);
  const content = z.object({ args: z.object({ stop: z.object({ updates: z.unknown() }), device_times: z.unknown() }) });
  expect(content.parse(JSON.parse(String(rows[0]?.body))).args).toEqual({
    stop: { updates: { status: 'D', start_delivery_time: began.toISOString(), end_delivery_time: typed } },
    device_times: ['start_delivery_time'],
  });
});

test('merged taps retain which instants are Dates: the latest value of a field decides', async () => {
  const server = await startScriptedServer();
  const client = await new Device(server.url).startSignedIn();
  await until(client.route(), (shown) => shown !== undefined);
  server.refuse = true;
  server.cut();
  await until(client.status, ({ connection }) => connection === 'offline');
  const update = (updates: UpdatesInput) => client.updateStop(sampleKey, { id: 1, updates });
  const now = new Date();
  update({ start_delivery_time: now, end_delivery_time: now });
  const { id, accepted } = update({ end_delivery_time: '2026-11-20T10:00:00.000Z' });
  expect(update({ skip_refuse_timestamp: now }).id).toBe(id);
  server.refuse = false;
  await accepted;
  const [taken] = server.ledger.taken;
  expect(taken?.mutation.args).toMatchObject({ device_times: ['start_delivery_time', 'skip_refuse_timestamp'] });
  expect(() => update({ end_delivery_time: new Date(Number.NaN) })).toThrow(
    'updates.end_delivery_time must be an instant',
  );
});

test('dates before and after a clock change do not merge', async () => {
  const { app, turned, phoneTime } = await phoneAhead();
  await until(app.route(key), (shown) => shown !== undefined);
  const before = app.updateStop(key, { id: 2, updates: { start_delivery_time: phoneTime() } });
  turned.ms -= day / 2;
  const after = app.updateStop(key, { id: 2, updates: { end_delivery_time: phoneTime() } });
  expect(after.id).not.toBe(before.id);
  await after.accepted;
  await until(app.stop(2, key), (shown) => isAbout(shown?.updates.start_delivery_time, Date.now()));
});

test('a released item gets the same correction as on direct acceptance', async () => {
  const { app, rest, database, phoneTime } = await phoneAhead();
  const receipt = app.updateStop(key, { id: 7, updates: { end_delivery_time: phoneTime() } });
  await expect(receipt.accepted).rejects.toThrow('no stop 7');
  await addStops(database.pool, route, [plan(7)]);
  const [entry] = await rest.take(operations.listQuarantine, { headers });
  const params = { quarantine_id: entry?.quarantine_id ?? '' };
  await rest.take(operations.releaseQuarantined, { headers, params, body: { by: 'MILLER' } });
  await until(app.stop(7, key), (shown) => isAbout(shown?.updates.end_delivery_time, Date.now()));
});

test("the client computes the server's time, and reports the error of the phone's clock", async () => {
  const { app, turned } = await phoneAhead();
  await until(app.status, ({ clockAheadMs }) => clockAheadMs !== undefined && Math.abs(clockAheadMs - day) < 60_000);
  expect(Math.abs(app.now() - Date.now())).toBeLessThan(60_000);
  turned.ms = 0;
  expect(Math.abs(app.now() - Date.now())).toBeLessThan(60_000);
});
