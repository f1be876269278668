import { beforeAll, expect, test } from 'vitest';
import { faultsOf } from './looks.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

const { driver } = routes.day;

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld({ env: { LEGACY_MODE: 'shadow' } });
  await world.register(driver);
});

test('a stop in shadow says that the office never gets it, and where its proof is', async () => {
  const phone = await world.phone();
  const finger = await phone.start();
  await phone.signIn(driver);
  await finger.tap('Open stop 1');
  await finger.tap('Deliver');
  await finger.tap('Close');
  await finger.tap('Stop 1: Trial, not sent');
  await finger.sees('Not sent to the back office');
  await finger.sees('Your depot only tries this app: its present system has this stop on record.');
  await finger.seesNo('It writes each stop within about a minute.');
  await finger.seesNo('Proof of this stop');
  await phone.shot('shadow');
  expect(await faultsOf(phone.page)).toEqual([]);

  // Another phone of the driver has no receipt of the change: it asks the server.
  const other = await world.phone();
  const hand = await other.start();
  await other.signIn(driver);
  await hand.tap('Stop 1: Elsewhere');
  await hand.sees('Recorded elsewhere');
  await hand.tap('Get the proof');
  await hand.sees('its present system has this stop on record, and gives its proof.');
  await other.shot('shadow-proof');
  expect(await faultsOf(other.page)).toEqual([]);
});
