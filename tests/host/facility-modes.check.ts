import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { replay } from '../../server/src/replication/from-host/replay.ts';
import { Leases } from '../../server/src/replication/to-host/lease.ts';
import { openShadowWorld, WEEK } from './shadow-fixture.ts';

let world: Awaited<ReturnType<typeof openShadowWorld>>;
beforeAll(async () => {
  world = await openShadowWorld();
});

const stopOf = (facility: string, route: string, stop: number) => ({ facility, route, week: WEEK, stop });
const delivered = (comment: string) => ({ status: 'D', driver_comments: comment }) as const;

test('in shadow nothing is written to the host, and what another system writes is known and no edit of the office', async () => {
  const { depot, old, statements } = world;
  await world.enter('shadow');
  const key = await world.dispatch('F01', 'R1', [1, 2, 999]);
  await world.imported(key);
  const lines = await world.doorbellLines();
  expect(lines).toBeGreaterThan(0);

  await depot.record(key, { id: 1, updates: { ...delivered('left at the dock'), signature_id: 'SIG1' } });
  await depot.record(key, { id: 999, updates: { status: 'D' } });
  await old.writeResult(stopOf('F01', 'R1', 1), 'D', { RUCMT: 'AT THE DOCK', RUDRV: '1001' });
  await expect.poll(() => world.known(key, 1), { timeout: 60_000 }).toContain('AT THE DOCK');
  await old.close({ facility: 'F01', route: 'R1', week: WEEK }, { RHCLDT: 20261121, RHCLBY: 'D' });
  await expect.poll(() => world.known(key, -1), { timeout: 60_000 }).toContain('"C"');
  await expect
    .poll(() => world.route(key), { timeout: 60_000 })
    .toMatchObject({ behind: false, hosted: 1, office_edits: 0 });
  expect((await world.route(key))?.shadow).toBe((await world.route(key))?.version);
  // A whole drift check, reads and all, and the end of the worker.
  await world.importNow();
  await world.stop();
  expect(await statements()).toEqual([]);
  expect(await world.doorbellLines()).toBeGreaterThan(lines);
}, 120_000);

test('live begins with the next change: rows of the other system stay, its last edit included', async () => {
  const { depot, old, statements } = world;
  const key = world.keyOf('F01', 'R1');
  await old.correct(stopOf('F01', 'R1', 1), { RUCMT: 'AT DOCK 4' });
  // A killed worker has the route, and another node imports: without this comparison the edit would be one of the office.
  await world.pool.query(
    `update route_lease set owner = gen_random_uuid(), fence = fence + 1, expires_at = now() + interval '4 s' where route_id = 'R1'`,
  );
  const importer = await world.pool.connect();
  await importer.query(`begin; select pg_advisory_xact_lock(hashtext('tailgate import'))`);
  const entered = world.enter('live');
  const isWaiting = () => world.log.lines.some(({ message }) => message.startsWith('routes are compared again'));
  await expect.poll(isWaiting, { timeout: 60_000 }).toBe(true);
  expect(await world.rows('select mode from facility_mode')).toEqual([{ mode: 'shadow' }]);
  await importer.query('rollback');
  importer.release();
  await entered;
  await depot.record(key, { id: 2, updates: delivered('at the gate') });
  await depot.untilHosted(key);
  expect(await depot.show('RTSTUP', "RURTE = 'R1'")).toMatchObject([
    { RUSTP: '1', RUCMT: 'AT DOCK 4', RUUUSR: 'OLDPOD' },
    { RUSTP: '2', RUCMT: 'at the gate', RUUUSR: 'TAILGATE' },
  ]);
  expect(await world.route(key)).toMatchObject({ office_edits: 0 });
  await expect.poll(() => world.doorbellLines(), { timeout: 60_000 }).toBe(0);
  expect((await statements()).map(({ file }) => file)).toContain('rtstup');
  // From now on, a clerk's edit is an edit of the office.
  await old.correct(stopOf('F01', 'R1', 2), { RUCMT: 'BY A CLERK' });
  await expect.poll(() => world.route(key), { timeout: 60_000 }).toMatchObject({ office_edits: 1 });
}, 120_000);

