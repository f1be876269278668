import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { cameraPhoto, filesOnPhone } from './stored-files.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

const { driver, key } = routes.short;
/** The app with its barcode reader and a route take a third of it. */
const littleRoom = 16_000_000;
const tick = 'It survives a restart or an empty battery.';

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register(driver);
});

test('a full phone says so, keeps what is recorded, and goes on as soon as there is room', async () => {
  const phone = await world.phone({ quota: littleRoom });
  let finger = await phone.start();
  await phone.signIn(driver);
  await phone.untilInstalled();
  await phone.untilStored(3);
  const photo = await cameraPhoto(phone.page, 23);
  await phone.goOffline();
  await finger.tap('Open stop 1');
  await finger.tap('Deliver');
  await finger.sees(tick);

  await fill(phone.page);
  await finger.tap('Go on to stop 2');
  // The driver closes the sheet at once: the stop tells that the photo is lost.
  await finger.tap('Photos');
  await finger.photograph('Take a photo', photo);
  await finger.tap('Close');
  await finger.sees('This phone is full. Free some space, then take the photo again.');
  await phone.shot('lost-photo');
  await finger.tap('Photos of stop 2');
  await finger.tap('Close');
  await finger.seesNo('then take the photo again');
  await finger.tap('Beef Patties 10 lb');
  await finger.tap('One less');
  await finger.tap('Damaged');
  await finger.photograph('Take a photo', photo);
  await finger.sees('This phone is full. Free some space, then take the photo again.');
  await phone.shot('full-photo');
  expect(await filesOnPhone(phone.page)).toEqual([]);
  await finger.tap('Save');
  await finger.tap('Deliver');
  await finger.sees('Saving on this phone');
  expect(await finger.read()).not.toContain(tick);
  await finger.tap('Close');
  await finger.sees('The phone is full. Free some space, then this is saved.');
  await phone.shot('full-route');

  // Killed while it is full: the app opens, and has all that had a tick.
  finger = await phone.restart();
  await finger.sees('1 of 3 stops done');
  await finger.tap('Open stop 2');
  await finger.tap('Deliver');
  await finger.sees('Saving on this phone');
  await phone.page.evaluate(freeStorage);
  await finger.sees(tick);
  await finger.tap('Close');
  await finger.seesNo('The phone is full.');

  await phone.goOnline();
  await world.untilOnHost(key, (rows) => rows.filter(({ status }) => status === 'D').length === 2);
  await finger.sees('Connected. All is saved.');
});

/** Fills the phone until nothing fits for a while: deleted rows leave the disk late. */
async function fill(page: Page): Promise<void> {
  let [rounds, before] = [0, -1];
  const isFull = async (): Promise<boolean> => {
    const written = await page.evaluate(fillStorage);
    rounds = written === 0 && before === 0 ? rounds + 1 : 0;
    before = written;
    return rounds === 3;
  };
  await expect.poll(isFull, { interval: 300 }).toBe(true);
}

/**
 * Runs in the page: other data takes the app's reserve, and then what is left, to the last bytes. Returns how many were
 * written.
 */
async function fillStorage(): Promise<number> {
  const opened = (name: string): Promise<IDBDatabase> =>
    new Promise((resolve, reject) => {
      const opening = indexedDB.open(name);
      opening.addEventListener('upgradeneeded', () =>
        opening.result.createObjectStore('film', { autoIncrement: true }),
      );
      opening.addEventListener('success', () => resolve(opening.result));
      opening.addEventListener('error', () => reject(opening.error ?? new Error('no database')));
    });
  const done = (transaction: IDBTransaction): Promise<boolean> =>
    new Promise((resolve) => {
      transaction.addEventListener('complete', () => resolve(true));
      transaction.addEventListener('abort', () => resolve(false));
    });
  const [app, films] = [await opened('tailgate'), await opened('films')];
  const releasing = app.transaction('setting', 'readwrite');
  releasing.objectStore('setting').delete('reserve');
  await done(releasing);
  app.close();
  const write = (bytes: number): Promise<boolean> => {
    const transaction = films.transaction('film', 'readwrite');
    transaction.objectStore('film').add(crypto.getRandomValues(new Uint8Array(bytes)));
    return done(transaction);
  };
  let written = 0;
  for (const bytes of [65_536, 16_384, 4_096, 1_024, 256]) while (await write(bytes)) written += bytes;
  films.close();
  return written;
}

function freeStorage(): Promise<void> {
  return new Promise((resolve, reject) => {
    const deleting = indexedDB.deleteDatabase('films');
    deleting.addEventListener('success', () => resolve());
    deleting.addEventListener('error', () => reject(deleting.error ?? new Error('the films stay')));
  });
}
