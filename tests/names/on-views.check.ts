import { expect, test } from 'vitest';
import { examine } from '../../server/src/host/doctor/examine.ts';
import { openShadowWorld, WEEK } from '../host/shadow-fixture.ts';
import { columnOf, printedViews, tableOf } from '../support/driven-host.ts';
import { createHost } from '../support/stand-in.ts';

// The service on views with our names, without LEGACY_MAP. The other suites of this run test the statements there.

test('each view is a plain one, which the host updates by itself', async () => {
  const script = await printedViews('PODVUE');
  expect(script).toMatch(/^create view PODVUE\.RTHDRP \(RHFAC, RHRTE, RHWKE, .*\) as select .* from THEIRS\."tour";$/m);
  expect(script).not.toMatch(/create (function|trigger)|case |cast\(/);
});

test('the doctor: GO by polling; by doorbell a NO-GO that names the other way, since the triggers are at the tables', async () => {
  const { host, clerk } = await createHost();
  await clerk.query(`insert into PODDTA.FACMSTP (FAFAC, FANAM, FATZ) values ('F01', 'Depot', 'America/Chicago')`);
  const examined = async (changes: 'polling' | 'doorbell') => {
    const { go, findings } = await examine(host, { changes, live: true }, { now: () => new Date(), form: 'full' });
    return { go, found: new Map(findings.map((finding) => [finding.check, finding])) };
  };
  const polled = await examined('polling');
  expect([...polled.found.values()].filter(({ level }) => level === 'no_go' || level === 'unknown')).toEqual([]);
  expect(polled.go).toBe(true);
  expect(polled.found.get('tables')).toMatchObject({ says: 'PODDTA has all 26 files' });
  expect(polled.found.get('triggers')).toMatchObject({ level: 'go', says: 'not needed: HOST_CHANGES=polling' });
  const rung = await examined('doorbell');
  expect(rung.go).toBe(false);
  expect(rung.found.get('triggers')).toMatchObject({
    level: 'no_go',
    todo: expect.stringContaining('or set HOST_CHANGES=polling') as unknown,
  });
});

test('a live service imports by polling, writes through the views, and takes in a clerk’s edit', async () => {
  const world = await openShadowWorld();
  const { depot, old, pool, rows } = world;
  // No trigger rings any more.
  await pool.query(`drop table ${await tableOf('PODCHGP')} cascade`);
  await world.enter('live');
  const key = await world.dispatch('F01', 'V1', [1, 2]);
  await world.imported(key);
  const products = [{ id: 'ITEM1', invoice: 'INV1', updates: { delivered: 4 } }];
  await depot.record(key, { id: 1, updates: { status: 'D', driver_comments: 'at the dock' }, products });
  await depot.untilHosted(key);

  const [stop, comment, pieces] = [await columnOf('RUSTP'), await columnOf('RUCMT'), await columnOf('RQDLV')];
  expect(
    await rows(`select ${stop}::int as stop, trim(${comment}) as comment from ${await tableOf('RTSTUP')}`),
  ).toEqual([{ stop: 1, comment: 'at the dock' }]);
  expect(await rows(`select ${pieces}::int as pieces from ${await tableOf('RTPRUP')}`)).toEqual([{ pieces: 4 }]);

  await old.correct({ facility: 'F01', route: 'V1', week: WEEK, stop: 1 }, { RUCMT: 'BY A CLERK' });
  await expect.poll(() => world.route(key)).toMatchObject({ office_edits: 1 });
  await depot.record(key, { id: 2, updates: { status: 'D' } });
  await depot.untilHosted(key);
  expect(await depot.show('RTSTUP', "RURTE = 'V1'")).toMatchObject([
    { RUSTP: '1', RUCMT: 'BY A CLERK' },
    { RUSTP: '2', RUSTS: 'D' },
  ]);
}, 120_000);
