import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { writeFilm } from './barcode-film.ts';
import { faultsOf } from './looks.ts';
import { cameraPhoto, filesOnPhone } from './stored-files.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

/** A number that no route has. */
const unknown = '4006381333931';

let world: PageWorld;
beforeAll(async () => {
  const film = join(await temporaryFolder(), 'film.y4m');
  await writeFilm(film, unknown);
  world = await openPageWorld({}, [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-video-capture=${film}`,
  ]);
  await world.register(routes.short.driver);
});

test('from the second start on, no scan, photo, signature or screen needs the network', async () => {
  const phone = await world.phone();
  let finger = await phone.start();
  await phone.signIn(routes.short.driver);
  await phone.untilInstalled();
  await phone.untilStored(3);
  await phone.goOffline();
  await phone.kill();

  // No part of the app was opened yet, and the browser's own cache is empty.
  finger = await phone.start();
  const devtools = await phone.context.newCDPSession(phone.page);
  await devtools.send('Network.clearBrowserCache');
  const photo = await cameraPhoto(phone.page, 29, [800, 600]);
  await finger.tap('Café Söderberg');
  await finger.tap('Scan or type a number');
  await finger.sees(unknown);
  await finger.tap('Leave it here');
  await finger.tap('Back to stop 2');
  await finger.tap('Beef Patties 10 lb');
  await finger.tap('One less');
  await finger.tap('Damaged');
  await finger.photograph('Take a photo', photo);
  await finger.sees('Another photo');
  await finger.tap('Save');
  await finger.tap('Name and signature');
  await finger.type('Name of the person who signs', 'Ana Reyes');
  await finger.draw('Signature field');
  await finger.tap('Done');
  await finger.tap('Deliver');
  await finger.sees('Its files');
  expect(await filesOnPhone(phone.page)).toHaveLength(2);
  for (const [place, text] of [
    ['#/inbox', 'Nothing new.'],
    ['#/day/support', 'app tailgate-driver'],
    ['#/close', 'You are still on the road.'],
    ['#/load', 'all five ratings'],
    ['#/display', 'Español'],
    ['#/stop/1/history', 'History of stop 1'],
    ['#/stop/1/skip', 'Out of hours'],
  ] as const) {
    await phone.page.evaluate((hash) => void (location.hash = hash), place);
    await finger.sees(text);
  }
});

test('a network that ends before the worker is there: the missing screen says so, and opens by itself', async () => {
  const phone = await world.phone();
  await world.network.accept();
  await phone.context.addInitScript(loseFirstInstallation);
  const finger = await phone.start();
  await phone.signIn(routes.short.driver);
  await phone.goOffline();
  await finger.tap('My day');
  await finger.sees('This screen is not on the phone yet.');
  expect(await faultsOf(phone.page)).toEqual([]);
  await phone.shot('missing-screen');
  await finger.tap('Close');
  await finger.tap('Open stop 1');
  await finger.sees('Stop 1 of 3');
  await finger.tap('Back to the route');
  await finger.tap('My day');
  await finger.sees('This screen is not on the phone yet.');

  await phone.goOnline();
  await finger.sees('only on this phone');
  await phone.untilInstalled();
});

test('a delivery without a network asks the browser to wake the app’s worker later', async () => {
  const phone = await world.phone();
  await world.network.accept();
  await phone.context.addInitScript(noteSync);
  const finger = await phone.start();
  await phone.signIn(routes.short.driver);
  await phone.untilInstalled();
  await phone.goOffline();
  const asked = () => phone.page.evaluate(() => document.documentElement.dataset['sync']);
  expect(await asked()).toBeUndefined();
  await finger.tap('Open stop');
  await finger.tap('More');
  await finger.tap('Skip this stop');
  await finger.tap('Out of hours');
  await finger.tap('Skip stop');
  await finger.sees('Where is this change now?');
  await expect.poll(asked).toBe('tailgate-drain');
  await phone.goOnline();
});

/** Notes the tag of each background sync that the page asks for. */
function noteSync(): void {
  const manager: unknown = Reflect.get(globalThis, 'SyncManager');
  if (typeof manager !== 'function') throw new Error('this browser has no background sync');
  Reflect.set(Object(manager.prototype), 'register', (tag: string) => {
    document.documentElement.dataset['sync'] = tag;
    return Promise.resolve();
  });
}

/** The first registration of the worker of a new phone fails, as in a network that ends. */
function loseFirstInstallation(): void {
  const { serviceWorker } = navigator;
  const value = (): Promise<never> => {
    Reflect.deleteProperty(serviceWorker, 'register');
    return Promise.reject(new TypeError('Failed to fetch'));
  };
  Object.defineProperty(serviceWorker, 'register', { configurable: true, value });
}
