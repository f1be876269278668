import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { Leases } from '../../server/src/replication/to-host/lease.ts';
import type { Queryable } from '../../server/src/db/types.ts';
import { readVersion } from '../../server/src/replication/to-host/counts/counts-sql.ts';
import { Reconciler } from '../../server/src/replication/to-host/counts/reconciler.ts';
import { operations } from '../../server/src/http/operations.ts';
import { parseOpsCommand, runOpsCommand } from '../../server/src/ops/commands/cli.ts';
import { opsToken, startRestServer } from '../support/rest-server.ts';
import { atFileEnd } from '../support/file-end.ts';
import { openDepot } from '../support/depot.ts';

// The host's own rows against what the service accepted: at the close of a route, and at the day's end.

const depot = await openDepot();
const { pool } = depot.database;
const worker = depot.worker();
await worker.start();
const leases = new Leases({ db: pool, owner: randomUUID() });
atFileEnd(() => leases.close());
let mayWrite = true;
const reconciler = new Reconciler({
  db: pool,
  host: depot.host,
  leases,
  mayWrite: () => mayWrite,
  clock: () => depot.clock.now,
  log: depot.log,
});

const delivered = {
  status: 'D',
  start_delivery_time: '2026-11-21T15:50:00.000Z',
  end_delivery_time: '2026-11-21T15:59:30.000Z',
} as const;
const line = { delivered: 4, osd_data: [{ osd_code: 10, data: [{ quantity: 1 }] }] };
const products = [{ id: 'ITEM1', invoice: 'INV1', updates: line }];

const closeRoute = async (id: string) => {
  const key = await depot.addRoute(id, [1, 999]);
  await depot.record(key, { id: 1, updates: delivered, products });
  await depot.record(key, { id: 999, arrived: true, updates: delivered });
  await depot.untilHosted(key);
  return key;
};
const counted = async (route: string, occasion = 'C') => {
  const rows = await depot.show('PODRCNP', `RNRTE = '${route}' and RNOCC = '${occasion}'`);
  const counts = rows.map(({ RNKND, RNACC, RNHST, RNPRK, RNLAT, RNXTR, RNDIF }): [string, string] => [
    String(RNKND),
    [RNACC, RNHST, RNPRK, RNLAT, RNXTR].map(Number).join(' ') + (RNDIF === 'Y' ? ' differs' : ''),
  ]);
  return Object.fromEntries<string>(counts);
};
const incidents = async (route: string) =>
  (
    await pool.query<{ details: string }>(
      `select details from incident where kind = 'host_count_differs' and details::jsonb #>> '{route,id}' = $1`,
      [route],
    )
  ).rows.map(({ details }): unknown => JSON.parse(details));
const later = (minutes: number) => (depot.clock.now = new Date(depot.clock.now.getTime() + minutes * 60_000));

test('a closed route whose rows are all on the host: accepted and on the host are equal for each kind', async () => {
  await closeRoute('WHOLE');
  await reconciler.sweep();
  expect(await counted('WHOLE')).toEqual({ S: '2 2 0 0 0', L: '1 1 0 0 0', E: '1 1 0 0 0', P: '0 0 0 0 0' });
  expect(await depot.show('PODRCNP', "RNRTE = 'WHOLE' and RNKND = 'S'")).toMatchObject([
    { RNFAC: 'F01', RNWKE: '20261128', RNDAY: '20261121', RNCDT: '20261121', RNCTM: '100000', RNUUSR: 'TAILGATE' },
  ]);
  expect(await incidents('WHOLE')).toEqual([]);
});

test('a row that another program deleted without a trigger is missing, though the service knows it as confirmed', async () => {
  await closeRoute('LOST');
  await pool.query(
    `set session_replication_role = replica; delete from PODDTA.RTPRUP where RQRTE = 'LOST'; set session_replication_role = origin`,
  );
  await reconciler.sweep();
  expect(await counted('LOST')).toMatchObject({ S: '2 2 0 0 0', L: '1 0 0 0 0 differs' });
  expect(await incidents('LOST')).toMatchObject([
    { route: { facility: 'F01', id: 'LOST' }, occasion: 'C', stops: [1], counts: { L: { accepted: 1, onHost: 0 } } },
  ]);
  // The same difference is one incident, however often it is counted.
  later(16);
  await reconciler.sweep();
  expect(await incidents('LOST')).toHaveLength(1);
});

