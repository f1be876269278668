import { operations } from '../../server/src/http/operations.ts';
import { describe, expect, test } from 'vitest';
import type { Host } from '../../server/src/host/host.ts';
import { opsToken } from '../support/rest-server.ts';
import { rowDeps } from './row-fixture.ts';

const { client, depot, pool, expectRows, report } = await rowDeps();
const { listParked, readParked, repairParked, retryParked, skipParked } = operations;
const headers = { authorization: `Bearer ${opsToken}` };
const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;

await pool.query(`create function refuse() returns trigger language plpgsql as $$
  begin if new.RUCMT like 'BAD%' then raise exception 'RUCMT is not wanted'; end if; return new; end $$`);
await pool.query(
  `create trigger refuse before insert or update on PODDTA.RTSTUP for each row execute function refuse()`,
);
const refusing = (on: boolean) => pool.query(`alter table PODDTA.RTSTUP ${on ? 'enable' : 'disable'} trigger refuse`);
// Drivers have worked before the office reads: its server has a clock of its own.
depot.clock.now = new Date(Date.now() - 60_000);
const nothing = () => Promise.resolve();
/** Runs between a refusal and its record. */
let onRefusal = nothing;
const host: Host = {
  ...depot.host,
  transaction: (work) =>
    depot.host.transaction(work).catch(async (error: unknown) => {
      await onRefusal();
      throw error;
    }),
};
const worker = depot.worker({ host });
await worker.start();

const list = (query = '') => client.take(listParked, { headers, query });
const entryOf = async (route: string, file = 'RTSTUP') => {
  const entries = await list('?state=all');
  return entries.find(({ route_id, ...entry }) => route_id === route && entry.file === file);
};
/** Until it is gone: a moment after its rows are on the host. */
const settledEntry = (route: string, file?: string) =>
  depot.waitUntil(async () => (await entryOf(route, file)) === undefined);
async function parkedStop(route: string, stops: readonly number[] = [1]) {
  const key = await depot.addRoute(route, stops);
  await depot.record(key, { id: 1, updates: { ...delivered, driver_comments: 'BAD words' } });
  await depot.untilHosted(key);
  const entry = await entryOf(route);
  if (!entry) throw new Error(`nothing of ${route} is parked`);
  return { key, path: { parked_id: entry.parked_id }, entry };
}

describe('GET /api/ops/parked', () => {
  test('a stop that the host refuses is listed with the reason, and the rejected rows with their trace id', async () => {
    const { entry } = await parkedStop('LIST');
    expect(entry).toMatchObject({
      file: 'RTSTUP',
      key: 'F01/LIST/20261128/1',
      facility: 'F01',
      week_end: '20261128',
      stop_id: 1,
      sqlstate: '09000',
      reason: 'RUCMT is not wanted',
      attempts: 1,
      state: 'open',
      skipped_at: null,
    });
    const RUTRC: unknown = expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{12}$/);
    expect(JSON.parse(entry.payload)).toMatchObject({ RTSTUP: [{ RUCMT: 'BAD words', RUTRC }] });
    expect(Date.parse(entry.next_try_at ?? '')).toBeGreaterThan(Date.parse(entry.parked_at));
  });

  test('one entry is read by its id, until the host has taken the row', async () => {
    const { entry, path: params, key } = await parkedStop('ONE');
    expect(await client.take(readParked, { headers, params })).toEqual(await entryOf('ONE'));
    expect(entry).toMatchObject({ route_id: 'ONE' });
    await depot.record(key, { id: 1, updates: { driver_comments: 'good words' } });
    await settledEntry('ONE');
    const gone = await client.call(readParked, { headers, params });
    expect([gone.status, gone.error?.code]).toEqual([404, 'PARKED_NOT_FOUND']);
  });

  test('the list distinguishes states and has pages', async () => {
    const { path } = await parkedStop('PAGE1');
    await parkedStop('PAGE2');
    await client.take(skipParked, { headers, params: path, body: { by: 'MILLER', reason: 'known' } });
    const names = async (query: string) =>
      (await list(query)).filter(({ file }) => file === 'RTSTUP').map(({ route_id }) => route_id);
    expect(await names('')).not.toContain('PAGE1');
    expect(await names('?state=skipped')).toEqual(['PAGE1']);
    worker.wake();
    await settledEntry('PAGE1', 'RTHDRP');
    const all = await names('?state=all');
    const paged: (string | null)[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const reply = await client.call(listParked, { headers, query: `?state=all&limit=1&cursor=${cursor}` });
      paged.push(...listParked.data.parse(reply.data).map(({ route_id }) => route_id));
      cursor = listParked.meta?.parse(reply.meta).next_cursor ?? null;
    }
    expect(paged).toEqual(all);
  });

  test('only operators may use it, and an unknown entry is reported as unknown', async () => {
    expect((await client.call(listParked)).error?.code).toBe('MISSING_CREDENTIALS');
    const params = { parked_id: '0191e5f0-7f3a-7cc1-9d5e-0a4f6a1b2c3d' };
    for (const sent of [
      client.call(retryParked, { headers, params }),
      client.call(skipParked, { headers, params, body: { by: 'MILLER', reason: 'gone' } }),
      client.call(repairParked, { headers, params, body: { by: 'MILLER', stop: { id: 1 } } }),
    ])
      expect((await sent).error?.code).toBe('PARKED_NOT_FOUND');
  });
});

