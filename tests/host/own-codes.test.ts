import { expect, test } from 'vitest';
import { parseLegacyMap } from '../../server/src/host/files/legacy-map.ts';
import { openDepot } from '../support/depot.ts';

const codes = { D: 'S', S: 'K' };
const files = { RTSTPP: { columns: { RSSTS: { codes } } }, RTSTUP: { columns: { RUSTS: { codes } } } };
const depot = await openDepot(parseLegacyMap(JSON.stringify({ files })));
const { pool } = depot.database;

test('a value of the library that has no code is reported, and a later delivery takes its place', async () => {
  const key = await depot.addRoute('OTHER', [1]);
  await depot.clerk("update PODDTA.RTSTPP set RSSTS = 'D' where RSRTE = 'OTHER'");
  await depot.importNow();
  const { rows } = await pool.query<{ details: string }>(
    `select details from incident where kind = 'host_edit_untold'`,
  );
  expect(rows.map(({ details }) => details.includes('"RSSTS":"?D"'))).toEqual([true]);

  await depot.record(key, { id: 1, updates: { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } });
  await depot.replicateOnce(key);
  expect(await depot.show('RTSTPP', "RSRTE = 'OTHER'")).toMatchObject([{ RSSTS: 'S' }]);
  expect(await depot.show('RTSTUP', "RURTE = 'OTHER'")).toMatchObject([{ RUSTS: 'S' }]);
  expect((await pool.query('select reason from parked')).rows).toEqual([]);
});
