import { beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../../server/src/http/operations.ts';
import { operatorHeaders } from '../../support/operators.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { restChange } from '../../support/rest-change.ts';
import { opsToken, startRestServer, type RestServer } from '../../support/rest-server.ts';

const { listActs, listParked, readAttention, reviewFlags } = operations;
const weekEnd = '20261128';
const key = { facility: 'F01', id: 'R100', week_end: weekEnd };
const place = { facility: 'F01', route_id: 'R100', week_end: weekEnd };

let server: RestServer;
let headers: Record<string, string>;

beforeAll(async () => {
  server = await startRestServer();
  headers = { authorization: `Bearer ${opsToken}` };
  await insertRoutes(server.database.pool, [
    {
      facility: 'F01',
      id: 'R100',
      weekEnd,
      drivers: ['1001'],
      stops: Array.from({ length: 9 }, (_, i) => plan(i + 1)),
    },
  ]);
});

const query = (text: string, values: unknown[] = []) => server.database.pool.query(text, values);
const read = () => server.client.take(readAttention, { headers });
const causeOf = async (cause: string) => (await read()).causes.find((each) => each.cause === cause);
const minutesAgo = (minutes: number) => new Date(server.clock.now.getTime() - minutes * 60_000);

const park = (stop: number, reason: string, at: Date) =>
  query(
    `insert into parked (facility, route_id, week_end, stop_id, version, sqlstate, reason, payload, parked_at)
     values ('F01', 'R100', $1, $2, 1, '22001', $3, '', $4)`,
    [weekEnd, stop, reason, at],
  );

const flagged = (id: number) => {
  const products = [{ id: 'NOSUCH', invoice: 'A', updates: { delivered: 1 } }];
  const now = server.clock.now;
  return server.pipeline.submit(restChange(key, { id, products }, '1001', { editTime: now, receivedAt: now }));
};

describe('GET /api/ops/attention', () => {
  test('is empty where nothing needs a person', async () => {
    const { counts, causes } = await read();
    expect(causes).toEqual([]);
    expect(counts).toMatchObject({ total: 0, parked: 0, late_close: 0 });
  });

  test('parked rows with one reason are one cause, whatever values the reason names', async () => {
    for (const stop of [1, 2, 3, 4, 5, 6])
      await park(stop, `"RUCMT" of stop ${stop} is too long`, minutesAgo(10 - stop));
    await park(7, 'no such column', minutesAgo(1));
    const { causes, counts } = await read();
    expect(counts).toMatchObject({ total: 7, parked: 7 });
    const [many, one] = causes;
    expect(many).toMatchObject({
      kind: 'parked',
      count: 6,
      capped: false,
      file: 'RTSTUP',
      code: '22001',
      message: '"RUCMT" of stop 6 is too long',
      oldest_at: minutesAgo(9).toISOString(),
      newest_at: minutesAgo(4).toISOString(),
      since: minutesAgo(9).toISOString(),
      suggested: { act: 'retry_all', operation: 'retryParkedCause' },
      otherwise: 'host_lacks_stop',
      running: null,
    });
    expect(many?.items.map(({ stop_id }) => stop_id)).toEqual([1, 2, 3, 4, 5]);
    expect(many?.items[0]).toMatchObject({ ...place, text: '"RUCMT" of stop 1 is too long' });
    expect(one).toMatchObject({ count: 1, suggested: { act: 'repair', operation: 'repairParked' } });
    // The same cause in the list.
    const cause = many?.cause.replace('parked:', '') ?? '';
    const listed = await server.client.take(listParked, { headers, query: `?cause=${encodeURIComponent(cause)}` });
    expect(listed.map((entry) => entry.cause)).toEqual(Array.from({ length: 6 }, () => cause));
    await query('delete from parked');
  });

  test('rows of other files, and a close that waits for its parked stops, are causes of their own', async () => {
    await query(
      `insert into parked_row (file, key, version, sqlstate, reason, payload) values ('PODUSRP', '1001', 1, '42501', 'no right', '')`,
    );
    await query(
      `insert into parked (facility, route_id, week_end, stop_id, version, sqlstate, reason, payload, parked_at)
       values ('F01', 'R100', $1, -1, 1, '', 'the close waits for 1 parked stop(s)', '', $2)`,
      [weekEnd, minutesAgo(20)],
    );
    const { causes, counts } = await read();
    expect(counts).toMatchObject({ parked: 1, late_close: 1 });
    expect(causes).toMatchObject([
      { cause: 'late_close:waits', otherwise: 'close_waits', items: [{ ...place, stop_id: null }] },
      { kind: 'parked', file: 'PODUSRP', otherwise: 'host_lacks_row', suggested: { act: 'retry_all' } },
    ]);
    await query('delete from parked_row');
    await query('delete from parked');
  });

  test('refused changes are grouped by code and name, and incidents by kind, with the route they name', async () => {
    await query(
      `insert into quarantine (quarantine_id, id, hash, employee, facility, route_id, week_end, stop_id, name, code, reason,
                               details, body, received_at)
       select gen_random_uuid(), gen_random_uuid(), '', '1001', 'F01', 'R100', $1, 71, 'stop.update', 'STOP_NOT_FOUND',
              'no such stop', '[]', '', $2 from generate_series(1, 2)`,
      [weekEnd, minutesAgo(30)],
    );
    const details = JSON.stringify({ route: key, stop: 3, text: 'a\u0000b' });
    await query(
      `insert into incident (incident_id, at, kind, employee, details) values (gen_random_uuid(), $1, $2, '1001', $3)`,
      [minutesAgo(20), 'chain_broken', details],
    );
    await query(`insert into incident (incident_id, at, kind) values (gen_random_uuid(), $1, 'asset_missing')`, [
      minutesAgo(15),
    ]);
    const { causes, counts } = await read();
    expect(counts).toMatchObject({ total: 4, quarantine: 2, incident: 1, missing_file: 1 });
    // The oldest first: the file is awaited since a day before its incident, and needs a person after an hour.
    const day = 24 * 60;
    expect(causes).toMatchObject([
      {
        cause: 'incident:asset_missing',
        kind: 'missing_file',
        oldest_at: minutesAgo(day + 15).toISOString(),
        since: minutesAgo(day - 45).toISOString(),
        items: [{ facility: null, at: minutesAgo(day + 15).toISOString() }],
        otherwise: 'proof_incomplete',
      },
      {
        cause: 'quarantine:STOP_NOT_FOUND:stop.update',
        count: 2,
        code: 'STOP_NOT_FOUND',
        message: 'no such stop',
        items: [{ ...place, stop_id: 71, employee: '1001' }, { stop_id: 71 }],
        suggested: { act: 'release', operation: 'releaseQuarantined' },
        otherwise: 'not_applied',
      },
      {
        cause: 'incident:chain_broken',
        items: [{ ...place, stop_id: 3, employee: '1001' }],
        suggested: { act: 'acknowledge', operation: 'acknowledgeIncident' },
        otherwise: 'unread',
      },
    ]);
    await query('delete from quarantine');
    await query('delete from incident');
  });

  test('flags need a person until one has read them', async () => {
    await flagged(1);
    const readAt = (ms: number) => (server.clock.now = new Date(server.clock.now.getTime() + ms));
    expect(await causeOf('flag:unknown_product')).toBeUndefined(); // its batch may still be under way
    readAt(11_000);
    const flag = await causeOf('flag:unknown_product');
    expect(flag).toMatchObject({
      count: 1,
      items: [{ ...place, stop_id: 1, employee: '1001' }],
      suggested: { act: 'review', operation: 'reviewFlags' },
      otherwise: 'saved_already',
    });
    const through = flag?.newest_at ?? '';
    const body = { code: 'unknown_product', through, note: 'called the driver' };
    const first = await operatorHeaders(server, 'repair', 'MARYB');
    const reviewed = await server.client.take(reviewFlags, { headers: first, body });
    expect(reviewed).toMatchObject({ code: 'unknown_product', reviewed_through: through, by: 'MARYB' });
    expect(await causeOf('flag:unknown_product')).toBeUndefined();

    // A second person is answered with the first, and no act is recorded.
    const second = await operatorHeaders(server, 'repair', 'LEE');
    expect(await server.client.take(reviewFlags, { headers: second, body })).toEqual(reviewed);
    const acts = await server.client.take(listActs, { headers, query: '?subject_kind=flag' });
    expect(acts).toMatchObject([
      { by: 'MARYB', act: 'reviewFlags', subject: 'unknown_product', reason: 'called the driver' },
    ]);

    // A flag of the last ten seconds may still come.
    const early = { ...body, through: new Date(server.clock.now.getTime() - 9_999).toISOString() };
    const refused = await server.client.call(reviewFlags, { headers: first, body: early });
    expect(refused.error?.details).toEqual([{ path: 'through', message: 'must be at least ten seconds ago' }]);
    readAt(4 * 24 * 3_600_000);
    await flagged(2);
    readAt(11_000);
    expect(await causeOf('flag:unknown_product')).toMatchObject({ count: 1, items: [{ stop_id: 2 }] });
    readAt(4 * 24 * 3_600_000);
    expect(await causeOf('flag:unknown_product')).toBeUndefined(); // older than three days
  });

  test('silent phones, awaited files, forgotten holds and open routes need a person after their time', async () => {
    await query(
      `insert into client (client_id, employee, device, queue_key_hash, pending, last_seen_at)
       values (gen_random_uuid(), '1001', 'Tab 5', '', 3, $1), (gen_random_uuid(), '1002', 'Tab 6', '', 1, $2)`,
      [minutesAgo(61), minutesAgo(59)],
    );
    const asset = 'P'.repeat(16);
    await query(`insert into asset (id, batch, state, expected_at) values ($1, $1, 'L', $2)`, [asset, minutesAgo(90)]);
    await query(
      `insert into awaited_asset (facility, route_id, week_end, stop_id, asset_id) values ('F01', 'R100', $1, 4, $2)`,
      [weekEnd, asset],
    );
    await query(
      `insert into replication_hold (source, starts_at, reason, held_by) values ('operator', $1, 'backup', 'CHIEF')`,
      [minutesAgo(70)],
    );
    await query(`update route set dispatched_on = '20200101', arrived = true, changed_at = $1`, [minutesAgo(80)]);
    const { causes, counts } = await read();
    expect(counts).toMatchObject({ silent_phone: 1, missing_file: 1, hold: 1, late_close: 1 });
    expect(causes.filter(({ kind }) => kind !== 'flag')).toMatchObject([
      { cause: 'late_close:open', items: [{ id: `F01/R100/${weekEnd}`, ...place }], otherwise: 'route_stays_open' },
      { cause: 'missing_file', since: minutesAgo(30).toISOString(), items: [{ id: asset, ...place, stop_id: 4 }] },
      { cause: 'hold:operator', message: 'backup', items: [{ text: 'CHIEF' }], suggested: { operation: 'endHold' } },
      {
        cause: 'silent_phone',
        items: [{ employee: '1001', text: 'Driver 1001 · Tab 5' }],
        otherwise: 'lost_with_phone',
      },
    ]);
  });

  test('an unchanged answer is not sent again', async () => {
    const url = `${server.client.url}/api/ops/attention`;
    const first = await fetch(url, { headers });
    const etag = first.headers.get('etag') ?? '';
    const again = await fetch(url, { headers: { ...headers, 'if-none-match': etag } });
    expect([first.status, again.status]).toEqual([200, 304]);
  });
});
