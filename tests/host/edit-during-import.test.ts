import { expect, test } from 'vitest';
import type { Host } from '../../server/src/host/host.ts';
import { openStage } from './import-stage.ts';

const { host, pool, sql, imported, openImport } = await openStage('doorbell');
const HOUR_MS = 3_600_000;

test('an edit that comes after the poll has its own time, not that of an earlier line of its stop', async () => {
  await imported('R60');
  await sql("update RTSTPP set RSSEQ = 9 where RSRTE = 'R60' and RSSTP = 1");
  await sql("update PODCHGP set CHTS = CHTS - interval '1 hour'");
  // A clerk writes the row between the poll and the import's first look at the route.
  let polls = 0;
  let hasWritten = false;
  const write = async (): Promise<void> => {
    if (polls === 0 || hasWritten) return;
    hasWritten = true;
    await sql(`insert into RTSTUP (RUFAC, RURTE, RUWKE, RUSTP, RUSTS, RUCMT)
      values ('F01', 'R60', 20261121, 1, 'D', 'By phone')`);
  };
  const query: Host['query'] = async (text, ...values) => {
    if (text.includes('PODCHGP')) polls += 1;
    else await write();
    return host.query(text, ...values);
  };
  const { dialect, library, map } = host;
  const over: Host = {
    dialect,
    library,
    map,
    isAtomic: () => host.isAtomic(),
    query,
    transaction: async (work) => {
      await write();
      return host.transaction(work);
    },
    ping: () => host.ping(),
    describe: (file) => host.describe(file),
    close: () => Promise.resolve(),
  };
  await openImport(over).imports.importNow();
  expect(hasWritten).toBe(true);
  const { rows } = await pool.query<{ edit_time: Date }>(`select edit_time from ledger where route_id = 'R60'`);
  expect(rows).toHaveLength(1);
  expect(Date.now() - Number(rows[0]?.edit_time)).toBeLessThan(HOUR_MS / 2);
});
