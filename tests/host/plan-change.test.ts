import type { StopObjectInput } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import type { Outcome } from '../../server/src/mutations/change.ts';
import { change } from '../support/depot.ts';
import { importDeps, routeFile, routeKey } from './import-fixture.ts';

const deps = await importDeps();
const { clerk, pool, dispatch, read } = deps;
const { imports } = deps.openImport();

const sql = (statement: string) => clerk.transaction((tx) => tx.execute(statement));

/** A dispatched route in the mirror. */
async function imported(id: string, options?: Parameters<typeof routeFile>[1]): Promise<void> {
  await dispatch(routeFile(id, options));
  await imports.importNow();
}

const record = (id: string, stop: StopObjectInput, at = new Date()): Promise<Outcome> =>
  deps.pipeline.submit(change(routeKey(id), stop, at));

function warned(outcome: Outcome) {
  if (outcome.result === 'quarantined') throw new Error(outcome.reason);
  return outcome.warnings.map(({ code, message }) => `${code}: ${message}`);
}

async function countMails(): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(`select count(*)::int as n from pgboss.job where name = 'mail'`);
  return rows[0]?.n ?? 0;
}

const parse: (text: string) => unknown = JSON.parse;
const isoOf = (at: Date) => at.toISOString();
/** Yesterday: before all changes of these routes. */
const before = new Date(Date.now() - 86_400_000);

/** Loads the route again under its key; stop 2 is another customer's. */
async function reloadForAnother(id: string): Promise<void> {
  await sql(`delete from RTHDRP where RHRTE = '${id}'`);
  await dispatch(routeFile(id));
  await sql(`update RTSTPP set RSCUS = 'C${id}0' where RSRTE = '${id}' and RSSTP = 2`);
  await imports.importNow();
}

test('the rules use the lines that the host has planned', async () => {
  await imported('P1');
  const lines = [
    { id: 'EGGS', invoice: 'P1I0', updates: { delivered: 1 } },
    { id: 'MILK', invoice: 'P1I0', updates: { delivered: 5 } },
    { id: 'MILK', invoice: 'P1I0', updates: { delivered: 3 } },
  ];
  expect(warned(await record('P1', { id: 1, products: lines }))).toEqual(['over_delivered: more than the 2 ordered']);
});

test('a reload that gives a stop to another customer reports its former record', async () => {
  await imported('P2');
  await record('P2', { id: 1, updates: { status: 'D' } });
  await record('P2', { id: 2, updates: { status: 'D', store_emp_name: 'Ann' } });
  await reloadForAnother('P2');
  expect((await read('P2')).results.get(2)?.result).toEqual({ status: 'P' });
  const { rows } = await pool.query<{ details: string }>(
    `select details from incident where kind = 'result_of_other_customer'`,
  );
  expect(rows.map(({ details }) => parse(details))).toMatchObject([
    {
      route: routeKey('P2'),
      stop: 2,
      customers: { from: 'CP21', to: 'CP20' },
      result: { status: 'D', updates: { store_emp_name: 'Ann' } },
    },
  ]);
});

test('a record for the former customer is accepted, warned about, and not mailed', async () => {
  await imported('P3');
  await reloadForAnother('P3');
  const mails = await countMails();
  const late = 'plan_changed: the stop was given to another customer after this was recorded';
  expect(warned(await record('P3', { id: 2, updates: { status: 'D' } }, before))).toEqual([late]);
  expect((await read('P3')).results.get(2)?.result.status).toBe('D');
  expect(await countMails()).toBe(mails);
  // The stop beside it still has the same customer.
  expect(warned(await record('P3', { id: 1, updates: { status: 'D' } }, before))).toEqual([]);
  expect(await countMails()).toBe(mails + 1);
});

test('the delivery time of a client without a clock counts', async () => {
  await imported('P4');
  await reloadForAnother('P4');
  const recorded = { id: 2, updates: { status: 'D', end_delivery_time: isoOf(before) } } as const;
  expect(warned(await record('P4', recorded))).toMatchObject([/^plan_changed/]);
  expect(warned(await record('P4', { id: 2, updates: { driver_comments: 'just now' } }))).toEqual([]);
});

test('other lines than the driver saw cause a warning; another phone number of the customer does not', async () => {
  await imported('P5');
  await sql(`update CUSMSP set CMPHN = '555' where CMCUS = 'CP50'`);
  await imports.importNow();
  expect(warned(await record('P5', { id: 1, updates: { driver_comments: 'a' } }, before))).toEqual([]);
  await imported('P5', { quantity: 9 });
  expect(warned(await record('P5', { id: 1, updates: { store_emp_id: '1' } }, before))).toEqual([
    'plan_changed: the lines of the stop were changed after this was recorded',
  ]);
});

test('a stop that returns as another customer’s starts empty, and is reported', async () => {
  await imported('P6', { stops: 3 });
  await record('P6', { id: 3, updates: { status: 'R' } });
  await imported('P6', { stops: 2 });
  await dispatch(routeFile('P6', { stops: 3 }));
  await sql(`update RTSTPP set RSCUS = 'CP60' where RSRTE = 'P6' and RSSTP = 3`);
  await imports.importNow();
  const { route, results } = await read('P6');
  expect(results.get(3)).toEqual({ version: route?.version, result: { status: 'P' } });
  const { rows } = await pool.query(
    `select from incident where kind = 'result_of_other_customer' and details like '%P6%'`,
  );
  expect(rows).toHaveLength(1);
});
