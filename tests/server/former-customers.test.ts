import { expect, test } from 'vitest';
import { migrate } from '../../server/src/db/migrate.ts';
import { insertRoutes, plan } from '../support/mirror.ts';
import { createDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';

const { url, pool } = await createDatabase();

test('an upgrade finds the former customers of stops in incidents, beside readers of plans', async () => {
  const stops = [plan(1), plan(2), plan(3)];
  await insertRoutes(pool, [{ facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops }]);
  const route = { facility: 'F01', id: 'R100', week_end: '20261121' };
  const incidents = [
    ['result_of_other_customer', { route, stop: 1, customers: { from: 'C7', to: 'C8' }, result: { status: 'D' } }],
    ['result_of_other_customer', { route, stop: 1, customers: { from: 'C8', to: 'C1' }, result: { status: 'S' } }],
    ['result_of_other_customer', { route, stop: 2, customers: { from: '', to: 'C2' }, result: { status: 'S' } }],
    ['result_of_other_customer', { route, stop: 9, customers: { from: 'C9', to: 'C1' }, result: { status: 'S' } }],
    ['items_gone', { from: 1, to: 2 }],
  ] as const;
  for (const [kind, details] of incidents)
    await pool.query('insert into incident (incident_id, kind, details) values (gen_random_uuid(), $1, $2)', [
      kind,
      // A driver's text with characters that jsonb refuses.
      JSON.stringify({ ...details, comments: 'a \0 and \ud800' }),
    ]);

  await pool.query('delete from schema_migration where number = 113');
  await pool.query('drop index stop_plan_with_former_customers');
  const reader = await pool.connect();
  try {
    await reader.query('begin');
    await reader.query('select from stop_plan');
    expect(await migrate(url, recordedLog())).toEqual(['0113_find_former_customers.sql']);
    await reader.query('commit');
  } finally {
    reader.release();
  }

  const { rows } = await pool.query('select stop_id, former_customers from stop_plan order by stop_id');
  expect(rows).toEqual([
    { stop_id: 1, former_customers: ['C7', 'C8'] },
    { stop_id: 2, former_customers: [] },
    { stop_id: 3, former_customers: [] },
  ]);
});
