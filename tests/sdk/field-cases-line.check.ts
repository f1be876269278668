import { expect, test } from 'vitest';
import { fieldCases } from '../support/field-fixture.ts';

const hour = 3_600_000;

// Field cases about the connection between a phone and its server.
fieldCases((deps) => {
  const comment = (driver_comments: string) => ({ driver_comments });

  test('field case 1: the ack is lost with the connection; the client repeats the change and it counts once', async () => {
    const { phone, key } = await deps().phoneWithRoute();
    deps().network.bufferDown();
    const id = await phone.app.record(key, 1, comment('A'));
    await expect.poll(() => deps().ledgerIdsOf(key)).toEqual([id]);
    expect(await phone.app.receipt(id)).toMatchObject({ at: 'saved' });
    const ledger = await deps().ledgerOf(key);
    deps().network.cut();
    deps().network.pass();
    expect(await phone.app.onHost(id)).toMatchObject({ at: 'on_host' });
    expect(await deps().ledgerOf(key)).toEqual(ledger);
    expect(await phone.app.shown(key)).toMatchObject([{ comments: 'A', pending: 0 }, {}, {}, {}]);
    expect(await phone.app.events()).toEqual([]);
  });

  test('field case 9: the queue continues after a partition, and after a kill of the app between commit and ack', async () => {
    const { phone, key, driver } = await deps().phoneWithRoute();
    await deps().loseNetwork(phone);
    const ids = [await phone.app.record(key, 1, comment('behind the partition'))];
    await deps().network.accept();
    await phone.app.settled(ids[0] ?? '');
    deps().network.bufferDown();
    ids.push(await phone.app.record(key, 2, comment('unanswered')));
    await expect.poll(() => deps().ledgerIdsOf(key)).toEqual(ids);
    ids.push(await phone.app.record(key, 3, comment('unsent')));
    await deps().kill(phone);
    deps().network.pass();
    await phone.start();
    for (const id of ids) expect(await phone.app.onHost(id)).toMatchObject({ at: 'on_host' });
    await phone.app.untilDrained();
    expect(await deps().ledgerIdsOf(key)).toEqual(ids);
    expect(await deps().incidentsOf(driver)).toEqual([]);
  });

  test('field case 14: the client retries after a server error, or the server quarantines the change; the others arrive in order', async () => {
    const { phone, key } = await deps().phoneWithRoute();
    await deps().depot.database.pool.query(ledgerTrouble);
    await deps().loseNetwork(phone);
    const ids = [
      await phone.app.record(key, 1, comment('A')),
      await phone.app.record(key, 2, comment('trouble that passes')),
      await phone.app.record(key, 3, comment('trouble that stays')),
      await phone.app.record(key, 1, comment('D')),
    ];
    await deps().network.accept();
    const answers = await Promise.all(ids.map((id) => phone.app.onHost(id)));
    expect(answers.map(({ at }) => at)).toEqual(['on_host', 'on_host', 'quarantined', 'on_host']);
    await phone.app.untilDrained();
    const tries = 'select last_value::int as tries from public.trouble';
    const { rows } = await deps().depot.database.pool.query<{ tries: number }>(tries);
    expect(rows[0]?.tries).toBeGreaterThan(3);
    expect(await deps().ledgerIdsOf(key)).toEqual([ids[0], ids[1], ids[3]]);
    expect(await phone.app.events()).toMatchObject([{ name: 'quarantined', event: { id: ids[2] } }]);
    expect((await phone.app.shown(key))[2]).toMatchObject({ comments: null, pending: 0 });
  });

  test('field case 15: the client fetches an inconsistent storage anew and reverts no pending change', async () => {
    const { phone, key, driver } = await deps().phoneWithRoute();
    await deps().loseNetwork(phone);
    const id = await phone.app.record(key, 1, comment('mine'));
    await phone.stop();
    // The disk has lost a stop of the route. No event reports it.
    const lost = (await phone.rows('document')).find((row) => row.key.endsWith('\nplan/2'));
    await phone.write([{ delete: 'document', key: lost?.key ?? '' }]);
    await phone.start();
    expect((await phone.app.shown(key)).map((stop) => stop.id)).not.toContain(2);
    const unblockCommits = await deps().blockCommits(driver);
    await deps().network.accept();
    await deps().officeEdit(key, { id: 3, updates: comment('theirs') }, new Date());
    await phone.app.untilShown(key, 3, 'comments', 'theirs');
    expect((await phone.app.status()).lastError).toMatchObject({ code: 'REFETCH' });
    expect(await phone.app.shown(key)).toMatchObject([{ comments: 'mine', pending: 1 }, { id: 2 }, {}, {}]);
    await unblockCommits();
    expect(await phone.app.onHost(id)).toMatchObject({ at: 'on_host' });
    expect((await phone.app.shown(key))[0]).toMatchObject({ comments: 'mine', pending: 0 });
  });

  test('field case 16: a change that is recorded during a push follows it, in order', async () => {
    const { phone, key, driver } = await deps().phoneWithRoute();
    const unblockCommits = await deps().blockCommits(driver);
    const ids: string[] = [];
    for (const n of [1, 2, 3]) ids.push(await phone.app.record(key, n, comment('before')));
    await deps().untilPushWaits();
    for (const n of [1, 2, 1, 3]) ids.push(await phone.app.record(key, n, comment('during')));
    expect(await deps().ledgerIdsOf(key)).toEqual([]);
    await unblockCommits();
    for (const id of ids) expect(await phone.app.onHost(id)).toMatchObject({ at: 'on_host' });
    expect(await deps().ledgerIdsOf(key)).toEqual(ids);
    expect(await deps().incidentsOf(driver)).toEqual([]);
  });

  test('field case 17: the echo of a change comes before its ack; no view flickers and no change counts twice', async () => {
    const { phone, key } = await deps().phoneWithRoute();
    await phone.app.watch(key, 1);
    await phone.app.delayAcks();
    const id = await phone.app.record(key, 1, comment('A'));
    await phone.app.untilAckDelayed();
    // The host is faster than the ack, too: after this the feed sends nothing more about the first change.
    await deps().depot.untilHosted(key);
    const unblockHost = await deps().blockHost();
    await deps().officeEdit(key, { id: 2, updates: comment('after it') }, new Date());
    await phone.app.untilShown(key, 2, 'comments', 'after it');
    await phone.app.releaseAcks();
    expect(await phone.app.onHost(id)).toMatchObject({ at: 'on_host' });
    await unblockHost();
    expect(new Set(await phone.app.watchedComments())).toEqual(new Set(['A']));
    expect(await phone.app.shown(key)).toMatchObject([{ comments: 'A', pending: 0 }, {}, {}, {}]);
    expect(await deps().ledgerIdsOf(key)).toContain(id);
    expect(await deps().ledgerOf(key)).toHaveLength(2);
  });

  test('field case 20: silence reveals a half-open socket after sleep; the client sends its pushes again', async () => {
    const { phone, key } = await deps().phoneWithRoute();
    deps().network.drop();
    await phone.app.advanceClocks(8 * hour);
    deps().node.clock.now = new Date(Date.now() + 8 * hour);
    const id = await phone.app.record(key, 1, comment('into the void'));
    await deps().network.untilLossy();
    await phone.app.untilOffline();
    expect(await phone.app.receipt(id)).toMatchObject({ at: 'saved' });
    deps().network.pass();
    expect(await phone.app.onHost(id)).toMatchObject({ at: 'on_host' });
    expect(await deps().ledgerIdsOf(key)).toEqual([id]);
  });

  test('field case 21: attempts continue under a wrong online or offline signal of the platform', async () => {
    const { phone, key } = await deps().phoneWithRoute();
    await phone.app.overrideNetworkState(false);
    deps().network.cut();
    const ids = [await phone.app.record(key, 1, comment('there is one, the platform says no'))];
    expect(await phone.app.onHost(ids[0] ?? '')).toMatchObject({ at: 'on_host' });
    await phone.app.overrideNetworkState(true);
    await deps().loseNetwork(phone);
    ids.push(await phone.app.record(key, 2, comment('there is none, the platform says yes')));
    expect(await phone.app.receipt(ids[1] ?? '')).toMatchObject({ at: 'saved' });
    await deps().network.accept();
    expect(await phone.app.onHost(ids[1] ?? '')).toMatchObject({ at: 'on_host' });
    expect(await deps().ledgerIdsOf(key)).toEqual(ids);
  });
});

/**
 * The first function fails the insert three times, as on a full disk. The second one always fails it, as for a value
 * that PostgreSQL cannot store.
 */
const ledgerTrouble = `
  create sequence if not exists public.trouble;
  alter sequence public.trouble restart;
  create or replace function public.make_trouble() returns trigger language plpgsql as $$ begin
    if new.body like '%trouble that passes%' and nextval('public.trouble') <= 3 then
      raise exception 'no room' using errcode = '53100';
    end if;
    if new.body like '%trouble that stays%' then raise exception 'no such thing' using errcode = '22000'; end if;
    return new;
  end $$;
  create or replace trigger make_trouble before insert on ledger for each row execute function public.make_trouble()`;