test('a missing row and a foreign one do not cancel each other out', async () => {
  await closeRoute('SWAP');
  await pool.query(
    `set session_replication_role = replica; update PODDTA.RTPRUP set RQITM = 'FOREIGN' where RQRTE = 'SWAP'; set session_replication_role = origin`,
  );
  await reconciler.sweep();
  expect(await counted('SWAP')).toMatchObject({ L: '1 0 0 0 1 differs' });
});

test('a parked stop is parked and no difference; a change after the close is late, and counts anew', async () => {
  const key = await depot.addRoute('PARKED', [1, 2, 999]);
  const refused = `RURTE = 'PARKED' and RUSTP = 1`;
  await depot.clerk(`alter table PODDTA.RTSTUP add constraint no_parked check (not (${refused})) not valid`);
  await depot.record(key, { id: 1, updates: delivered, products });
  await depot.record(key, { id: 999, arrived: true, updates: delivered });
  await depot.untilHosted(key);
  later(31);
  await reconciler.sweep();
  expect(await counted('PARKED')).toEqual({ S: '2 1 1 0 0', L: '1 0 1 0 0', E: '1 0 1 0 0', P: '0 0 0 0 0' });
  expect(await incidents('PARKED')).toEqual([]);
  await depot.record(key, { id: 2, updates: delivered });
  await depot.untilHosted(key);
  await reconciler.sweep();
  expect(await counted('PARKED')).toMatchObject({ S: '3 2 1 1 0' });
  await depot.clerk('alter table PODDTA.RTSTUP drop constraint no_parked');
});

test('at the day’s end each route of the day is counted, and the facility as their sum', async () => {
  depot.clock.now = new Date('2026-11-22T06:29:00.000Z'); // 00:29 in Chicago
  await reconciler.sweep();
  expect(await depot.show('PODRCNP', "RNRTE = '' and RNOCC = 'D' and RNDAY = 20261121")).toEqual([]);
  depot.clock.now = new Date('2026-11-22T06:31:00.000Z');
  await reconciler.sweep();
  expect(await counted('WHOLE', 'D')).toMatchObject({ S: '2 2 0 0 0' });
  const ofDay = "RNOCC = 'D' and RNKND = 'S' and RNDAY = 20261121";
  const routes = await depot.show('PODRCNP', `RNRTE <> '' and ${ofDay}`);
  const [sum] = await depot.show('PODRCNP', `RNRTE = '' and ${ofDay}`);
  expect(routes.length).toBeGreaterThan(3);
  expect(sum).toMatchObject({ RNFAC: 'F01', RNDAY: '20261121', RNWKE: '0' });
  expect(Number(sum?.['RNACC'])).toBe(routes.reduce((total, { RNACC }) => total + Number(RNACC), 0));
});

test('a route that came closed from the host has nothing that the service accepted, and no incident', async () => {
  const key = await depot.addClosedRoute('DRIVEN', [1, 2, 999]);
  await reconciler.sweep();
  expect(await counted(key.id)).toMatchObject({ S: '0 0 0 0 0', L: '0 0 0 0 0' });
  expect(await incidents(key.id)).toEqual([]);
});

test('while replication is on hold nothing is counted: a save of the library needs quiet files', async () => {
  mayWrite = false;
  await closeRoute('QUIET');
  await reconciler.sweep();
  expect(await counted('QUIET')).toEqual({});
  mayWrite = true;
  await reconciler.sweep();
  expect(await counted('QUIET')).toMatchObject({ S: '2 2 0 0 0' });
});

test('a library without PODRCNP: the office has the count, and the log says so once', async () => {
  await depot.clerk('alter table PODDTA.PODRCNP rename to PODRCNX');
  await closeRoute('OLDLIB');
  await closeRoute('OLDLIB2');
  await reconciler.sweep();
  await depot.clerk('alter table PODDTA.PODRCNX rename to PODRCNP');
  const { rows } = await pool.query(`select differs from reconciliation where route_id like 'OLDLIB%'`);
  expect(rows).toEqual([{ differs: false }, { differs: false }]);
  expect(depot.log.lines.filter(({ message }) => message.startsWith('PODRCNP'))).toHaveLength(1);
});

