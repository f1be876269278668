import { expect, test } from 'vitest';
import { openPageWorld, routes } from '../pages/world.ts';

// A server, a host and a browser start here, and the undo window passes: a busy machine takes half a minute.
const limit = { timeout: 180_000 };

test('a stop of a dead zone is on the host after two kills of the driver app', limit, async () => {
  const world = await openPageWorld();
  const { driver, key } = routes.day;
  await world.register(driver);
  const phone = await world.phone();
  let finger = await phone.start();
  await phone.signIn(driver);
  await phone.untilInstalled();
  await phone.untilStored(13);
  await phone.shot('route');

  await phone.goOffline();
  finger = await phone.restart();
  await finger.sees('No network');
  await finger.tap('Open stop 1');
  await phone.shot('stop');
  await finger.tap('Deliver 52 without');
  expect(finger.count()).toEqual({ taps: 2, fields: 0 });
  await finger.sees('On this phone');
  await phone.shot('delivered-offline');
  finger = await phone.restart();
  await finger.sees('1 of 13 stops done');

  await phone.goOnline();
  await world.untilOnHost(key, (stops) => stops.some(({ stop, status }) => stop === 1 && status === 'D'));
  await finger.sees('Back office');
});
