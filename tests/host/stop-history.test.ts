import { createHash } from 'node:crypto';
import { operations } from '../../server/src/http/operations.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { logOf } from '../support/whole-log.ts';
import { applyRetention } from '../../server/src/ops/retention/retention.ts';
import { skipLostItems } from '../../server/src/sync/sql.ts';
import { bindQueue } from '../server/mutations/fixture.ts';
import { restChange } from '../support/rest-change.ts';
import { opsToken } from '../support/rest-server.ts';
import { TestQueue } from '../support/sealing.ts';
import { storeFiles } from '../support/uploads.ts';
import { rowDeps } from './row-fixture.ts';

const { client, depot, pool } = await rowDeps();
const { listParked, readStopHistory, skipParked, verifyStopHistory } = operations;
const headers = { authorization: `Bearer ${opsToken}` };
const photo = 'AAAAAAAAAAAAAAAA';
const queue = new TestQueue();
const phone = new TestQueue();
let query: string;
/** In the order in which the phone sealed them: of stop 1, of stop 2, of stop 1, of a stop that does not exist. */
let ids: string[];

beforeAll(async () => {
  const key = await depot.addRoute('PAST', [1, 2]);
  depot.clock.now = new Date();
  const edit = (id: number, updates: object) => queue.seal('stop.update', { route: key, stop: { id, updates } });
  const items = [
    edit(1, { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z', signature_id: photo }),
    edit(2, { driver_comments: 'next door' }),
    edit(1, { driver_comments: 'left at the dock' }),
    edit(7, { driver_comments: 'no such stop' }),
    edit(1, { driver_comments: 'at the back' }),
  ];
  ids = items.map(({ id }) => id);
  await depot.pipeline.push(await bindQueue(depot.database, queue, '1001'), items);
  await depot.record(key, { id: 1, updates: { store_emp_name: 'Ana Ruiz' } });
  await depot.replicateOnce(key);
  await pool.query(`insert into mail_sent (facility, mutation_id, sent_at) values ('F01', $1, $2)`, [
    ids[0],
    '2026-11-21T16:10:00Z',
  ]);
  query = `?facility=${key.facility}&route_id=${key.id}&week_end=${key.week_end}`;
});

const history = (stop: number) => client.take(readStopHistory, { headers, query: `${query}&stop_id=${stop}` });
const verify = (stop: number) => client.take(verifyStopHistory, { headers, query: `${query}&stop_id=${stop}` });

describe('GET /api/ops/stop-history', () => {
  test('has every change with its author, its times and its text, and the stop on the host', async () => {
    const shown = await history(1);
    const rows = await depot.show('RTSTUP', "RURTE = 'PAST' and RUSTP = 1");
    expect(shown).toMatchObject({ facility: 'F01', route_id: 'PAST', stop_id: 1, status: 'D', kept: [] });
    expect(shown.host).toMatchObject({ on_host: true, trace: rows[0]?.['RUTRC'], parked_since: null });
    expect(shown.host.sequence).toBe(Number(rows[0]?.['RURPSQ']));
    expect(shown.mutations.map(({ id, source, seq }) => [id, source, seq])).toEqual([
      [ids[0], 'sync', 1],
      [ids[2], 'sync', 3],
      [ids[4], 'sync', 5],
      [expect.any(String), 'rest', null],
    ]);
    const [first] = shown.mutations;
    expect(first).toMatchObject({
      client_id: queue.clientId,
      device: 'test',
      employee: '1001',
      employee_name: 'Dana Driver',
      on_host: true,
      result: 'applied',
    });
    expect(JSON.parse(first?.body ?? '')).toMatchObject({
      args: { stop: { updates: { signature_id: photo } } },
      captured_at: first?.captured_at,
    });
    for (const moment of [first?.edit_time, first?.received_at]) expect(moment).toMatch(/^20\d\d-/);
    expect(shown.files).toEqual([
      { asset_id: photo, state: 'awaited', mime: '', size: 0, received_at: null, sha256: null, on_host: false },
    ]);
    expect(shown.mails).toEqual([{ mutation_id: ids[0], sent_at: '2026-11-21T16:10:00.000Z' }]);
  });

  test('has the full SHA-256 of each received file', async () => {
    const key = await depot.addRoute('FILE', [1]);
    const bytes = Buffer.from('a photo, as a phone has sent it');
    const [asset = ''] = await storeFiles(client, { files: [{ name: 'dock.jpg', bytes }] });
    await depot.record(key, { id: 1, updates: { signature_id: asset } });
    const at = `?facility=${key.facility}&route_id=${key.id}&week_end=${key.week_end}&stop_id=1`;
    const { files } = await client.take(readStopHistory, { headers, query: at });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(files).toMatchObject([{ asset_id: asset, state: 'here', size: bytes.length, sha256 }]);
  });

  test('lists changes that could not be applied', async () => {
    const key = { facility: 'F01', id: 'PAST', week_end: '20261128' };
    const foreignChange = restChange(key, { id: 2, updates: { driver_comments: 'not mine' } }, '9999');
    await depot.pipeline.submit(foreignChange);
    expect((await history(2)).kept).toMatchObject([
      { id: foreignChange.id, employee: '9999', code: 'NOT_ASSIGNED', state: 'open' },
    ]);
  });

  test('a refused stop is not listed as on the host', async () => {
    await pool.query(
      `insert into parked (facility, route_id, week_end, stop_id, version, sqlstate, reason, payload)
       select facility, id, week_end, 2, version, '22001', 'RUCMT is too long', '{}' from route where id = 'PAST'`,
    );
    expect(await history(2)).toMatchObject({
      host: { on_host: false, parked_reason: 'RUCMT is too long' },
      mutations: [{ id: ids[1], on_host: false }],
    });
    expect((await history(2)).host).toMatchObject({ skipped_at: null, skipped_by: null, skip_reason: null });
    const parked = await client.take(listParked, { headers });
    const params = { parked_id: parked.find(({ route_id }) => route_id === 'PAST')?.parked_id ?? '' };
    await client.take(skipParked, { headers, params, body: { by: 'MILLER', reason: 'booked by hand' } });
    const { host } = await history(2);
    expect(host).toMatchObject({ on_host: false, parked_reason: 'RUCMT is too long', ...params });
    expect(host).toMatchObject({ skipped_by: 'machine:MILLER', skip_reason: 'booked by hand' });
    expect(host.skipped_at).toMatch(/^20\d\d-/);
  });

  test('an unknown route or stop is reported as unknown, and only operators may use it', async () => {
    const at = (path: string) => client.call(readStopHistory, { headers, query: path });
    expect((await at(`${query}&stop_id=8`)).error?.code).toBe('STOP_NOT_FOUND');
    expect((await at('?facility=F09&route_id=PAST&week_end=20261128&stop_id=1')).error?.code).toBe('ROUTE_NOT_FOUND');
    expect((await at('?facility=F01')).error?.code).toBe('VALIDATION_FAILED');
    expect((await client.call(verifyStopHistory, { query: `${query}&stop_id=1` })).error?.code).toBe(
      'MISSING_CREDENTIALS',
    );
  });
});

describe('GET /api/ops/stop-history/verify', () => {
  const linksOf = async () =>
    (await verify(1)).links.map(({ id, body, link, follows }) => ({ id, body, link, follows }));
  /** Undone afterwards: each test finds the ledger as the phone sealed it. */
  async function tampered(statement: string, id: string | undefined, poll: () => Promise<void>): Promise<void> {
    await pool.query('create table untouched as select * from ledger');
    await pool.query(statement, [id]);
    await poll();
    await pool.query('delete from ledger');
    await pool.query('insert into ledger select * from untouched');
    await pool.query('drop table untouched');
  }

  test('follows the chain over the other stops of the queue, and over quarantined changes', async () => {
    const report = await verify(1);
    expect(report).toMatchObject({ intact: true, whole: true });
    expect(await linksOf()).toMatchObject([
      { id: ids[0], body: 'intact', link: 'intact', follows: null },
      { id: ids[2], body: 'intact', link: 'intact', follows: ids[1] },
      { id: ids[4], body: 'intact', link: 'intact', follows: ids[3] },
      { body: 'intact', link: 'none', follows: null },
    ]);
  });

  test('names a text that was altered', async () => {
    const alter = `update ledger set body = replace(body, 'dock', 'door') where id = $1`;
    await tampered(alter, ids[2], async () => {
      expect(await verify(1)).toMatchObject({ intact: false, whole: true });
      expect((await linksOf())[1]).toMatchObject({ id: ids[2], body: 'altered', link: 'intact' });
    });
  });

  test('names the broken link where a text was altered together with its hash', async () => {
    const alter = `update ledger set body = replace(body, 'door', 'yard'), hash = sha256(convert_to(replace(body, 'door', 'yard'), 'UTF8'))
                    where id = $1`;
    await tampered(alter, ids[1], async () => {
      expect(await verify(2)).toMatchObject({ intact: true });
      expect(await verify(1)).toMatchObject({ intact: false });
      expect((await linksOf())[1]).toMatchObject({ id: ids[2], body: 'intact', link: 'broken', follows: ids[1] });
    });
  });

  test('reports gaps: an item that is not here, a link that was not stored', async () => {
    await tampered('delete from ledger where id = $1', ids[1], async () => {
      expect(await verify(1)).toMatchObject({ intact: true, whole: false });
      expect((await linksOf())[1]).toMatchObject({ id: ids[2], link: 'missing', follows: null });
    });
    await tampered('update ledger set prev_hash = null where id = $1', ids[2], async () => {
      expect(await verify(1)).toMatchObject({ intact: true, whole: false });
      expect((await linksOf())[1]).toMatchObject({ id: ids[2], link: 'unknown', follows: ids[1] });
    });
  });

  test('follows it over changes that another queue had brought before a fork', async () => {
    const key = await depot.addRoute('FORK', [1]);
    const [first, second] = [new TestQueue(), new TestQueue()];
    const write = (text: string) =>
      first.seal('stop.update', { route: key, stop: { id: 1, updates: { driver_comments: text } } });
    const answered = [write('the answer'), write('to these'), write('was lost')];
    await depot.pipeline.push(await bindQueue(depot.database, first, '1001'), answered);
    const again = answered.map((item) => second.take(item));
    const next = second.take(write('and this is new'));
    await depot.pipeline.push(await bindQueue(depot.database, second, '1001'), [...again, next]);
    const at = `?facility=${key.facility}&route_id=${key.id}&week_end=${key.week_end}&stop_id=1`;
    const report = await client.take(verifyStopHistory, { headers, query: at });
    expect(report).toMatchObject({ intact: true, whole: true });
    expect(report.links.at(-1)).toMatchObject({ id: next.id, seq: 4, link: 'intact', follows: answered[2]?.id });
  });

  test('gives the reason for a missing item: lost by its phone, expired, or unknown', async () => {
    const [key, old] = [await depot.addRoute('KEPT', [1]), await depot.addRoute('OVER', [1])];
    const { clientId } = phone;
    const session = await bindQueue(depot.database, phone, '1001');
    const seal = (route: object, id: number) =>
      phone.seal('stop.update', { route, stop: { id, updates: { driver_comments: 'x' } } });
    const items = [seal(key, 1), seal(key, 1), seal(key, 1), seal(old, 1), seal(key, 1), seal(key, 7), seal(key, 1)];
    await depot.pipeline.push(session, items.slice(0, 1));
    // An earlier version stored such reasons.
    const lost = { from: 2, to: 2, reason: 'storage \0 was \ud800 evicted' };
    await pool.query(skipLostItems, [clientId, '1001', lost.from, lost.to, JSON.stringify(lost), 10_000]);
    await depot.pipeline.push(session, items.slice(2));
    const links = async () => {
      const at = `?facility=${key.facility}&route_id=${key.id}&week_end=${key.week_end}&stop_id=1`;
      return (await client.take(verifyStopHistory, { headers, query: at })).links.map(({ seq, link }) => [seq, link]);
    };
    expect(await links()).toEqual([
      [1, 'intact'],
      [3, 'lost'],
      [5, 'intact'],
      [7, 'intact'],
    ]);

    // A hundred days later: the other route is finished, its quarantined changes and its incident are settled.
    await pool.query(`update route set status = 'C', closed_at = now(), hosted_through = version where id = 'OVER'`);
    await pool.query(`update quarantine set state = 'dismissed', resolved_at = now() where client_id = $1`, [clientId]);
    await pool.query(`update incident set acknowledged_at = now() where client_id = $1`, [clientId]);
    const retention = {
      ledger: 90,
      routes: undefined,
      files: undefined,
      mails: undefined,
      incidents: 90,
      acts: undefined,
    };
    const clock = () => new Date(Date.now() + 100 * 86_400_000);
    await (
      await logOf(pool)
    )();
    await applyRetention({ db: pool, retention, clock, log: depot.log });
    await pool.query('delete from ledger where client_id = $1 and seq = 1', [clientId]);
    expect(await links()).toEqual([
      [3, 'lost'],
      [5, 'expired'],
      [7, 'expired'],
    ]);
    await pool.query('delete from ledger where client_id = $1 and seq = 3', [clientId]);
    const cut = seal(key, 1);
    await depot.pipeline.push(session, [cut]);
    await pool.query('delete from ledger where client_id = $1 and seq = 7', [clientId]);
    expect((await links()).at(-1)).toEqual([8, 'missing']);
  });
});
