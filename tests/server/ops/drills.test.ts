import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { operations } from '../../../server/src/http/operations.ts';
import { saveDrill } from '../../../server/src/ops/drills/drills-sql.ts';
import { opsToken, startRestServer } from '../../support/rest-server.ts';
import { createDatabase } from '../../support/postgres.ts';

const headers = { authorization: `Bearer ${opsToken}` };
const findings = [{ check: 'recovery', ok: false, says: 'PostgreSQL cannot recover this backup' }];

test('operators list the restore drills, the newest first and page by page', async () => {
  const database = await createDatabase();
  const server = await startRestServer({ database });
  const list = (query: string) => server.client.call(operations.listDrills, { headers, query });
  expect((await list('')).data).toEqual([]);
  const ids = [randomUUID(), randomUUID(), randomUUID()];
  for (const [n, id] of ids.entries()) {
    const at = new Date(Date.UTC(2026, 10, 1 + n));
    const values = [id, at, `tailgate-${n}`, n === 0 ? null : at, n > 0, 12, JSON.stringify(n === 0 ? findings : [])];
    await database.pool.query(saveDrill, values);
  }
  const first = await list('?limit=2');
  const rows = operations.listDrills.data.parse(first.data);
  expect(rows.map(({ drill_id }) => drill_id)).toEqual([ids[2], ids[1]]);
  const cursor = operations.listDrills.meta?.parse(first.meta).next_cursor ?? '';
  expect((await list(`?limit=2&cursor=${cursor}`)).data).toEqual([
    {
      drill_id: ids[0],
      at: '2026-11-01T00:00:00.000Z',
      backup: 'tailgate-0',
      backup_at: null,
      ok: false,
      seconds: 12,
      findings,
    },
  ]);
});