test('operators list the counts, filtered and page by page, and as CSV', async () => {
  const server = await startRestServer({ database: depot.database });
  const headers = { authorization: `Bearer ${opsToken}` };
  const list = (query: string) => server.client.take(operations.listReconciliation, { headers, query });
  const differing = await list('?state=differing&day=20261121&route_id=LOST&facility=F01');
  const none = { accepted: 0, on_host: 0, parked: 0, late: 0, extra: 0, differs: false };
  const one = { ...none, accepted: 1, on_host: 1 };
  const ofClose = differing.find(({ occasion }) => occasion === 'close');
  expect(ofClose?.counted_at).toMatch(/^2026-11-2/);
  expect(ofClose).toEqual({
    facility: 'F01',
    route_id: 'LOST',
    week_end: '20261128',
    occasion: 'close',
    day: '20261121',
    counted_at: ofClose?.counted_at,
    differs: true,
    stops: { ...one, accepted: 2, on_host: 2 },
    lines: { ...one, on_host: 0, differs: true },
    exceptions: one,
    photos: none,
    differing_stops: [1],
  });
  const all = await list('');
  expect(all.some(({ route_id, week_end }) => route_id === null && week_end === null)).toBe(true);
  expect(await list('?facility=F02')).toEqual([]);
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const reply = await server.client.call(operations.listReconciliation, {
      headers,
      query: `?limit=2&cursor=${cursor}`,
    });
    const rows = operations.listReconciliation.data.parse(reply.data);
    seen.push(...rows.map(({ route_id, occasion, day }) => `${route_id} ${occasion} ${day}`));
    cursor = operations.listReconciliation.meta?.parse(reply.meta).next_cursor ?? null;
  }
  expect(seen).toEqual(all.map(({ route_id, occasion, day }) => `${route_id} ${occasion} ${day}`));

  const csv = async (...words: string[]) =>
    (await runOpsCommand(parseOpsCommand(['counts', ...words]), pool, { autocloseSeconds: 600, keyFile: '' })).split(
      '\r\n',
    );
  const [head, ...lines] = await csv('--day', '20261121', '--facility', 'F01', '--differing');
  expect(head).toBe(
    'facility,route,week_end,occasion,day,counted_at,kind,accepted,on_host,parked,late,extra,differs,stops',
  );
  const ofLost = lines.find((text) => text.startsWith('F01,LOST,20261128,close,') && text.includes(',lines,'));
  expect(ofLost).toMatch(/,lines,1,0,0,0,0,Y,1$/);
  expect(() => parseOpsCommand(['counts', '--day', 'today'])).toThrow('--day: expected YYYYMMDD, got today');
});

const facilityDays = async (days: string) =>
  (await depot.show('PODRCNP', `RNRTE = '' and RNOCC = 'D' and RNKND = 'S' and RNDAY in (${days})`)).map(
    ({ RNDAY }) => RNDAY,
  );

test('each day is counted, also where no sweep was possible for two midnights', async () => {
  depot.clock.now = new Date('2026-11-22T16:00:00.000Z');
  await closeRoute('BEFORE');
  depot.clock.now = new Date('2026-11-24T16:00:00.000Z');
  await reconciler.sweep();
  expect(await facilityDays('20261122, 20261123, 20261124')).toEqual(['20261122', '20261123']);
  expect(await counted('BEFORE', 'D')).toMatchObject({ S: '2 2 0 0 0' });
});

test('a day with a route that changes during its count ends with the next sweep, which counts no other route again', async () => {
  await closeRoute('RESTS');
  const key = await depot.addRoute('MOVES', [1, 2, 999]);
  await depot.record(key, { id: 1, updates: delivered });
  await depot.untilHosted(key);
  depot.clock.now = new Date('2026-11-25T16:00:00.000Z');
  let hasMoved = false;
  const looks: unknown[] = [];
  const db: Queryable = {
    query: async (statement, values) => {
      if (statement === readVersion) looks.push(values?.[1]);
      if (statement === readVersion && values?.includes('MOVES') && !hasMoved) {
        hasMoved = true;
        await depot.record(key, { id: 2, updates: delivered });
      }
      return pool.query(statement, values);
    },
  };
  const options = { host: depot.host, leases, mayWrite: () => true, clock: () => depot.clock.now, log: depot.log };
  const watched = new Reconciler({ ...options, db });
  await watched.sweep();
  expect(hasMoved).toBe(true);
  expect(looks).toContain('RESTS');
  expect(await facilityDays('20261124')).toEqual([]);
  await depot.untilHosted(key);
  looks.splice(0);
  await watched.sweep();
  expect(looks).toEqual(['MOVES']);
  expect(await facilityDays('20261124')).toEqual(['20261124']);
  expect(await counted('MOVES', 'D')).toMatchObject({ S: '2 2 0 0 0' });
});
