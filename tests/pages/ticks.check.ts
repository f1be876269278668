import { beforeAll, expect, test } from 'vitest';
import { operations } from '../../server/src/http/operations.ts';
import { hostMoment } from '../../server/src/host/files/local-time.ts';
import { opsToken, zone } from '../system/service.ts';
import { faultsOf } from './looks.ts';
import { cameraPhoto } from './stored-files.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

const { day, short, long } = routes;
const headers = { authorization: `Bearer ${opsToken}` };

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register(day.driver, short.driver, long.driver);
});

test('A13: half a tick while a file is still on the phone, by one tap with its sentence, and a whole one after it', async () => {
  const phone = await world.phone();
  const finger = await phone.start();
  await phone.signIn(short.driver);
  await phone.untilInstalled();
  const door = await cameraPhoto(phone.page, 41, [800, 600]);
  // Changes pass, files do not.
  await phone.context.route(/uploads|files|tus/, (request) => request.abort());
  await finger.tap('Open stop 1');
  await finger.tap('More');
  await finger.tap('Skip this stop');
  await finger.tap('Store closed');
  await finger.photograph('Take the photo', door);
  await finger.sees('Where is this change now?');
  await finger.tap('Close');
  await finger.sees('1 file left');
  await phone.shot('tick-half');
  expect(await faultsOf(phone.page)).toEqual([]);
  finger.count();
  await finger.tap('Stop 1: 1 file left');
  expect(finger.count()).toEqual({ taps: 1, fields: 0 });
  await finger.sees('At the server, in part');
  await finger.sees('1 file is still here and goes by itself.');
  await phone.shot('tick-half-why');
  await finger.tap('Close');
  await phone.context.unroute(/uploads|files|tus/);
  await phone.goOnline();
  await finger.sees('Back office');
  await finger.tap('Stop 1: Back office');
  await finger.sees('At the back office');
});

test('A13: a diamond while the host refuses a value, and a tick after the office’s repair', async () => {
  const { library, rest } = world.service;
  await library.pool.query(
    `create function refuse() returns trigger language plpgsql as $$
     begin
       if new.rucmt like 'BAD%' then raise exception 'RUCMT is not wanted'; end if;
       return new;
     end $$`,
  );
  await library.pool.query(
    'create trigger refuse before insert or update on poddta.rtstup for each row execute function refuse()',
  );
  const phone = await world.phone();
  const finger = await phone.start();
  await phone.signIn(day.driver);
  await finger.tap('Open stop 1');
  await finger.tap('Comment');
  await finger.type('What should the office know?', 'BAD dock');
  await finger.tap('Keep the comment');
  await finger.tap('Deliver');
  await finger.tap('Close');
  await finger.sees('Office checks');
  await phone.shot('tick-diamond');
  finger.count();
  await finger.tap('Stop 1: Office checks');
  expect(finger.count()).toEqual({ taps: 1, fields: 0 });
  await finger.sees('The back office refuses a value.');
  await finger.sees('there is nothing for you to do');
  await phone.shot('tick-diamond-why');
  expect(await faultsOf(phone.page)).toEqual([]);
  await finger.tap('Close');
  await finger.tap('My day');
  await finger.sees('Not all at the office yet');
  await phone.shot('tick-diamond-day');
  await finger.tap('Route');
  await library.pool.query('drop trigger refuse on poddta.rtstup');
  for (const { parked_id } of await rest.take(operations.listParked, { headers }))
    await rest.call(operations.retryParked, { headers, params: { parked_id } });
  await finger.sees('Back office');
});

test('A17: a change that the server could not apply waits in the inbox, and the office’s answer replaces it', async () => {
  const { database, rest } = world.service;
  // Only PostgreSQL refuses this; the rules accept it.
  await database.pool.query(`alter table stop_result add constraint no_poison check (doc not like '%arsenic%')`);
  const phone = await world.phone();
  let finger = await phone.start();
  await phone.signIn(long.driver);
  await phone.untilInstalled();
  await finger.tap('Open stop 1');
  await finger.tap('Comment');
  await finger.type('What should the office know?', 'old lace and arsenic');
  await finger.tap('Keep the comment');
  await finger.tap('Deliver');
  await finger.tap('Close');
  await finger.sees('1 new');
  // The stop is open again; the route says why.
  await finger.sees('Office checks');
  await phone.shot('review-route');
  finger.count();
  await finger.tap('Inbox');
  expect(finger.count()).toEqual({ taps: 1, fields: 0 });
  await finger.sees('The office is looking at your change of stop 1');
  await finger.sees('The server had a fault of its own with it. It is kept as you recorded it.');
  await finger.sees('The server’s words: Something failed on our side.');
  await phone.shot('inbox-review');
  expect(await faultsOf(phone.page)).toEqual([]);
  await finger.tap('Seen');
  // Seen, it stays until the office has decided: it explains a day that is not complete.
  await finger.sees('The office is looking at your change of stop 1');
  const [entry] = await rest.take(operations.listQuarantine, { headers });
  await rest.call(operations.dismissQuarantined, {
    headers,
    params: { quarantine_id: entry?.quarantine_id ?? '' },
    body: { reason: 'Delivered on paper', by: 'MARYB' },
  });
  await finger.sees('The office put your change of stop 1 aside');
  await finger.sees('Delivered on paper (MARYB)');
  await phone.shot('inbox-answered');
  expect(await faultsOf(phone.page)).toEqual([]);
  finger = await phone.restart();
  await finger.tap('Inbox');
  await finger.sees('Delivered on paper');
  await finger.tap('Seen');
  await finger.sees('Nothing new');
});

