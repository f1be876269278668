import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { opsOperations } from '../../server/src/ops/operations.ts';
import { HostError } from '../../server/src/host/host.ts';
import {
  HostExaminer,
  onExaminationAsked,
  saveUnreachable,
  listExaminations,
} from '../../server/src/replication/control/host-examiner.ts';
import { atFileEnd } from '../support/file-end.ts';
import { opsToken, startRestServer } from '../support/rest-server.ts';
import { createHost } from '../support/stand-in.ts';

// The doctor beside a worker: its findings in the office.

const { database, host } = await createHost();
const { pool } = database;
const server = await startRestServer({ database });
const { log, listener } = server;
const headers = { authorization: `Bearer ${opsToken}` };
/** The host's clock is compared with it. */
const now = { at: new Date() };
const examiner = new HostExaminer({
  db: pool,
  host,
  settings: { changes: 'doorbell', live: true },
  clock: () => now.at,
  log,
});
atFileEnd(() => examiner.stop());
await onExaminationAsked(listener, () => void examiner.run());
await pool.query(`insert into PODDTA.FACMSTP (FAFAC, FANAM, FATZ) values ('F01', 'Depot', 'America/Chicago')`);

const read = () => server.client.take(opsOperations.readDoctor, { headers });
const refusals = async () =>
  (await read()).flatMap(({ findings }) => findings.filter(({ level }) => level === 'no_go'));

test('the office reads what the doctor found at the start of a worker: each check, with what to do', async () => {
  expect(await read()).toEqual([]);
  await examiner.run();
  const [found, ...more] = await read();
  expect(more).toEqual([]);
  expect(found).toMatchObject({ node: hostname(), at: now.at.toISOString(), go: true });
  expect(found?.findings.map(({ check, level }) => `${check} ${level}`)).toEqual(
    expect.arrayContaining(['tables go', 'triggers go', 'switch go']),
  );
  // About a hundred statements: only the command tries them.
  expect(found?.findings.map(({ check }) => check)).not.toContain('authorities');
});

test('the office asks for another examination, and has its result with its time', async () => {
  const ask = () => server.client.take(opsOperations.askDoctor, { headers, body: null });
  expect(await ask()).toEqual({ workers: 0 });
  await pool.query('insert into worker_heartbeat (worker, state) values (gen_random_uuid(), $1)', ['{}']);
  await pool.query('alter table PODDTA.RTSTPP disable trigger rtstpp_update');
  now.at = new Date(now.at.getTime() + 1_000);
  expect(await ask()).toEqual({ workers: 1 });
  await expect.poll(async () => (await read())[0]?.at).toBe(now.at.toISOString());
  expect(await refusals()).toEqual([
    {
      check: 'triggers',
      level: 'no_go',
      says: 'disabled or inoperative: RTSTPP.RTSTPP_UPDATE',
      todo: 'enable or recreate them, or set HOST_CHANGES=polling',
    },
  ]);
  expect((await read())[0]?.go).toBe(false);
  await pool.query('alter table PODDTA.RTSTPP enable trigger rtstpp_update');
  await examiner.run();
  expect(await refusals()).toEqual([]);
});

test('a host that cannot be reached is the only line', async () => {
  await saveUnreachable(pool, new HostError('08001', 'connection refused', { sqlcode: -30_081 }), now.at);
  const [found] = await read();
  expect(found?.findings).toEqual([
    {
      check: 'connection',
      level: 'no_go',
      says: 'SQLSTATE 08001: connection refused',
      todo: expect.stringContaining('check host, port, firewall') as unknown,
    },
  ]);
});

test('a machine without a worker for two days is shown no more; a stop saves nothing', async () => {
  await pool.query(`update host_examination set node = 'gone', at = $1`, [now.at]);
  now.at = new Date(now.at.getTime() + 2 * 86_400_000 + 1_000);
  await examiner.run();
  expect((await listExaminations(pool)).map(({ node }) => node)).toEqual([hostname()]);
  await pool.query('delete from host_examination');
  await examiner.stop();
  await examiner.run();
  expect(await listExaminations(pool)).toEqual([]);
});
