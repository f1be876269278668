import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { endSessions, findQueueSessions } from '../../../server/src/auth/sql.ts';
import { lockQueuesOf } from '../../../server/src/ops/devices/devices-sql.ts';
import { replaceQueueKeys, saveDeviceStatus, tieClients } from '../../../server/src/sync/sql.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { createDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});

test('finding the sessions of queues reads no other queues', async () => {
  const { pool } = database;
  await pool.query(`
    insert into session (token_hash, employee, device, expires_at, revoked_at)
    select sha256(n::text::bytea), (n % 2000)::text, '', now(), now() from generate_series(1, 10000) n`);
  await pool.query(`
    insert into client (client_id, employee, device, queue_key_hash)
    select gen_random_uuid(), (n % 2000)::text, '', '' from generate_series(1, 10000) n`);
  await pool.query(`
    insert into queue_session (client_id, session_hash)
    select c.client_id, s.token_hash from client c
      join lateral (select token_hash from session where employee = c.employee limit 1) s on c.employee::int % 2 = 0`);
  await pool.query('analyze session; analyze client; analyze queue_session');
  const text = typeof findQueueSessions === 'string' ? findQueueSessions : findQueueSessions.text;
  const { rows } = await pool.query<Record<'QUERY PLAN', string>>(`explain ${text}`, [[randomUUID(), randomUUID()]]);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('session_pkey');
  expect(plan).toContain('session_by_employee');
  expect(plan).not.toMatch(/Seq Scan on (session|client|queue_session)/);
  await pool.query('delete from client');
});

describe('one write to many queues', () => {
  test.each([
    ['the sessions of signed-in queues', tieClients, [...Array.from({ length: 3 }, () => [null, null]), new Date()]],
    ['new queue keys', replaceQueueKeys, [[Buffer.from('a'), Buffer.from('b')]]],
    [
      'the status that phones reported',
      saveDeviceStatus,
      [
        [0, 0],
        ...Array.from({ length: 4 }, () => [null, null]),
        [new Date(), new Date()],
        ...Array.from({ length: 4 }, () => [null, null]),
      ],
    ],
  ])('locks them in the order of their ids, as a batch does (I13): %s', async (_name, statement, columns) => {
    const { pool } = database;
    const ids = [randomUUID(), randomUUID()].toSorted();
    await pool.query(
      `insert into client (client_id, employee, device, queue_key_hash, held_at, revoked_at)
       select unnest($1::uuid[]), '1', '', '', now(), now()`,
      [ids.toReversed()],
    );
    const [first = '', second = ''] = ids;
    const [batch, hello] = await Promise.all([pool.connect(), pool.connect()]);
    try {
      await batch.query('begin');
      await batch.query('select from client where client_id = $1 for no key update', [first]);
      // Waits for the first one, and must not lock the second one meanwhile: the batch locks it next.
      const replaced = hello.query(statement, [ids.toReversed(), ...columns]);
      await expect.poll(async () => (await waitingFor(pool)).length).toBe(1);
      await batch.query('select from client where client_id = $1 for no key update nowait', [second]);
      await batch.query('commit');
      expect((await replaced).rowCount).toBe(2);
    } finally {
      batch.release();
      hello.release();
    }
  });
});

test('a hello of a held queue locks the queue before its session, as unregistering does (I13)', async () => {
  const { pool } = database;
  const [queue, token] = [randomUUID(), Buffer.from('a token of 1001')];
  await pool.query(
    `insert into client (client_id, employee, device, queue_key_hash, held_at, revoked_at)
     values ($1, '1001', '', '', now(), now())`,
    [queue],
  );
  await pool.query(
    `insert into session (token_hash, employee, device, expires_at) values ($1, '1001', '', now() + '1 day')`,
    [token],
  );
  const [operator, hello] = await Promise.all([pool.connect(), pool.connect()]);
  try {
    await operator.query('begin');
    await operator.query(lockQueuesOf, ['1001']);
    const tied = hello.query(tieClients, [[queue], [token], [null], [null], new Date()]);
    await expect.poll(async () => (await waitingFor(pool)).length).toBe(1);
    // The hello waits for the queue: it holds no session that the operator needs next.
    await operator.query('select from session where token_hash = $1 for update nowait', [token]);
    await operator.query(endSessions, [['1001'], new Date(), 'unregistered']);
    await operator.query('commit');
    expect((await tied).rowCount).toBe(0);
    const { rows } = await pool.query('select revoked_at is not null as held from client where client_id = $1', [
      queue,
    ]);
    expect(rows).toEqual([{ held: true }]);
  } finally {
    operator.release();
    hello.release();
  }
});

const waitingFor = async (pool: TestDatabase['pool']) =>
  (
    await pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).rows;