test('A13: a stop that another phone has recorded says so, with its proof', async () => {
  const phone = await world.phone();
  const finger = await phone.start();
  await phone.signIn(short.driver);
  await phone.page.evaluate(() => void (location.hash = '#/stop/2'));
  await finger.tap('Deliver');
  await finger.sees('Where is this delivery now?');
  await world.untilOnHost(short.key, (stops) => stops.some(({ stop, status }) => stop === 2 && status === 'D'));
  const other = await world.phone();
  const second = await other.start();
  await other.signIn(short.driver);
  await other.shot('tick-elsewhere');
  expect(await faultsOf(other.page)).toEqual([]);
  await second.tap('Stop 2: Elsewhere');
  await second.sees('Recorded elsewhere');
  await second.tap('Get the proof');
  await second.sees('proof_R200_2.pdf is ready.');
});

test('A17: a delivery that arrives after the close says so in the inbox until it is seen', async () => {
  await world.register('1005');
  const phone = await world.phone();
  const finger = await phone.start();
  await phone.signIn('1005');
  await phone.untilInstalled();
  await phone.untilStored(2);
  await phone.goOffline();
  await finger.tap('Open stop 1');
  await finger.tap('Deliver');
  await finger.tap('Close');
  const { date, time } = hostMoment(new Date(), zone);
  await world.service.clerk.transaction(async (tx) => {
    await tx.execute(
      `update PODDTA.RTHDRP set RHPODS = 'C', RHCLDT = ?, RHCLTM = ?, RHCLBY = 'D' where RHRTE = 'R400'`,
      [date, time],
    );
  });
  await expect
    .poll(async () => {
      const { rows } = await world.service.database.pool.query<{ status: string }>(
        `select status from route where id = 'R400'`,
      );
      return rows[0]?.status;
    })
    .toBe('C');
  await phone.goOnline();
  await finger.tap('Inbox');
  await finger.sees('The route was closed before it arrived.');
  await phone.shot('inbox-remark');
  expect(await faultsOf(phone.page)).toEqual([]);
  await finger.tap('Seen');
  await finger.seesNo('The route was closed before it arrived.');
});

test('A17: two entries for one field are shown side by side, and the later one counts without a question', async () => {
  const phone = await world.phone();
  const finger = await phone.start();
  await phone.signIn(day.driver);
  await finger.tap('Open stop 2');
  await finger.tap('Comment');
  await finger.type('What should the office know?', 'dock 4');
  await finger.tap('Keep the comment');
  await finger.tap('Deliver');
  await finger.tap('Close');
  await world.untilOnHost(day.key, (stops) => stops.some(({ stop, status }) => stop === 2 && status === 'D'));
  await finger.sees('Back office');
  await phone.goOffline();
  await finger.tap('Stop 2 2 Halsted');
  await finger.tap('Comment');
  await finger.type('What should the office know?', 'dock 5');
  await finger.tap('Keep the comment');
  await finger.sees('Corrected');
  await world.service.clerk.transaction(async (tx) => {
    await tx.execute(`update PODDTA.RTSTUP set RUCMT = 'dock 6' where RURTE = '${day.key.id}' and RUSTP = 2`);
  });
  await expect
    .poll(async () => {
      const { rows } = await world.service.database.pool.query<{ n: number }>(
        `select count(*)::int as n from ledger where source = 'office' and stop_id = 2`,
      );
      return rows[0]?.n;
    })
    .toBe(1);
  await phone.goOnline();
  await finger.tap('Back to the route');
  await finger.tap('Inbox');
  await finger.sees('You and another person both changed stop 2');
  await finger.sees('dock 5');
  await finger.sees('dock 6');
  await finger.sees('counts, it is the later one');
  await phone.shot('inbox-conflict');
  expect(await faultsOf(phone.page)).toEqual([]);
  await finger.tap('Seen');
});
