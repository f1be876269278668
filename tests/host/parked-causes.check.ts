import { expect, test } from 'vitest';
import { operations } from '../../server/src/http/operations.ts';
import type { Host } from '../../server/src/host/host.ts';
import { operatorHeaders } from '../support/operators.ts';
import { opsToken, startRestServer } from '../support/rest-server.ts';
import { openDepot } from '../support/depot.ts';

const { listActs, listParked, readAttention, retryParkedCause, skipParkedCause } = operations;

const depot = await openDepot();
const server = await startRestServer({ database: depot.database });
const { client } = server;
const { pool } = depot.database;
const headers = { authorization: `Bearer ${opsToken}` };
const maryb = await operatorHeaders(server, 'repair', 'MARYB');
const lee = await operatorHeaders(server, 'repair', 'LEE');

await pool.query(`create function refuse() returns trigger language plpgsql as $$
  begin if new.RUCMT like 'BAD%' then raise exception 'RUCMT of stop % is not wanted', new.RUSTP; end if; return new; end $$`);
await pool.query(
  `create trigger refuse before insert or update on PODDTA.RTSTUP for each row execute function refuse()`,
);
const corrected = (on: boolean) => pool.query(`alter table PODDTA.RTSTUP ${on ? 'disable' : 'enable'} trigger refuse`);
await pool.query(`create table public.written (route text, stop int, at timestamptz default clock_timestamp())`);
await pool.query(`create function public.note() returns trigger language plpgsql as $$
  begin insert into public.written values (trim(new.RURTE), new.RUSTP); return null; end $$`);
await pool.query(
  `create trigger note after insert or update on PODDTA.RTSTUP for each row execute function public.note()`,
);

const ROUTES = 25;
const STOPS = Array.from({ length: 20 }, (_, i) => i + 1);

/** Host transactions at the same moment. */
let running = 0;
let most = 0;
const host: Host = {
  ...depot.host,
  transaction: async (work) => {
    running += 1;
    most = Math.max(most, running);
    return depot.host.transaction(work).finally(() => (running -= 1));
  },
};

const parkedCount = async (): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from parked where skipped_at is null');
  return rows[0]?.n ?? -1;
};

test('500 stops parked for one cause are retried at a bounded pace: each arrives once', async () => {
  const keys = [];
  for (let n = 0; n < ROUTES; n++) keys.push(await depot.addRoute(`R${n}`, STOPS));
  depot.clock.now = new Date();
  for (const key of keys)
    await Promise.all(
      STOPS.map((id) => depot.record(key, { id, updates: { status: 'D', driver_comments: `BAD ${key.id}/${id}` } })),
    );
  const worker = depot.worker({ host, lanes: 4 });
  await worker.start();
  await expect.poll(parkedCount, { timeout: 120_000 }).toBe(500);

  const { causes } = await client.take(readAttention, { headers });
  expect(causes.filter(({ kind }) => kind === 'parked')).toMatchObject([
    { count: 500, file: 'RTSTUP', suggested: { act: 'retry_all', operation: 'retryParkedCause' } },
  ]);
  const [entry] = await client.take(listParked, { headers });
  const cause = entry?.cause ?? '';
  await corrected(true);
  most = 0;
  const retried = await client.take(retryParkedCause, {
    headers: maryb,
    body: { cause, reason: 'the host is corrected' },
  });
  expect(retried).toMatchObject({ cause, count: 500, remaining: 500, first: null });

  // A second operator changes nothing, and reads what the first one did.
  const again = await client.take(retryParkedCause, { headers: lee, body: { cause, reason: 'me, too' } });
  expect(again).toMatchObject({ count: 0, ends_at: retried.ends_at, first: { by: 'MARYB', count: 500 } });
  const under = await client.take(readAttention, { headers });
  expect(under.causes.find((each) => each.cause === `parked:${cause}`)?.running).toMatchObject({
    by: 'MARYB',
    count: 500,
  });

  await expect.poll(parkedCount, { timeout: 180_000 }).toBe(0);
  const { rows: written } = await pool.query<{ stops: number; writes: number }>(
    'select count(distinct (route, stop))::int as stops, count(*)::int as writes from written',
  );
  expect(written).toEqual([{ stops: 500, writes: 500 }]);
  const comments = (await depot.show('RTSTUP')).map(({ RUCMT }) => String(RUCMT));
  const recorded = keys.flatMap(({ id: route }) => STOPS.map((stop) => `BAD ${route}/${stop}`));
  expect(comments.toSorted()).toEqual(recorded.toSorted());
  expect(most).toBeLessThanOrEqual(8); // four lanes for routes, and one for each other file
  const { rows: pace } = await pool.query<{ n: number }>(
    `select max(n)::int as n from (select count(*) over (order by at range between '5 seconds' preceding and current row) as n from written) w`,
  );
  // 20 a second and one sweep of five seconds; a route that is due takes all of its stops along.
  expect(pace[0]?.n).toBeLessThan(300);

  const acts = await client.take(listActs, { headers, query: '?subject_kind=cause' });
  expect(acts).toMatchObject([
    { by: 'MARYB', act: 'retryParkedCause', subject: cause, reason: 'the host is corrected' },
  ]);
  expect(JSON.parse(acts[0]?.after ?? '')).toMatchObject({ count: 500, state: 'open' });
  const late = await client.take(retryParkedCause, { headers: lee, body: { cause, reason: 'and now?' } });
  expect(late).toMatchObject({ count: 0, remaining: 0, first: { by: 'MARYB', count: 500 } });
}, 400_000);

test('all entries of a cause are skipped for one reason, and retried after all', async () => {
  await corrected(false);
  const key = await depot.addRoute('SKIP', STOPS);
  for (const id of STOPS) await depot.record(key, { id, updates: { status: 'D', driver_comments: 'BAD again' } });
  await expect.poll(parkedCount).toBe(STOPS.length);
  const [entry] = await client.take(listParked, { headers });
  const body = { cause: entry?.cause ?? '', reason: 'booked by hand' };
  const refused = await client.call(skipParkedCause, { headers: maryb, body: { cause: body.cause } });
  expect(refused.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'reason' }] });
  const skipped = await client.take(skipParkedCause, { headers: maryb, body });
  expect(skipped).toMatchObject({ count: STOPS.length, remaining: 0, ends_at: null, first: null });
  const again = await client.take(skipParkedCause, { headers: lee, body });
  expect(again).toMatchObject({ count: 0, first: { by: 'MARYB', count: STOPS.length } });
  const listed = await client.take(listParked, {
    headers,
    query: `?state=skipped&cause=${encodeURIComponent(body.cause)}`,
  });
  expect(listed).toMatchObject(STOPS.map(() => ({ skipped_by: 'MARYB', skip_reason: 'booked by hand' })));

  await corrected(true);
  const back = await client.take(retryParkedCause, { headers: lee, body: { ...body, state: 'skipped' } });
  expect(back).toMatchObject({ count: STOPS.length, remaining: STOPS.length });
  await expect
    .poll(async () => (await depot.show('RTSTUP', "RURTE = 'SKIP'")).length, { timeout: 60_000 })
    .toBe(STOPS.length);
  await expect.poll(parkedCount).toBe(0);
});

test('a cause that was never parked is unknown', async () => {
  for (const operation of [retryParkedCause, skipParkedCause]) {
    const reply = await client.call(operation, { headers: maryb, body: { cause: 'RTSTUP:22001:none', reason: 'x' } });
    expect([reply.status, reply.error?.code]).toEqual([404, 'PARKED_NOT_FOUND']);
  }
});
