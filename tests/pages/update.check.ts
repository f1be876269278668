import { afterEach, beforeAll, expect, test } from 'vitest';
import type { AppVersions } from './app-versions.ts';
import { openVersions } from './app-versions.ts';
import type { Finger } from './finger.ts';
import type { PagePhone } from './page-phone.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

let versions: AppVersions;
let world: PageWorld;
beforeAll(async () => {
  versions = await openVersions();
  world = await openPageWorld({ proxy: { pages: versions.url } });
  await world.register(routes.day.driver, routes.short.driver);
});
afterEach(() => world.network.accept());

test('a new version waits while a stop is open, and serves the next start with the half-filled stop', async () => {
  await versions.install('one');
  const phone = await world.phone();
  let finger = await phone.start();
  await phone.signIn(routes.day.driver);
  await phone.untilInstalled();
  await finger.sees('Then, version one');
  await finger.tap('Open stop 1');
  await finger.tap('Large Eggs');
  await finger.tap('One less');
  await finger.tap('Damaged');
  await finger.tap('Save');
  await finger.sees('1 damaged in transit');

  await versions.install('two');
  await phone.page.evaluate(async () => {
    const { ready } = navigator.serviceWorker;
    await (await ready).update();
  });
  await expect.poll(() => phone.page.evaluate(hasWaitingVersion)).toBe(true);
  // The stop stays open. A part that loads only now is one of the old version.
  await finger.sees('1 damaged in transit');
  await finger.tap('More');
  await finger.tap('Skip this stop');
  await finger.sees('Out of hours');
  await finger.tap('Close');
  await finger.tap('Back to the route');
  await finger.sees('Then, version one');

  finger = await untilStartShows(phone, 'Then, version two');
  await finger.tap('Open stop 1');
  await finger.sees('1 damaged in transit');
  await phone.shot('update');
});

test('a phone that missed three versions works with its own, and has the latest from the next start on', async () => {
  await versions.install('one');
  const phone = await world.phone();
  let finger = await phone.start();
  await phone.signIn(routes.short.driver);
  await phone.untilInstalled();
  await phone.untilStored(3);
  await phone.goOffline();
  for (const mark of ['two', 'three', 'four']) await versions.install(mark);

  finger = await phone.restart();
  await finger.sees('Then, version one');
  await finger.tap('Open stop 1');
  await finger.tap('Deliver');
  await finger.sees('It survives a restart or an empty battery.');
  await phone.goOnline();
  finger = await phone.restart();
  await finger.sees('Then, version one');
  await world.untilOnHost(routes.short.key, (stops) => stops.some(({ stop, status }) => stop === 1 && status === 'D'));
  await expect.poll(() => phone.page.evaluate(hasWaitingVersion)).toBe(true);
  await finger.tap('My day');
  await finger.sees('1 of 3 stops done');

  finger = await untilStartShows(phone, 'Then, version four');
  await finger.sees('1 of 3 stops done');
});

async function hasWaitingVersion(): Promise<boolean> {
  return (await navigator.serviceWorker.ready).waiting !== null;
}

/** Kills and starts the app: the browser exchanges the versions a moment after the last page has ended. */
async function untilStartShows(phone: PagePhone, text: string): Promise<Finger> {
  const shown = async (): Promise<string> => {
    const finger = await phone.restart();
    await finger.sees('Next · stop');
    return finger.read();
  };
  await expect.poll(shown, { interval: 1_000, timeout: 60_000 }).toContain(text);
  return phone.finger;
}
