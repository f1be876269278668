import { expect, test } from 'vitest';
import { openDepot } from '../support/depot.ts';

// Faults of docs/host-faults.md by their names, as far as they are not in replication-faults.test.ts.

const depot = await openDepot();
const { pool } = depot.database;
const worker = depot.worker({ random: () => 0.01, times: { pauseMs: 200 } });
await worker.start();

const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;
const parkedOf = async (route: string) =>
  (
    await pool.query<{ stop_id: number; sqlstate: string }>(
      'select stop_id, sqlstate from parked where route_id = $1 order by 1',
      [route],
    )
  ).rows;

test('deadlock: our transaction is the victim, is rolled back and written again', async () => {
  const key = await depot.addRoute('DEAD', [1]);
  await pool.query('create sequence victims');
  await pool.query(`create function be_a_victim() returns trigger language plpgsql as $$ begin
    if nextval('public.victims') <= 2 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
    return new; end $$`);
  await pool.query(
    `create trigger be_a_victim before insert on PODDTA.RTSTUP for each row execute function be_a_victim()`,
  );
  await depot.record(key, { id: 1, updates: delivered });
  await depot.untilHosted(key);
  expect(await depot.show('RTSTUP', "RURTE = 'DEAD'")).toMatchObject([{ RUSTS: 'D' }]);
  expect(await parkedOf('DEAD')).toEqual([]);
  expect((await worker.state()).breaker.state).toBe('closed');
  await pool.query('drop trigger be_a_victim on PODDTA.RTSTUP');
});

test('column too short: the stop is parked, the others continue, and it is written after the column is widened', async () => {
  const key = await depot.addRoute('SHORT', [1, 2]);
  await pool.query('alter table PODDTA.RTSTUP alter column RUSNAM type char(5)');
  await depot.record(key, { id: 1, updates: { ...delivered, store_emp_name: 'Maximilian' } });
  await depot.record(key, { id: 2, updates: { ...delivered, store_emp_name: 'Max' } });
  await depot.untilHosted(key);
  expect(await parkedOf('SHORT')).toEqual([{ stop_id: 1, sqlstate: '22001' }]);
  expect(await depot.show('RTSTUP', "RURTE = 'SHORT'")).toMatchObject([{ RUSTP: '2', RUSNAM: 'Max' }]);

  await pool.query('alter table PODDTA.RTSTUP alter column RUSNAM type char(40)');
  await pool.query(`update parked set next_try_at = now() where route_id = 'SHORT'`);
  worker.wake();
  await depot.waitUntil(async () => (await parkedOf('SHORT')).length === 0);
  expect(await depot.show('RTSTUP', "RURTE = 'SHORT' and RUSTP = 1")).toMatchObject([{ RUSNAM: 'Maximilian' }]);
});

test('numeric overflow: a quantity is never clamped, its stop is parked', async () => {
  const key = await depot.addRoute('MUCH', [1, 2]);
  const line = (delivered_: number, invoice: string) => [{ id: 'ITEM1', invoice, updates: { delivered: delivered_ } }];
  await pool.query('alter table PODDTA.RTPRUP alter column RQDLV type decimal(3,0)');
  await depot.record(key, { id: 1, updates: delivered, products: line(4_711, 'INV1') });
  await depot.record(key, { id: 2, updates: delivered, products: line(4, 'INV2') });
  await depot.untilHosted(key);
  expect(await parkedOf('MUCH')).toEqual([{ stop_id: 1, sqlstate: '22003' }]);
  expect(await depot.show('RTPRUP', "RQRTE = 'MUCH'")).toMatchObject([{ RQSTP: '2', RQDLV: '4' }]);
  await pool.query('alter table PODDTA.RTPRUP alter column RQDLV type decimal(7,0)');
});

test('duplicate key: a row that another program has inserted is read again, and the office’s values are kept', async () => {
  const key = await depot.addRoute('TWICE', [1]);
  await depot.clerk(
    `insert into PODDTA.RTSTUP (RUFAC, RURTE, RUWKE, RUSTP, RUCMT) values ('F01', 'TWICE', 20261128, 1, 'by hand')`,
  );
  await depot.record(key, { id: 1, updates: delivered });
  await depot.untilHosted(key);
  await expect.poll(() => depot.show('RTSTUP', "RURTE = 'TWICE'")).toMatchObject([{ RUSTS: 'D', RUCMT: 'by hand' }]);
  expect(await parkedOf('TWICE')).toEqual([]);
});