describe('actions of an operator', () => {
  test('retry: the next attempt starts immediately, and succeeds on a corrected host', async () => {
    const { path } = await parkedStop('RETRY');
    await refusing(false);
    expect(await client.take(retryParked, { headers, params: path })).toMatchObject({ state: 'open', attempts: 1 });
    worker.wake();
    await expectRows('RTSTUP', "RURTE = 'RETRY'", [{ RUCMT: 'BAD words' }]);
    await settledEntry('RETRY');
    await refusing(true);
  });

  test('retry: requested while another try is about to fail, it is made all the same', async () => {
    const { key, path } = await parkedStop('AGAIN');
    onRefusal = async () => {
      onRefusal = nothing;
      await refusing(false);
      expect(await client.take(retryParked, { headers, params: path })).toMatchObject({ state: 'open' });
    };
    await depot.record(key, { id: 1, updates: { store_emp_name: 'Ana' } });
    await depot.untilHosted(key);
    worker.wake();
    await settledEntry('AGAIN');
    await expectRows('RTSTUP', "RURTE = 'AGAIN'", [{ RUCMT: 'BAD words', RUSNAM: 'Ana' }]);
    await refusing(true);
  });

  test('skip: the close goes out, counts the stop, and no receipt is `on_host`', async () => {
    const { key, path } = await parkedStop('SKIP', [1, 999]);
    await depot.record(key, { id: 999, arrived: true, updates: delivered });
    await depot.untilHosted(key);
    await expectRows('RTHDRP', "RHRTE = 'SKIP'", [{ RHPODS: '' }]);
    const withoutReason = await client.call(skipParked, {
      headers,
      params: path,
      body: { by: 'MILLER', reason: '  ' },
    });
    expect(withoutReason.error).toMatchObject({ details: [{ path: 'reason', message: 'must not be blank' }] });
    const skipped = await client.take(skipParked, {
      headers,
      params: path,
      body: { by: 'MILLER', reason: 'booked by hand' },
    });
    expect(skipped).toMatchObject({
      state: 'skipped',
      skipped_by: 'machine:MILLER',
      skip_reason: 'booked by hand',
      next_try_at: null,
    });
    worker.wake();
    await expectRows('RTHDRP', "RHRTE = 'SKIP'", [{ RHPODS: 'C', RHOPEN: '1' }]);
    expect(await entryOf('SKIP')).toMatchObject({ state: 'skipped' });
    await settledEntry('SKIP', 'RTHDRP');

    // The next change of the stop is tried like any other.
    await depot.record(key, { id: 1, updates: { driver_comments: 'good words' } });
    await expectRows('RTHDRP', "RHRTE = 'SKIP'", [{ RHPODS: 'C', RHOPEN: '0' }]);
    await expectRows('RTSTUP', "RURTE = 'SKIP' and RUSTP = 1", [{ RUCMT: 'good words' }]);
    await settledEntry('SKIP');
  });

  test('repair: the office corrects the stop, in the ledger like any edit, and the host takes it', async () => {
    const { path } = await parkedStop('REPAIR');
    const stop = { id: 1, updates: { driver_comments: 'good words' } };
    const body = { by: 'MILLER', stop };
    expect(await client.take(repairParked, { headers, params: path, body })).toMatchObject({
      changed: true,
      parked: { route_id: 'REPAIR' },
    });
    await expectRows('RTSTUP', "RURTE = 'REPAIR'", [{ RUCMT: 'good words', RUSTS: 'D' }]);
    await settledEntry('REPAIR');
    const { rows } = await pool.query(`select source, employee from ledger where route_id = 'REPAIR' order by version`);
    expect(rows.at(-1)).toMatchObject({ source: 'office' });
  });

  test('repair of another stop, or of no stop, is refused and changes nothing', async () => {
    const { path } = await parkedStop('OTHER', [1, 2]);
    const sent = (params: { parked_id: string }, id: number) =>
      client.call(repairParked, { headers, params, body: { by: 'MILLER', stop: { id } } });
    expect((await sent(path, 2)).error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'stop.id' }] });

    await pool.query("alter table PODDTA.LCRHDP add constraint no_loads check (LHRPT <> 'NOLOAD')");
    await report('NOLOAD');
    await expect
      .poll(async () => (await list()).find(({ file }) => file === 'LCRHDP'))
      .toMatchObject({
        key: 'NOLOAD',
        facility: null,
        stop_id: null,
      });
    const own = (await list()).find(({ file }) => file === 'LCRHDP');
    expect((await sent({ parked_id: own?.parked_id ?? '' }, 1)).error?.code).toBe('VALIDATION_FAILED');
    await client.take(skipParked, {
      headers,
      params: { parked_id: own?.parked_id ?? '' },
      body: { by: 'M', reason: 'x' },
    });
    expect((await list('?state=skipped')).find(({ file }) => file === 'LCRHDP')).toMatchObject({
      skipped_by: 'machine:M',
    });
  });
});
