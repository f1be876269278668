import { operations } from '@tailgate/sync-protocol';
import { beforeAll, expect, test } from 'vitest';
import { password } from '../support/people.ts';
import type { Finger } from './finger.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

const { day, short } = routes;
const changed = `${password} again`;
let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register(day.driver, short.driver);
});

test('two drivers share a phone: work that awaits a sign-in stays, goes with it, and each row has its driver', async () => {
  const phone = await world.phone();
  const finger = await phone.start();
  await phone.signIn(day.driver);
  await phone.untilInstalled();
  await phone.goOffline();
  await finger.tap('Open stop 1');
  await deliver(finger);
  await finger.tap('Close');
  await finger.tap('My day');
  await finger.sees('Signing out loses nothing.');
  await finger.tap('Sign out');
  await finger.sees('1 change by');
  // The driver changes the password elsewhere, and the server was restored: it does not know the queue's own key.
  await world.service.rest.take(operations.updatePassword, {
    body: { employee_id: day.driver, current_password: password, new_password: changed },
  });
  await world.service.database.pool.query(`update client set queue_key_hash = sha256('another')`);

  await phone.goOnline();
  await signIn(finger, short.driver);
  await finger.tap('Open stop 1');
  await deliver(finger);
  await finger.sees('At the back office');
  await finger.tap('Close');
  await finger.tap('My day');
  await finger.sees('to sign in here once.');
  await phone.shot('shared-phone-day');
  expect(await recorded()).toEqual([`${short.driver} R200 1`]);
  await finger.tap('Sign out');
  await finger.sees('They wait for the next sign-in of');
  await phone.shot('shared-phone-waits');

  await signIn(finger, day.driver, changed);
  await world.untilOnHost(day.key, (stops) => stops.some(({ stop, status }) => stop === 1 && status === 'D'));
  expect(await recorded()).toEqual([`${day.driver} R100 1`, `${short.driver} R200 1`]);
  const rows = await world.service.show('RTSTUP', `RUSTS = 'D'`);
  expect(rows.map(({ RURTE, RUDRV }) => `${String(RURTE).trim()} ${String(RUDRV).trim()}`)).toEqual([
    `R100 ${day.driver}`,
    `R200 ${short.driver}`,
  ]);
});

async function signIn(finger: Finger, driver: string, word = password): Promise<void> {
  await finger.type('Employee number', driver);
  await finger.type('Password', word);
  await finger.tap('Sign in');
  await finger.sees('Next · stop');
}

async function deliver(finger: Finger): Promise<void> {
  await finger.tap('Deliver');
  await finger.sees('Where is this delivery now?');
}

/** The recorded changes: driver, route and stop. */
async function recorded(): Promise<string[]> {
  const { rows } = await world.service.database.pool.query<{ what: string }>(
    `select employee || ' ' || route_id || ' ' || stop_id as what from ledger where source = 'sync' order by 1`,
  );
  return rows.map(({ what }) => what);
}
