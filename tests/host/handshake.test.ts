import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { Heartbeat } from '../../server/src/replication/control/heartbeat.ts';
import { Handshake } from '../../server/src/replication/to-host/handshake.ts';
import { Leases } from '../../server/src/replication/to-host/lease.ts';
import { openDepot } from '../support/depot.ts';
import { atFileEnd } from '../support/file-end.ts';

// PODCTLP as operators of the host read it: a hold has taken effect, rows behind, the last error.

const depot = await openDepot();
const { pool } = depot.database;
const worker = depot.worker({ times: { sweepMs: 50 } });
await worker.start();
const hostStatus = () => ({ ...worker.status, quietHold: worker.quietHold });
const heartbeat = new Heartbeat({ db: pool, worker: randomUUID(), hostStatus, log: depot.log, intervalMs: 50 });
await heartbeat.start();
atFileEnd(() => heartbeat.stop());
const leases = new Leases({ db: pool, owner: randomUUID() });
atFileEnd(() => leases.close());
const handshake = new Handshake({
  db: pool,
  host: depot.host,
  leases,
  isLive: () => true,
  hostStatus,
  clock: () => new Date(),
  log: depot.log,
});

const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;
const row = async () => {
  await handshake.tick();
  const { rows } = await pool.query<Record<string, string>>(
    'select trim(ctqui) as quiet, ctbeh::text as behind, ctprk::text as parked, trim(ctsen) as seen, trim(cterr) as error, trim(cteru) as error_at from PODDTA.PODCTLP',
  );
  return rows[0];
};
const quiet = async () => (await row())?.['quiet'];
const isHeld = async () => {
  await expect.poll(() => worker.status.hold).toBeDefined();
};

test('CTQUI is blank while a write is in progress, and has its time once none is and none begins', async () => {
  const key = await depot.addRoute('BUSY', [1]);
  const holder = await pool.connect();
  await holder.query('begin; lock table PODDTA.RTSTUP in exclusive mode');
  await depot.record(key, { id: 1, updates: delivered });
  const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and query ilike '%RTSTUP%' and datname = current_database()`;
  await expect.poll(async () => (await pool.query(waits)).rowCount).toBeGreaterThan(0);
  await depot.clerk(`update PODDTA.PODCTLP set CTHOLD = 'Y', CTRSN = 'SAVLIB', CTUSR = 'QSYSOPR'`);
  await isHeld();
  expect(worker.quietHold).toBeUndefined();
  expect(await quiet()).toBe('');
  await holder.query('commit');
  holder.release();
  await expect.poll(quiet).toMatch(/^\d{4}-\d\d-\d\dT/);
});

test('from then on not even that row is written', async () => {
  const state = async () => (await pool.query<{ xmin: string }>('select xmin::text, ctqui from PODDTA.PODCTLP')).rows;
  const before = await state();
  await depot.record(await depot.addRoute('HELD', [1]), { id: 1, updates: delivered });
  for (let n = 0; n < 3; n++) await handshake.tick();
  expect(await state()).toEqual(before);
});

test('one live worker that has not stopped is enough: the row is not quiet', async () => {
  await depot.clerk(`update PODDTA.PODCTLP set CTHOLD = 'N'`);
  await expect.poll(() => worker.status.hold).toBeUndefined();
  await expect.poll(quiet).toBe('');
  await pool.query(
    `insert into worker_heartbeat (worker, state) values ('00000000-0000-0000-0000-000000000001', '{}')`,
  );
  await depot.clerk(`update PODDTA.PODCTLP set CTHOLD = 'Y'`);
  await expect.poll(() => worker.quietHold).toBeDefined();
  expect(await quiet()).toBe('');
  await pool.query(`update worker_heartbeat set seen_at = now() - interval '1 minute' where state = '{}'`);
  await expect.poll(quiet).not.toBe('');
  await depot.clerk(`update PODDTA.PODCTLP set CTHOLD = 'N'`);
});

test('rows behind, parked rows and the last error are there, and the row says when it was written', async () => {
  await expect.poll(() => worker.status.hold).toBeUndefined();
  await depot.clerk(`alter table PODDTA.RTSTUP add constraint no_bad check (RURTE <> 'BAD') not valid`);
  const key = await depot.addRoute('BAD', [1]);
  await depot.record(key, { id: 1, updates: delivered });
  await depot.untilHosted(key);
  await expect.poll(row).toMatchObject({ behind: '0', parked: '1', quiet: '' });
  const shown = await row();
  expect(shown?.['error']).toMatch(/^RTSTUP F01\/BAD\/20261128\/1 23513 /);
  expect(Date.parse(shown?.['error_at'] ?? '')).toBeGreaterThan(0);
  expect(Date.now() - Date.parse(shown?.['seen'] ?? '')).toBeLessThan(120_000);
});

test('a library of an earlier layout: the switch counts, and one warning names the script', async () => {
  await depot.clerk('alter table PODDTA.PODCTLP drop column CTQUI');
  await depot.clerk(`update PODDTA.PODCTLP set CTHOLD = 'Y', CTRSN = 'old'`);
  await expect.poll(() => worker.status.hold).toMatchObject({ reason: 'old' });
  await expect.poll(() => worker.quietHold).toBeDefined();
  const warnings = () => depot.log.lines.filter(({ message }) => message.includes('ddl --from 1'));
  await expect.poll(async () => (await handshake.tick(), warnings().length)).toBe(1);
  await handshake.tick();
  expect(warnings()).toHaveLength(1);
});
