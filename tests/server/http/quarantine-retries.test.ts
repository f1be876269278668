import { randomUUID } from 'node:crypto';
import { operations } from '../../../server/src/http/operations.ts';
import { errorCodes } from '@tailgate/sync-protocol';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addStops, insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import type { Reply, Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { opsToken, startRestServer } from '../../support/rest-server.ts';

const { dismissQuarantined, listQuarantine, readQuarantined, releaseQuarantined, skipStop, syncStops } = operations;
const headers = { authorization: `Bearer ${opsToken}` };
const weekEnd = '20261121';
const by = { by: 'MILLER' };

let server: RestServer;
let driver: Signed;
let colleague: Signed;

beforeAll(async () => {
  server = await startRestServer();
  const stops = [plan(1), plan(999, 0)];
  await insertRoutes(server.database.pool, [
    { facility: 'F01', id: 'R100', weekEnd, drivers: ['1001', '1002'], stops },
    { facility: 'F01', id: 'R200', weekEnd, drivers: ['1002'], stops },
  ]);
  driver = await signUp(server.client, '1001');
  colleague = await signUp(server.client, '1002');
});

beforeEach(() => server.database.pool.query('delete from quarantine'));

const part = { facility: 'F01', week_end: weekEnd };
const commented = (stop: number, comment = 'left at the door', id = 'R100') => ({
  id,
  ...part,
  stops: [{ id: stop, updates: { driver_comments: comment } }],
});

/** Each request comes a second after the one before. */
function put(body: object, { key, as = driver }: { key?: string; as?: Signed } = {}): Promise<Reply> {
  server.clock.now = new Date(server.clock.now.getTime() + 1_000);
  return server.client.call(syncStops, { as, body, ...(key === undefined ? {} : { headers: keyed(key) }) });
}

const keyed = (key: string) => ({ 'idempotency-key': key });
const list = (state = 'all') => server.client.take(listQuarantine, { headers, query: `?state=${state}` });
const release = (quarantine_id: string) =>
  server.client.take(releaseQuarantined, { headers, params: { quarantine_id }, body: by });

async function onlyEntry() {
  const entries = await list();
  expect(entries).toHaveLength(1);
  const [entry] = entries;
  if (!entry) throw new Error('nothing was kept');
  return entry;
}

/** From the office's planning on, the route has it. */
const addStop = (id: number) => addStops(server.database.pool, { ...part, id: 'R100', weekEnd }, [plan(id)]);

async function commentOf(stop: number): Promise<string> {
  const { rows } = await server.database.pool.query<{ doc: string }>(
    `select doc from stop_result where route_id = 'R100' and stop_id = $1`,
    [stop],
  );
  return rows[0]?.doc ?? '';
}

describe('a rejected REST change that is sent again', () => {
  test.each([
    ['a stop that the route lacks', 'STOP_NOT_FOUND', commented(50)],
    ['a route of other drivers', 'NOT_ASSIGNED', commented(1, 'mine', 'R200')],
    ['an unknown route', 'ROUTE_NOT_FOUND', commented(1, 'mine', 'R999')],
    ['a route without its parts', 'ROUTE_NOT_FOUND', { id: 'R999', stops: [{ id: 1, updates: { status: 'D' } }] }],
  ])('stays one entry, with any key: %s', async (_what, code, body) => {
    const start = server.clock.now.getTime();
    const [one, two] = [randomUUID(), randomUUID()];
    for (const key of [undefined, undefined, one, one, two])
      expect((await put(body, key === undefined ? {} : { key })).error?.code).toBe(code);
    expect(await onlyEntry()).toMatchObject({
      code,
      employee: '1001',
      state: 'open',
      received_at: new Date(start + 1_000).toISOString(),
      attempts: 5,
      last_received_at: new Date(start + 5_000).toISOString(),
    });
  });

  test('is one entry for a skip, too', async () => {
    const body = { route_id: 'R100', stop_id: 51, ...part, skip_refuse_reason_code: '10' };
    for (const call of [{}, {}, { headers: keyed('skip') }])
      expect((await server.client.call(skipStop, { as: driver, body, ...call })).error?.code).toBe('STOP_NOT_FOUND');
    expect(await onlyEntry()).toMatchObject({ name: 'stop.skip_refuse', attempts: 3 });
  });

  test('is one entry where all retries are concurrent', async () => {
    await Promise.all(Array.from({ length: 8 }, () => put(commented(52))));
    expect(await onlyEntry()).toMatchObject({ attempts: 8 });
  });

  test('another content, another stop of the body and another driver are entries of their own', async () => {
    const { stops } = commented(53);
    const body = { ...commented(53), stops: [...stops, ...commented(54).stops] };
    await put(body);
    await put(body);
    await put(commented(53, 'left with the neighbour'));
    await put(commented(53), { as: colleague });
    const seen = (await list()).map(({ stop_id, employee, attempts }) => `${stop_id} of ${employee}: ${attempts}`);
    expect(new Set(seen)).toEqual(new Set(['53 of 1001: 1', '53 of 1001: 2', '53 of 1002: 1', '54 of 1001: 2']));
    expect(seen).toHaveLength(4);
  });

  test('releases its entry once it can be applied, under any of its keys', async () => {
    await put(commented(55), { key: 'first' });
    await put(commented(55));
    await addStop(55);
    const reply = await put(commented(55), { key: 'third' });
    expect(syncStops.data.parse(reply.data).stops).toMatchObject([{ result: 'applied' }]);
    const { quarantine_id } = await onlyEntry();
    const entry = await server.client.take(readQuarantined, { headers, params: { quarantine_id } });
    expect(entry).toMatchObject({ state: 'released', resolved_by: 'sender', attempts: 2 });
    expect(entry.version).toBeGreaterThan(0);
  });

  test('counts by its latest receipt: the driver’s last change wins when all are released', async () => {
    await put(commented(56, 'the first word'));
    await put(commented(56, 'the second word'));
    await put(commented(56, 'the first word'));
    const entries = await list('open');
    expect(entries).toHaveLength(2);
    await addStop(56);
    for (const { quarantine_id } of entries.toReversed()) await release(quarantine_id);
    expect(await commentOf(56)).toContain('the first word');
  });

  test('returns the current reason', async () => {
    await put(commented(1, 'early', 'R300'));
    const driverless = { facility: 'F01', id: 'R300', weekEnd, drivers: ['1002'], stops: [plan(1)] };
    await insertRoutes(server.database.pool, [driverless]);
    await put(commented(1, 'early', 'R300'));
    const reason = 'employee 1001 was never on route R300';
    expect(await onlyEntry()).toMatchObject({ code: 'NOT_ASSIGNED', reason, attempts: 2 });
  });

  test('of a dismissed entry is counted and does not reopen it; after a release it is another entry', async () => {
    await put(commented(57));
    const { quarantine_id } = await onlyEntry();
    const body = { ...by, reason: 'booked by hand' };
    await server.client.take(dismissQuarantined, { headers, params: { quarantine_id }, body });
    await put(commented(57));
    expect(await onlyEntry()).toMatchObject({ quarantine_id, state: 'dismissed', attempts: 2 });
    await addStop(57);
    await release(quarantine_id);
    await server.database.pool.query('delete from stop_plan where stop_id = 57');
    await put(commented(57));
    expect((await list('open')).map(({ attempts }) => attempts)).toEqual([1]);
  });

  test('is not counted where an operator’s release fails', async () => {
    await put(commented(58));
    const { quarantine_id } = await onlyEntry();
    const failed = await server.client.call(releaseQuarantined, { headers, params: { quarantine_id }, body: by });
    expect(failed.error?.code).toBe('STOP_NOT_FOUND');
    expect(await onlyEntry()).toMatchObject({ quarantine_id, state: 'open', attempts: 1 });
  });
});

test('what PostgreSQL refuses shows the sender none of its words, and the office all of them (contract §1)', async () => {
  await server.database.pool.query(`alter table stop_result add constraint no_poison check (doc not like '%poison%')`);
  try {
    const alone = await put(commented(1, 'poison'));
    const meaning = errorCodes.INTERNAL.meaning;
    expect(alone).toMatchObject({ status: 500, message: meaning });
    expect(alone.error).toMatchObject({ code: 'INTERNAL', details: [{ path: 'stops.0', message: meaning }] });
    expect((await onlyEntry()).reason).toContain('no_poison');

    const { stops } = commented(1, 'poison');
    const partly = await put({ ...commented(999, 'a word'), stops: [...stops, ...commented(999, 'a word').stops] });
    expect(syncStops.data.parse(partly.data).stops).toMatchObject([
      { result: 'rejected', warnings: [{ code: 'INTERNAL', message: meaning }] },
      { result: 'applied' },
    ]);
  } finally {
    await server.database.pool.query('alter table stop_result drop constraint no_poison');
  }
});
