import { expect, test } from 'vitest';
import type { Host } from '../../server/src/host/host.ts';
import { openStage } from './import-stage.ts';

const { host, pool, sql, imported, read, openImport } = await openStage('doorbell');
const HOUR_MS = 3_600_000;

test('a changed plan costs one look at the doorbell, however many stops it has', async () => {
  await imported('R61', { stops: 50 });
  await sql("update RTSTPP set RSSEQ = 100 - RSSTP where RSRTE = 'R61' and RSSTP < 999");
  await sql("update RTHDRP set RHNAM = 'South' where RHRTE = 'R61'");
  let looks = 0;
  const query: Host['query'] = (text, ...values) => {
    if (text.includes('PODCHGP')) looks += 1;
    return host.query(text, ...values);
  };
  await openImport({ ...host, query }).imports.importNow();
  const { route, plans } = await read('R61');
  expect(route?.name).toBe('South');
  expect(plans.slice(0, 2).map(({ plan }) => plan.sequence)).toEqual([99, 98]);
  expect(looks).toBe(1);
});

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
  const transaction: Host['transaction'] = async (work) => {
    await write();
    return host.transaction(work);
  };
  await openImport({ ...host, query, transaction }).imports.importNow();
  expect(hasWritten).toBe(true);
  const { rows } = await pool.query<{ edit_time: Date }>(`select edit_time from ledger where route_id = 'R60'`);
  expect(rows).toHaveLength(1);
  expect(Date.now() - Number(rows[0]?.edit_time)).toBeLessThan(HOUR_MS / 2);
});