test('each step goes back, and one facility may be live beside one in shadow and one that is off', async () => {
  const { depot, old, statements } = world;
  const key = world.keyOf('F01', 'R1');
  await world.stop();
  const before = (await statements()).length;
  await world.enter('off,F01=shadow,F02=live');
  const pilot = await world.dispatch('F02', 'P1', [1]);
  await world.dispatch('F03', 'X1', [1]);
  await world.imported(pilot);
  await depot.record(key, { id: 2, updates: { driver_comments: 'again in shadow' } });
  await old.correct(stopOf('F01', 'R1', 2), { RUCMT: 'THE OLD ONE AGAIN' });
  await depot.record(pilot, { id: 1, updates: delivered('by the pilot') });
  // A closed route is read every 15 minutes.
  depot.clock.now = new Date(depot.clock.now.getTime() + 16 * 60_000);
  await depot.untilHosted(pilot);
  await depot.untilHosted(key);
  await expect.poll(() => world.known(key, 2), { timeout: 60_000 }).toContain('THE OLD ONE AGAIN');
  expect(await world.route(key)).toMatchObject({ office_edits: 1 });
  expect(await world.route(pilot)).toMatchObject({ shadow: 0, office_edits: 0 });
  expect(await world.route(world.keyOf('F03', 'X1'))).toBeUndefined();
  await world.stop();
  const written = (await statements()).slice(before).map(({ file }) => file);
  expect(written).toContain('rtstup');
  expect(written).not.toContain('podchgp');
  expect(await depot.show('RTSTUP', "RUUUSR = 'TAILGATE'")).toMatchObject([{ RUFAC: 'F02', RUCMT: 'by the pilot' }]);
  expect(await depot.show('RTSTUP', "RURTE = 'R1' and RUSTP = 2")).toMatchObject([{ RUCMT: 'THE OLD ONE AGAIN' }]);
}, 120_000);

test('a replay writes what was recorded in shadow where the other system has no row, and names the others', async () => {
  const { depot, old, pool } = world;
  await world.enter('shadow');
  const key = await world.dispatch('F01', 'R2', [1, 2, 3]);
  await world.imported(key);
  for (const id of [1, 2, 3]) await depot.record(key, { id, updates: delivered(`stop ${id}`) });
  await old.writeResult(stopOf('F01', 'R2', 1), 'D', { RUCMT: 'BY THE OLD ONE' });
  await expect.poll(() => world.known(key, 1), { timeout: 60_000 }).toContain('BY THE OLD ONE');
  await depot.untilHosted(key);
  await world.enter('live');
  // A later change of another stop does not hide what was recorded in shadow.
  await depot.record(key, { id: 3, updates: { driver_comments: 'live' } });
  await depot.untilHosted(key);
  await world.stop();

  const leases = new Leases({ db: pool, owner: randomUUID() });
  const options = { db: pool, host: depot.host, leases, clock: () => depot.clock.now, dry: false };
  const { lines } = await replay(options, { facility: 'F01', route: 'R2' });
  await leases.close();
  expect(lines).toEqual([
    { route: key, stop: 1, verdict: 'foreign' },
    { route: key, stop: 2, verdict: 'again' },
  ]);
  await world.enter('live');
  await depot.untilHosted(key);
  expect(await depot.show('RTSTUP', "RURTE = 'R2'")).toMatchObject([
    { RUSTP: '1', RUCMT: 'BY THE OLD ONE', RUUUSR: 'OLDPOD' },
    { RUSTP: '2', RUCMT: 'stop 2', RUUUSR: 'TAILGATE' },
    { RUSTP: '3', RUCMT: 'live', RUUUSR: 'TAILGATE' },
  ]);
}, 120_000);
