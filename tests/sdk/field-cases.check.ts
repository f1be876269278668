import type { RouteKey } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { fieldCases, readJson, warningCodes } from '../support/field-fixture.ts';
import { writeItemsOfOtherVersion } from '../support/items-of-other-version.ts';
import { signIn, signUp } from '../support/people.ts';

const hour = 3_600_000;
const day = 24 * hour;

const captured = z.object({ captured_at: z.string() });

// Field cases about time, other people and other versions of the app.
fieldCases((deps) => {
  /** The rows of a route that the host refuses. */
  const parkedOf = async ({ id }: RouteKey): Promise<object[]> => {
    const statement = 'select stop_id, reason from parked where route_id = $1';
    return (await deps().depot.database.pool.query<{ stop_id: number; reason: string }>(statement, [id])).rows;
  };

  test('field case 2: a duplicate gets the full content of the lost answer, and the queue continues', async () => {
    const { phone, key } = await deps().phoneWithRoute();
    await deps().officeEdit(key, { id: 1, updates: { driver_comments: 'theirs' } }, new Date(Date.now() + hour));
    await phone.app.untilShown(key, 1, 'comments', 'theirs');
    deps().network.bufferDown();
    const ids = [
      await phone.app.record(key, 1, { driver_comments: 'mine' }),
      await phone.app.record(key, 2, { driver_comments: 'B' }),
    ];
    await expect.poll(async () => (await deps().ledgerOf(key)).length).toBe(3);
    await phone.stop();
    deps().network.pass();
    deps().network.cut();
    await phone.start();
    ids.push(await phone.app.record(key, 3, { driver_comments: 'C' }));
    for (const id of ids) expect(await phone.app.onHost(id)).toMatchObject({ at: 'on_host' });
    await phone.app.untilDrained();
    expect((await deps().ledgerOf(key)).slice(1).map(({ id }) => id)).toEqual(ids);
    const lost = { id: ids[0], path: 'updates.driver_comments', mine: 'mine', theirs: 'theirs' };
    expect(await phone.app.events()).toMatchObject([{ name: 'conflict', event: lost }]);
  });

  test('field case 4: items of an older app show and go out unchanged; new records are separate changes', async () => {
    const { phone, key } = await deps().phoneWithRoute();
    await phone.stop();
    const stop = { id: 1, updates: { driver_comments: 'by the old app', ink_color: 'blue' } };
    const skip = { route: key, stop_id: 2, status: 'S', skip_refuse_driver_comment: 'closed' };
    const writtenIds = await writeItemsOfOtherVersion(phone, [
      { name: 'stop.update', version: 1, args: { route: key, stop } },
      { name: 'stop.skip_refuse', version: 1, args: skip },
    ]);
    deps().network.refuse();
    await phone.start();
    expect(await phone.app.shown(key)).toMatchObject([{ comments: 'by the old app' }, { status: 'S' }, {}, {}]);
    const ids = [...writtenIds, await phone.app.record(key, 1, { store_emp_name: 'by the new app' })];
    await deps().network.accept();
    for (const id of ids) expect(await phone.app.onHost(id)).toMatchObject({ at: 'on_host' });
    const ledger = await deps().ledgerOf(key);
    expect(ledger.map(({ id }) => id)).toEqual(ids);
    expect(readJson(ledger[0]?.body ?? '')).toMatchObject({ version: 1, args: { stop } });
    expect(await phone.app.shown(key)).toMatchObject([
      { comments: 'by the old app', receiver: 'by the new app', pending: 0 },
      { status: 'S', pending: 0 },
      {},
      {},
    ]);
  });

  test('field case 5: after a downgrade, unknown items are retained, sent unchanged, and block no other item', async () => {
    const { phone, key } = await deps().phoneWithRoute();
    await phone.stop();
    const update = (id: number) => ({ route: key, stop: { id, updates: { driver_comments: 'of tomorrow' } } });
    const unknown = { name: 'stop.weigh', version: 3, args: { grams: [12.5, 1e21], where: 'é' } };
    const writtenIds = await writeItemsOfOtherVersion(phone, [
      { name: 'stop.update', version: 1, args: update(1) },
      unknown,
      { name: 'stop.update', version: 2, args: update(2) },
    ]);
    await phone.upgradeStorage();
    deps().network.refuse();
    await phone.start();
    // The app interprets only items that it can read in full.
    expect(await phone.app.shown(key)).toMatchObject([{ comments: 'of tomorrow' }, { comments: null }, {}, {}]);
    const ids = [...writtenIds, await phone.app.record(key, 3, { driver_comments: 'of today' })];
    await deps().network.accept();
    const quarantined = { at: 'quarantined', code: 'UNKNOWN_MUTATION' };
    const answers = await Promise.all(ids.map((id) => phone.app.onHost(id)));
    expect(answers).toMatchObject([{ at: 'on_host' }, quarantined, quarantined, { at: 'on_host' }]);
    expect(await phone.app.events()).toMatchObject(
      writtenIds.slice(1).map((id) => ({ name: 'quarantined', event: { id } })),
    );
    const { rows } = await deps().depot.database.pool.query<{ body: Buffer }>(
      'select body from quarantine where id = $1',
      [ids[1]],
    );
    expect(rows.map(({ body }) => readJson(body.toString()))).toMatchObject([unknown]);
  });

  test('field case 6: a stale queue in a new session retains its author and its times, and reverts nothing', async () => {
    const { phone, key, driver } = await deps().phoneWithRoute();
    await deps().loseNetwork(phone);
    const id = await phone.app.record(key, 1, { driver_comments: 'mine', store_emp_name: 'Ana' });
    const at = Date.now();
    await phone.stop();
    // An hour later another driver changes the same stop. A day later the first driver signs in again.
    await deps().officeEdit(key, { id: 1, updates: { driver_comments: 'theirs' } }, new Date(at + hour));
    await deps().node.database.pool.query('update session set revoked_at = now() where employee = $1', [driver]);
    deps().node.clock.now = new Date(at + day);
    await deps().network.accept();
    await phone.start(day);
    expect(await phone.app.signIn(driver)).toBe('signed_in');
    expect(await phone.app.onHost(id)).toMatchObject({ at: 'on_host' });
    await phone.app.untilShown(key, 1, 'comments', 'theirs');
    expect(await phone.app.shown(key)).toMatchObject([{ receiver: 'Ana', pending: 0 }, {}, {}, {}]);
    const [, replayed] = await deps().ledgerOf(key);
    expect(replayed).toMatchObject({ id, employee: driver });
    expect(Math.abs((replayed?.edit_time.getTime() ?? 0) - at)).toBeLessThan(hour / 2);
    const lost = { id, stop: 1, path: 'updates.driver_comments', mine: 'mine', theirs: 'theirs' };
    const conflicts = (await phone.app.events()).filter(({ name }) => name === 'conflict');
    expect(conflicts).toMatchObject([{ event: lost }]);
  });

  test('field case 10: pending changes block no download: others’ changes, plans and whole routes arrive', async () => {
    const { phone, key, driver } = await deps().phoneWithRoute();
    const unblockCommits = await deps().blockCommits(driver);
    const id = await phone.app.record(key, 1, { driver_comments: 'mine' });
    await deps().officeEdit(key, { id: 1, updates: { store_emp_name: 'Ben' } }, new Date());
    await phone.app.untilShown(key, 1, 'receiver', 'Ben');
    const another = await deps().depot.addRoute(`${key.id}B`, [7], driver);
    await phone.app.untilShown(another, 7, 'status', 'P');
    expect(await phone.app.shown(key)).toMatchObject([{ comments: 'mine', pending: 1 }, {}, {}, {}]);
    expect(await phone.app.receipt(id)).toMatchObject({ at: 'saved' });
    await unblockCommits();
    expect(await phone.app.onHost(id)).toMatchObject({ at: 'on_host' });
  });

  test('field case 12: the token ends while the queue drains: the queue drains by its key, and the driver is asked to sign in', async () => {
    const { phone, key, driver } = await deps().phoneWithRoute();
    const unblockCommits = await deps().blockCommits(driver);
    const ids: string[] = [];
    for (const stop of [1, 2, 3]) ids.push(await phone.app.record(key, stop, { driver_comments: 'in time' }));
    await deps().untilPushWaits();
    // While a route is open, a token has its maximum lifetime. An age of a year exceeds it.
    const age = "update session set created_at = created_at - interval '1 year' where employee = $1";
    await deps().depot.database.pool.query(age, [driver]);
    deps().node.clock.now = new Date(Date.now() + hour);
    deps().network.cut();
    await unblockCommits();
    for (const id of ids) expect(await phone.app.settled(id)).toMatchObject({ at: 'accepted' });
    expect(await phone.app.events()).toMatchObject([{ name: 'session', event: { employee: driver } }]);
    expect(await phone.app.status()).toMatchObject({ connection: 'signed_out', employeeId: driver, pending: {} });
    // The driver continues to work, and the queue drains.
    ids.push(await phone.app.record(key, 1, { driver_comments: 'later' }));
    expect(await phone.app.settled(ids[3] ?? '')).toMatchObject({ at: 'accepted' });
    expect(await phone.app.signIn(driver)).toBe('signed_in');
    for (const id of ids) expect(await phone.app.onHost(id)).toMatchObject({ at: 'on_host' });
    expect(await deps().ledgerIdsOf(key)).toEqual(ids);
  });

  test('field case 13: after days without a network and a restart each morning, all changes arrive, each with its own time', async () => {
    const { phone, key } = await deps().phoneWithRoute();
    await deps().loseNetwork(phone);
    const taps: { id: string; at: number }[] = [];
    for (const n of [0, 1, 2]) {
      if (n > 0) await phone.stop();
      if (n > 0) await phone.start(n * day);
      taps.push({ id: await phone.app.record(key, 1, { driver_comments: `day ${n}` }), at: Date.now() + n * day });
      taps.push({ id: await phone.app.record(key, 2, { store_emp_name: `day ${n}` }), at: Date.now() + n * day });
    }
    expect(await phone.app.shown(key)).toMatchObject([
      { comments: 'day 2', pending: 3 },
      { receiver: 'day 2', pending: 3 },
      {},
      {},
    ]);
    const { oldestPendingAt = 0 } = await phone.app.status();
    expect(Math.abs(oldestPendingAt - (taps[0]?.at ?? 0))).toBeLessThan(hour);
    deps().node.clock.now = new Date(Date.now() + 2 * day);
    await deps().network.accept();
    for (const { id } of taps) expect(await phone.app.onHost(id)).toMatchObject({ at: 'on_host' });
    const ledger = await deps().ledgerOf(key);
    expect(ledger.map(({ id }) => id)).toEqual(taps.map(({ id }) => id));
    for (const [n, { edit_time }] of ledger.entries())
      expect(Math.abs(edit_time.getTime() - (taps[n]?.at ?? 0))).toBeLessThan(hour);
    expect(await phone.app.shown(key)).toMatchObject([{ comments: 'day 2' }, { receiver: 'day 2' }, {}, {}]);
  });

  test('field case 23: a clock that is wrong by days, and jumps, reorders and drops nothing', async () => {
    const { phone, key } = await deps().phoneWithRoute();
    await phone.stop();
    await phone.start(3 * day);
    await deps().loseNetwork(phone);
    const taps: { id: string; at: number }[] = [];
    let elapsed = 0;
    const recordAndAdvance = async (stop: number, driver_comments: string): Promise<void> => {
      const id = await phone.app.record(key, stop, { driver_comments });
      taps.push({ id, at: Date.now() + elapsed });
      await phone.app.advanceClocks(hour);
      elapsed += hour;
    };
    await recordAndAdvance(1, 'of a run that ends');
    await phone.stop();
    await phone.start(3 * day + elapsed);
    await recordAndAdvance(2, 'three days ahead');
    await phone.app.shiftWallClock(-5 * day);
    await recordAndAdvance(3, 'two days behind');
    await recordAndAdvance(1, 'the last word');
    await phone.app.shiftWallClock(9 * day);
    await recordAndAdvance(2, 'a week ahead');
    // The correction of changes from an ended run is the clock's error at the time of sending.
    await phone.app.shiftWallClock(-4 * day);
    // Edits of others half an hour earlier or later order correctly, regardless of the phone's clock.
    const [, , third, , fifth] = taps;
    await deps().officeEdit(
      key,
      { id: 3, updates: { driver_comments: 'before' } },
      new Date((third?.at ?? 0) - hour / 2),
    );
    await deps().officeEdit(
      key,
      { id: 2, updates: { driver_comments: 'after' } },
      new Date((fifth?.at ?? 0) + hour / 2),
    );
    deps().node.clock.now = new Date(Date.now() + elapsed);
    await deps().network.accept();
    for (const { id } of taps) expect(await phone.app.onHost(id)).toMatchObject({ at: 'on_host' });
    await phone.app.untilShown(key, 2, 'comments', 'after');
    expect(await phone.app.shown(key)).toMatchObject([
      { comments: 'the last word' },
      { comments: 'after' },
      { comments: 'two days behind' },
      {},
    ]);
    const ledger = (await deps().ledgerOf(key)).slice(2);
    expect(ledger.map(({ id }) => id)).toEqual(taps.map(({ id }) => id));
    const wrong = ledger.map(({ edit_time }, n) => Math.abs(edit_time.getTime() - (taps[n]?.at ?? 0)));
    expect(Math.max(...wrong)).toBeLessThan(hour / 4);
    // The original time of the phone's clock is stored, too.
    const captures = ledger.map(({ body }) => Date.parse(captured.parse(readJson(body)).captured_at));
    expect(captures.map((at, n) => Math.round((at - (taps[n]?.at ?? 0)) / day))).toEqual([3, 3, -2, -2, 7]);
  });

  test('field case 24: one 403 stops no other push: neither behind it in its queue nor in another queue', async () => {
    const { phone, key, driver } = await deps().phoneWithRoute();
    const foreign = await deps().depot.addRoute(`${key.id}F`, [1], 'SOMEBODY');
    const ids = [
      await phone.app.record(key, 1, { driver_comments: 'A' }),
      await phone.app.recordUnchecked(foreign, 1, { driver_comments: 'not mine' }),
      await phone.app.record(key, 2, { driver_comments: 'B' }),
    ];
    const answers = await Promise.all(ids.map((id) => phone.app.onHost(id)));
    expect(answers).toMatchObject([{ at: 'on_host' }, { at: 'quarantined', code: 'NOT_ASSIGNED' }, { at: 'on_host' }]);
    // Now the server refuses the whole queue, but not the next driver's queue on this phone.
    await deps().loseNetwork(phone);
    const waiting = await phone.app.record(key, 3, { driver_comments: 'C' });
    await deps().depot.database.pool.query('update client set revoked_at = now() where employee = $1', [driver]);
    await deps().network.accept();
    const { driver: second, key: theirs } = await deps().nextDriver();
    expect(await phone.app.signUp(second)).toBe('signed_in');
    expect(await phone.app.onHost(await phone.app.record(theirs, 1, { driver_comments: 'D' }))).toMatchObject({
      at: 'on_host',
    });
    expect(await phone.app.receipt(waiting)).toMatchObject({ at: 'saved' });
    expect((await phone.app.status()).pending).toEqual({ [driver]: 1 });
  });

  test('field case 26: a second driver on the same phone has a separate queue; both drain, each as its author’s', async () => {
    const { phone, key, driver } = await deps().phoneWithRoute();
    const { driver: second, key: theirs } = await deps().nextDriver();
    const unblockCommits = await deps().blockCommits(driver);
    const ids = [
      await phone.app.record(key, 1, { driver_comments: 'of the first' }),
      await phone.app.record(key, 2, { driver_comments: 'of the first, too' }),
    ];
    await deps().untilPushWaits();
    await phone.app.signOut();
    expect(await phone.app.signUp(second)).toBe('signed_in');
    // No queue waits for another one.
    const own = await phone.app.record(theirs, 1, { driver_comments: 'of the second' });
    expect(await phone.app.onHost(own)).toMatchObject({ at: 'on_host' });
    for (const id of ids) expect(await phone.app.receipt(id)).toMatchObject({ at: 'saved' });
    await unblockCommits();
    for (const id of ids) await phone.app.settled(id);
    expect((await deps().ledgerOf(key)).map((row) => [row.id, row.employee])).toEqual(ids.map((id) => [id, driver]));
    expect(await deps().ledgerOf(theirs)).toMatchObject([{ id: own, employee: second }]);
    expect(await phone.app.status()).toMatchObject({ connection: 'online', employeeId: second, pending: {} });
  });

  test('field case 27: a driver whom `confirm_login` evicts with a full queue loses nothing, and later changes are flagged', async () => {
    const { phone, key, driver } = await deps().phoneWithRoute();
    const other = await deps().addDriver(key, driver);
    await deps().loseNetwork(phone);
    const start = deps().node.clock.now.getTime();
    const ids = [
      await phone.app.record(key, 1, { driver_comments: 'A' }),
      await phone.app.record(key, 2, { driver_comments: 'B' }),
      await phone.app.record(key, 1, { store_emp_name: 'Ana' }),
    ];
    await phone.stop();
    deps().node.clock.now = new Date(start + hour);
    await signUp(deps().node.client, other);
    await signIn(deps().node.client, other, { confirm_login: true });
    await phone.start(2 * hour);
    ids.push(await phone.app.record(key, 3, { driver_comments: 'not knowing' }));
    await phone.stop();
    deps().node.clock.now = new Date(start + 3 * hour);
    await deps().network.accept();
    await phone.start(3 * hour);
    for (const id of ids) expect(await phone.app.settled(id)).toMatchObject({ at: 'accepted' });
    expect(await phone.app.events()).toMatchObject([{ name: 'session', event: { employee: driver } }]);
    expect(await phone.app.status()).toMatchObject({ connection: 'signed_out', employeeId: driver, pending: {} });
    expect((await phone.app.shown(key))[2]).toMatchObject({ comments: 'not knowing' });
    const ledger = await deps().ledgerOf(key);
    expect(ledger.map((row) => [row.id, row.employee])).toEqual(ids.map((id) => [id, driver]));
    expect(ledger.map((row) => warningCodes(row))).toEqual([[], [], [], ['after_sign_out']]);
    await deps().depot.untilHosted(key);
    expect(await deps().depot.show('RTSTUP', `RURTE = '${key.id}' and RUSTP = 3`)).toMatchObject([
      { RUCMT: 'not knowing' },
    ]);
  });

  test('field case 28: the host closes the route and removes a stop: changes from the meantime are retained and reported', async () => {
    const { phone, key, driver } = await deps().phoneWithRoute();
    await deps().loseNetwork(phone);
    const delivered = await phone.app.record(key, 1, { status: 'D' });
    const removed = await phone.app.record(key, 2, { status: 'D' });
    await deps().depot.addRoute(key.id, [1, 3, 999], driver);
    await deps().depot.clerk(`update PODDTA.RTHDRP set RHPODS = 'C', RHCLBY = 'F' where RHRTE = '${key.id}'`);
    await deps().depot.importNow();
    await deps().network.accept();
    await phone.app.untilClosed(key);
    expect(await phone.app.onHost(delivered)).toMatchObject({ at: 'on_host' });
    await phone.app.untilDrained();
    // The host has no row for it any more: the change is not hosted, and the office has it on its list.
    expect(await phone.app.receipt(removed)).toMatchObject({ at: 'accepted' });
    await deps().depot.waitUntil(async () => (await parkedOf(key)).length > 0);
    expect(await parkedOf(key)).toEqual([{ stop_id: 2, reason: 'the host has no stop 2 on this route' }]);
    // The ledger also contains the host's own changes of the route.
    const ledger = (await deps().ledgerOf(key)).filter(({ employee }) => employee === driver);
    const warnings = ledger.map((row) => warningCodes(row));
    expect(warnings).toEqual([['after_close'], ['after_close', 'stop_removed']]);
    // The office restores the stop.
    await deps().depot.addRoute(key.id, [1, 2, 3, 999], driver);
    expect(await phone.app.onHost(removed)).toMatchObject({ at: 'on_host' });
    await phone.app.untilShown(key, 2, 'status', 'D');
  });

  test('field case 29: two drivers edit one stop without a network: for each field the later edit wins, in any order of arrival', async () => {
    const { driver, key } = await deps().nextDriver();
    const second = await deps().addDriver(key, driver);
    const [early, late] = [await deps().phoneOf(driver), await deps().phoneOf(second)];
    await deps().loseNetwork(early);
    await late.app.untilOffline();
    const lost = await early.app.record(key, 1, { driver_comments: 'early', store_emp_name: 'Ana' });
    for (const { app } of [early, late]) await app.advanceClocks(hour);
    deps().node.clock.now = new Date(Date.now() + hour);
    const won = await late.app.record(key, 1, { driver_comments: 'late', status: 'D' });
    await early.stop();
    await deps().network.accept();
    expect(await late.app.onHost(won)).toMatchObject({ at: 'on_host' });
    await early.start(hour);
    expect(await early.app.onHost(lost)).toMatchObject({ at: 'on_host' });
    for (const { app } of [early, late]) {
      await app.untilShown(key, 1, 'receiver', 'Ana');
      expect((await app.shown(key))[0]).toMatchObject({ comments: 'late', status: 'D', receiver: 'Ana', pending: 0 });
    }
    const conflict = { id: lost, stop: 1, path: 'updates.driver_comments', mine: 'early', theirs: 'late' };
    expect(await early.app.events()).toMatchObject([{ name: 'conflict', event: conflict }]);
    expect(await late.app.events()).toEqual([]);
    const onHost = await deps().depot.show('RTSTUP', `RURTE = '${key.id}' and RUSTP = 1`);
    expect(onHost).toMatchObject([{ RUCMT: 'late' }]);
  });
});
