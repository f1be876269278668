import { expect, test } from 'vitest';
import { openDepot } from '../support/depot.ts';

// Foreign changes without a doorbell line: the audit tail of the row names the author.

const depot = await openDepot();
const worker = depot.worker();
await worker.start();

const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;

async function hostedStop(id: string) {
  const key = await depot.addRoute(id, [1]);
  await depot.record(key, { id: 1, updates: { ...delivered, driver_comments: 'left at dock' } });
  await depot.untilHosted(key);
  return key;
}

/** As where a trigger is missing. */
async function quietly(...statements: readonly string[]): Promise<void> {
  for (const statement of statements) await depot.clerk(statement);
  await depot.clerk('delete from PODDTA.PODCHGP');
  depot.clock.now = new Date(depot.clock.now.getTime() + 1_000);
}

/** The next write of the service meets the rows of others. */
async function meet(key: Awaited<ReturnType<typeof hostedStop>>) {
  await depot.record(key, { id: 1, updates: { driver_comments: 'left inside' } });
  await depot.untilHosted(key);
  const { rows } = await depot.database.pool.query<{ employee: string; body: string }>(
    `select employee, body from ledger where route_id = $1 and source = 'office' order by employee`,
    [key.id],
  );
  return rows;
}

test('an edit that only a guarded write finds carries the user of its row', async () => {
  const key = await hostedStop('TAIL');
  await quietly(`update PODDTA.RTSTUP set RUSNAM = 'Ana', RUUUSR = 'ERIKA', RUUPGM = 'GREEN' where RURTE = 'TAIL'`);
  expect(await meet(key)).toMatchObject([{ employee: 'ERIKA' }]);
});

test('the same where the program is still the service’s and only the user differs', async () => {
  const key = await hostedStop('USER');
  await quietly(`update PODDTA.RTSTUP set RUSNAM = 'Ana', RUUUSR = 'ERIKA' where RURTE = 'USER'`);
  expect(await meet(key)).toMatchObject([{ employee: 'ERIKA' }]);
});

test('two rows that two users changed are two edits', async () => {
  const key = await hostedStop('HANDS');
  await quietly(
    `update PODDTA.RTSTUP set RUSNAM = 'Ana', RUUUSR = 'ERIKA', RUUPGM = 'GREEN' where RURTE = 'HANDS'`,
    `update PODDTA.RTSTPP set RSSTS = 'S', RSUUSR = 'BOB', RSUPGM = 'FIX' where RSRTE = 'HANDS'`,
  );
  const edits = await meet(key);
  expect(edits.map(({ employee }) => employee)).toEqual(['BOB', 'ERIKA']);
  expect(edits[0]?.body).toContain('"status":"S"');
  expect(edits[1]?.body).toContain('Ana');
});

test('a doorbell line names the user before the audit tail does', async () => {
  const key = await hostedStop('RUNG');
  await depot.clerk(`update PODDTA.RTSTUP set RUSNAM = 'Ana', RUUUSR = 'ERIKA' where RURTE = 'RUNG'`);
  await depot.clerk(`update PODDTA.PODCHGP set CHUSR = 'CAROL'`);
  depot.clock.now = new Date(depot.clock.now.getTime() + 1_000);
  expect(await meet(key)).toMatchObject([{ employee: 'CAROL' }]);
});

test('a changed row with the service in its audit tail is the office’s', async () => {
  const key = await hostedStop('NOBODY');
  await quietly(`update PODDTA.RTSTUP set RUSNAM = 'Ana' where RURTE = 'NOBODY'`);
  expect(await meet(key)).toMatchObject([{ employee: 'office' }]);
});