/** Inserts of a stop's result fail with this state on this route: $1 times, or always. */
async function refuseResults(route: string, sqlstate: string, times = 1_000_000): Promise<() => Promise<unknown>> {
  await pool.query(`create sequence refused_${route}`);
  await pool.query(`create function refuse_${route}() returns trigger language plpgsql as $$ begin
    if new.RURTE = '${route}' and nextval('public.refused_${route}') <= ${times} then
      raise exception 'refused for a time' using errcode = '${sqlstate}'; end if;
    return new; end $$`);
  const name = `refuse_${route}`;
  await pool.query(`create trigger ${name} before insert on PODDTA.RTSTUP for each row execute function ${name}()`);
  return () => pool.query(`drop trigger ${name} on PODDTA.RTSTUP`);
}
const attemptsOf = async (route: string) => {
  const { rows } = await pool.query<{ last_value: string }>(`select last_value from refused_${route}`);
  return Number(rows[0]?.last_value);
};

test('internal error of the host (SQL0901): it is tried again, and nothing is parked where it passes', async () => {
  const key = await depot.addRoute('FALTER', [1, 2]);
  const end = await refuseResults('FALTER', '58004', 3);
  for (const id of [1, 2]) await depot.record(key, { id, updates: delivered });
  await depot.untilHosted(key);
  expect(await depot.show('RTSTUP', "RURTE = 'FALTER'")).toHaveLength(2);
  expect(await parkedOf('FALTER')).toEqual([]);
  await end();
});

test('internal error of the host (SQL0901): one that stays parks its stop after a few attempts, and no other route waits', async () => {
  const key = await depot.addRoute('BROKEN', [1]);
  const end = await refuseResults('BROKEN', '58004');
  await depot.record(key, { id: 1, updates: delivered });
  await depot.untilHosted(key);
  expect(await parkedOf('BROKEN')).toEqual([{ stop_id: 1, sqlstate: '58004' }]);
  expect(await attemptsOf('BROKEN')).toBe(5);
  expect((await worker.state()).breaker.state).toBe('closed');
  await end();
});

test('governor refuses a statement (SQL0666): it delays its own route, without a limit, and no other', async () => {
  const key = await depot.addRoute('GOVERN', [1]);
  const other = await depot.addRoute('FREE', [1]);
  const end = await refuseResults('GOVERN', '57005');
  await depot.record(key, { id: 1, updates: delivered });
  await expect.poll(() => attemptsOf('GOVERN')).toBeGreaterThan(6);
  await depot.record(other, { id: 1, updates: delivered });
  await depot.untilHosted(other);
  const halts = depot.log.lines.filter(({ message }) => message.startsWith('the host does not answer'));
  expect(halts).toEqual([]);
  expect(await parkedOf('GOVERN')).toEqual([]);
  await end();
  await depot.untilHosted(key);
  expect(await depot.show('RTSTUP', "RURTE = 'GOVERN'")).toHaveLength(1);
});

/** The service's user has no authority to RTEMLP any more. */
async function revoke(): Promise<void> {
  await pool.query(`create or replace function no_authority() returns trigger language plpgsql as $$ begin
    raise exception 'not authorized to RTEMLP' using errcode = '42501'; end $$`);
  await pool.query(
    `create trigger no_authority before insert or update or delete on PODDTA.RTEMLP for each statement execute function no_authority()`,
  );
}
const grant = () => pool.query('drop trigger no_authority on PODDTA.RTEMLP');

test('authority missing: work that needs the file waits, with an alarm, and continues after the grant', async () => {
  const key = await depot.addRoute('GRANT', [1]);
  const other = await depot.addRoute('GRANTED', [1]);
  await revoke();
  await depot.record(key, { id: 1, updates: { ...delivered, osd_emails: ['office@example.com'] } });
  await depot.record(other, { id: 1, updates: delivered });
  await depot.untilHosted(other);
  await depot.untilHosted(key);
  expect(await depot.show('RTSTUP', "RURTE in ('GRANT', 'GRANTED')")).toMatchObject([{ RURTE: 'GRANTED' }]);
  expect(await worker.state()).toMatchObject({ paused: [{ file: 'RTEMLP' }], breaker: { state: 'closed' } });
  const { rowCount } = await pool.query(
    `select 1 from incident where kind = 'host_file_paused' and details like '%RTEMLP%'`,
  );
  expect(rowCount).toBe(1);

  await grant();
  await expect.poll(() => depot.show('RTEMLP', "RERTE = 'GRANT'")).toMatchObject([{ REMADR: 'office@example.com' }]);
});

test('authority missing: a grant while no worker runs lets the next worker write at once what waits', async () => {
  await worker.stop();
  const key = await depot.addRoute('LATER', [1]);
  await revoke();
  await depot.record(key, { id: 1, updates: { ...delivered, osd_emails: ['office@example.com'] } });
  await depot.replicateOnce(key);
  expect(await parkedOf('LATER')).toEqual([{ stop_id: 1, sqlstate: '42501' }]);

  await grant();
  await depot.worker().start();
  // The entry by itself is due a minute after its refusal.
  await expect.poll(() => depot.show('RTEMLP', "RERTE = 'LATER'")).toMatchObject([{ REMADR: 'office@example.com' }]);
});
