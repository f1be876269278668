import { expect, test } from 'vitest';
import type { RouteKey, StopObjectInput } from '@tailgate/sync-protocol';
import { openDepot } from '../support/depot.ts';
import { restChange } from '../support/rest-change.ts';

// The host has writes of the service that a restored PostgreSQL lacks, and phones have sent their changes again before
// a worker meets the host's rows.

const depot = await openDepot();
const { pool } = depot.database;
await pool.query(
  `insert into server_epoch (epoch, cluster, timeline, started_at, reason) values (1, '', 1, $1::timestamptz - interval '1 day', '')`,
  [depot.clock.now],
);

const timeAt = (seconds: number): Date => new Date(Date.UTC(2026, 10, 21, 16, 0, seconds));
const at = (seconds: number): void => {
  depot.clock.now = timeAt(seconds);
};
/** A change that a driver made at this second, and that the server receives now. */
const receive = (key: RouteKey, stop: StopObjectInput, second: number, driver = '1001') => {
  const times = { editTime: timeAt(second), receivedAt: depot.clock.now };
  return depot.pipeline.submit(restChange(key, stop, driver, { ...times, dedupeByContent: false }));
};
const exception = (osd_code: number, osd_id: string, ...quantities: number[]) => ({
  osd_code,
  osd_id,
  data: quantities.map((quantity) => ({ quantity, barcodes: `${osd_id}${quantity}` })),
});
type Exceptions = ReturnType<typeof exception>[];

/** A delivery with these exceptions on its first line, and two addresses. */
const delivery = (osd_data: Exceptions, osd_emails: string[], driver_comments: string) => ({
  id: 1,
  updates: { status: 'D' as const, driver_comments, osd_emails },
  products: [{ id: 'ITEM1', invoice: 'INV1', updates: { osd_data } }],
});

/** The state of PostgreSQL before anything of this stop was recorded, in a new epoch. */
async function putBack({ id }: RouteKey): Promise<void> {
  for (const table of ['ledger', 'host_shadow']) await pool.query(`delete from ${table} where route_id = $1`, [id]);
  await pool.query(`update stop_result set doc = '{"status":"P"}', version = 1, status = 'P' where route_id = $1`, [
    id,
  ]);
  await pool.query('update route set version = 1, hosted_through = 1 where id = $1', [id]);
  await pool.query(
    `insert into server_epoch (epoch, cluster, timeline, started_at, reason)
     select max(epoch) + 1, '', 1, $1, '' from server_epoch`,
    [depot.clock.now],
  );
}

/** The exceptions on the host that count, in their order. */
async function exceptionsOnHost({ id }: RouteKey): Promise<string[]> {
  const rows = await depot.show('RTOSDP', `OSRTE = '${id}' and OSDELF <> 'Y'`);
  const place = ({ OSGRP, OSENT }: (typeof rows)[number]): number => Number(OSGRP) * 100 + Number(OSENT);
  return rows.toSorted((a, b) => place(a) - place(b)).map(({ OSOID, OSQTY }) => `${String(OSOID)} ${String(OSQTY)}`);
}

/** The findings of the import: the office's changes in the ledger. */
async function found({ id }: RouteKey): Promise<{ exceptions: string[]; emails: unknown }[]> {
  const { rows } = await pool.query<{ lists: Exceptions | null; emails: unknown }>(
    `select body::jsonb #> '{args,stop,products,0,updates,osd_data}' as lists,
            body::jsonb #> '{args,stop,updates,osd_emails}' as emails
       from ledger where route_id = $1 and source = 'office' order by version`,
    [id],
  );
  return rows.map(({ lists, emails }) => ({
    exceptions: (lists ?? []).flatMap(({ osd_id, data }) => data.map(({ quantity }) => `${osd_id} ${quantity}`)),
    emails,
  }));
}

test('a driver replaced the exceptions after the lost write: the import finds those of that write alone, and the driver’s later ones count', async () => {
  at(0);
  const key = await depot.addRoute('REPLACED', [1]);
  const first = delivery([exception(20, 'B', 2), exception(21, 'D', 3)], ['one@x.example'], 'first');
  const second = delivery([exception(20, 'A', 14), exception(21, 'B', 15)], ['two@x.example'], 'second');
  await depot.record(key, first);
  at(2);
  await depot.replicateOnce(key);
  at(10);
  await putBack(key);
  await receive(key, first, 0);
  await receive(key, second, 5);
  at(12);
  await depot.replicateOnce(key);
  expect(await found(key)).toEqual([{ exceptions: ['B 2', 'D 3'], emails: ['one@x.example'] }]);
  expect(await exceptionsOnHost(key)).toEqual(['A 14', 'B 15']);
});

test('a phone sent the exceptions of the lost write again: they are on the stop once', async () => {
  at(20);
  const key = await depot.addRoute('AGAIN', [1]);
  const exceptions = [exception(20, 'B', 2, 7), exception(21, 'D', 3)];
  await depot.record(key, delivery(exceptions, ['one@x.example'], 'first'));
  at(22);
  await depot.replicateOnce(key);
  at(30);
  await putBack(key);
  await receive(key, delivery(exceptions, ['one@x.example'], 'first'), 20);
  await receive(key, { id: 1, updates: { driver_comments: 'second' } }, 25);
  at(32);
  await depot.replicateOnce(key);
  expect(await found(key)).toEqual([{ exceptions: ['B 2', 'B 7', 'D 3'], emails: ['one@x.example'] }]);
  expect(await exceptionsOnHost(key)).toEqual(['B 2', 'B 7', 'D 3']);
  expect(await depot.show('RTEMLP', "RERTE = 'AGAIN' and REMADR <> ''")).toHaveLength(1);
});

test('a clerk has changed the lost write: the list is that of the host all the same', async () => {
  at(40);
  const key = await depot.addRoute('CLERK', [1]);
  const first = delivery([exception(20, 'B', 2), exception(21, 'D', 3)], ['one@x.example'], 'first');
  const second = delivery([exception(20, 'A', 14), exception(21, 'B', 15)], ['two@x.example'], 'second');
  await depot.record(key, first);
  at(42);
  await depot.replicateOnce(key);
  at(50);
  await putBack(key);
  await depot.clerk(`update PODDTA.RTSTUP set RUSNAM = 'Erika Clerk' where RURTE = 'CLERK'`);
  await receive(key, first, 40);
  await receive(key, second, 45);
  at(52);
  await depot.replicateOnce(key);
  const edits = await found(key);
  expect(edits.flatMap(({ exceptions }) => exceptions)).toEqual(['B 2', 'D 3']);
  expect(await depot.show('RTSTUP', "RURTE = 'CLERK'")).toMatchObject([{ RUSNAM: 'Erika Clerk' }]);
});

test('a skip of the lost write names its driver, until another driver refuses the stop', async () => {
  const recorder = async (): Promise<unknown> => (await depot.show('RTSTUP', "RURTE = 'SKIP'"))[0]?.['RUDRV'];
  at(60);
  const key = await depot.addRoute('SKIP', [1], '1001', '1002');
  await receive(key, { id: 1, updates: { status: 'S' } }, 60);
  await depot.replicateOnce(key);
  expect(await recorder()).toBe('1001');
  at(70);
  await putBack(key);
  await receive(key, { id: 1, updates: { driver_comments: 'closed' } }, 61, '1002');
  await depot.replicateOnce(key);
  expect(await recorder()).toBe('1001');
  at(72);
  await receive(key, { id: 1, updates: { status: 'R' } }, 71, '1002');
  await depot.replicateOnce(key);
  expect(await recorder()).toBe('1002');
});
