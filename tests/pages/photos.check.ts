import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { download } from '../support/uploads.ts';
import { textSizes } from './sampling.ts';
import { cameraPhoto, decode, filesOnPhone, hashOf, hashOnPhone } from './stored-files.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

const { day, short, long } = routes;
let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register(day.driver, short.driver, long.driver);
});
afterEach(() => world.network.accept());

describe.each(textSizes)('with text at $textPercent percent', ({ textPercent }) => {
  test('A5, A10: 2 of a line are damaged, with the exact reason and a photo, by 7 taps; photos are taken again and deleted', async () => {
    const phone = await world.phone({ textPercent });
    const finger = await phone.start();
    await phone.signIn(long.driver);
    const [crate, better, label] = [
      await cameraPhoto(phone.page, 3, [800, 600]),
      await cameraPhoto(phone.page, 5, [800, 600]),
      await cameraPhoto(phone.page, 7, [800, 600]),
    ];
    await finger.tap('Show');
    await finger.tap(`Prairie Mart #${textPercent === 100 ? 21 : 22}`);
    finger.count();
    // From the stop to the saved line: a long list is folded, the shutter counts, and the photo saves.
    await finger.tap('Cases');
    await finger.tap('Large Eggs');
    await finger.tap('One less');
    await finger.tap('One less');
    await finger.tap('Spoiled or melted');
    await phone.shot(`photo-asked-${textPercent}`);
    await finger.photograph('Take the photo', crate);
    await finger.sees('2 spoiled or melted');
    expect(finger.count()).toEqual({ taps: 7, fields: 0 });
    expect(await finger.read()).not.toContain('photo of');
    await finger.tap('Large Eggs');
    await finger.sees('Another photo');
    await phone.shot(`photo-${textPercent}`);
    finger.count();
    await finger.photograph('Another photo', label);
    await expect.poll(() => filesOnPhone(phone.page)).toHaveLength(2);
    expect(finger.count()).toEqual({ taps: 2, fields: 0 });

    await finger.photograph('Take photo 1 again', better);
    await expect.poll(() => filesOnPhone(phone.page)).toHaveLength(3);
    expect(finger.count()).toEqual({ taps: 2, fields: 0 });
    await finger.tap('Delete photo 2');
    expect(finger.count()).toEqual({ taps: 1, fields: 0 });
    await finger.tap('Bring back');
    await finger.tap('Delete photo 2');
    await phone.shot(`photo-deleted-${textPercent}`);
    await finger.tap('Save');
    await finger.sees('2 spoiled or melted');
    expect(await finger.read()).not.toContain('photo of');
  });
});

test('offline, a delivery with photos and a signature stays on the phone, and all of it arrives later', async () => {
  const phone = await world.phone({ width: 390, height: 844 });
  let finger = await phone.start();
  await phone.signIn(day.driver);
  await phone.untilInstalled();
  const [bad, good, second] = [
    await cameraPhoto(phone.page, 7),
    await cameraPhoto(phone.page, 11),
    await cameraPhoto(phone.page, 13),
  ];
  await phone.goOffline();
  await finger.tap('Open stop 1');
  await finger.tap('Large Eggs');
  await finger.tap('One less');
  await finger.tap('Damaged');
  await finger.sees('this reason asks for one');
  await finger.photograph('Take a photo', bad);
  await finger.sees('Another photo');
  // The shutter of the second photo: the camera is open, and the page ends.
  const opened = phone.page.waitForEvent('filechooser');
  await finger.tap('Another photo');
  await opened;

  // Android ends a page while the camera is open: the count, the reason and the photo before it are kept.
  finger = await phone.restart();
  await finger.tap('Open stop 1');
  await finger.tap('Large Eggs');
  await finger.sees('Why 1 less?');
  await finger.photograph('Take photo 1 again', good);
  await expect.poll(() => filesOnPhone(phone.page)).toHaveLength(2);
  await finger.photograph('Another photo', second);
  await expect.poll(() => phone.page.evaluate(thumbnails)).toBe(2);
  await phone.shot('photo-after-kill');
  await finger.tap('Save');
  // The photo that was taken again has left the phone.
  await expect.poll(() => filesOnPhone(phone.page)).toHaveLength(2);
  await finger.tap('Name and signature');
  await finger.type('Name of the person who signs', 'Nils Petersen');
  await finger.draw('Signature field');
  await finger.tap('Done');
  await finger.tap('Deliver');
  await finger.sees('Its files');
  await phone.shot('files-offline');
  const stored = await filesOnPhone(phone.page);
  expect(stored).toHaveLength(3);
  const hashes = await Promise.all(stored.map((id) => hashOnPhone(phone.page, id)));

  finger = await phone.restart();
  await phone.goOnline();
  const where = `OSFAC = 'F01' and OSRTE = 'R100' and OSWKE = '${day.key.week_end}' and OSSTP = 1`;
  await expect.poll(async () => (await world.service.show('RTOSDP', where)).length).toBe(2);
  const rows = await world.service.show('RTOSDP', where);
  expect(rows.map(({ OSQTY }) => Number(OSQTY))).toEqual([1, 0]);
  const photos = rows.map(({ OSIMG }) => String(OSIMG).trim());
  expect(stored).toEqual(expect.arrayContaining(photos));
  for (const [place, id] of stored.entries()) {
    await expect.poll(async () => (await download(world.service.rest, id)).status).toBe(200);
    const { bytes, headers } = await download(world.service.rest, id);
    expect(hashOf(bytes)).toBe(hashes[place]);
    const isPhoto = photos.includes(id);
    expect(headers.get('content-type')).toBe(isPhoto ? 'image/jpeg' : 'image/png');
    // A camera's photo is reduced on the phone.
    expect(await decode(phone.page, bytes)).toMatchObject(
      isPhoto ? { width: 1920, height: 1440 } : { isOnWhite: true },
    );
  }
  await finger.tap('Stop 1: Back office');
  await finger.sees('At the back office');
  await phone.shot('files-online');
});

test('a skip whose reason asks for a photo carries it, and a kill before the photo loses none of its entries', async () => {
  const phone = await world.phone();
  let finger = await phone.start();
  await phone.signIn(short.driver);
  const door = await cameraPhoto(phone.page, 17, [800, 600]);
  const open = (hash: string) => phone.page.evaluate((to) => void (location.hash = to), hash);
  await finger.tap('Open stop 1');
  await finger.tap('Paper Towels 12 ct');
  await finger.tap('One less');
  await open('#/stop/1/comment');
  await finger.type('What should the office know?', 'Ring twice');
  await open('#/stop/1');
  await finger.sees('Ring twice');
  finger.count();
  await finger.tap('More');
  await finger.tap('Skip this stop');
  await finger.tap('Store closed');
  await finger.sees('This reason asks for a photo.');
  await finger.sees('Skip without a photo');
  await phone.shot('skip-photo');
  const before = finger.count();
  await finger.type('Comment', 'The gate is locked');
  // The disk has the last key before the camera takes the phone's memory.
  await expect.poll(() => phone.page.evaluate(draftsStored)).toContain('The gate is locked');
  finger = await phone.restart();
  await finger.tap('Open stop 1');
  await finger.sees('Ring twice');
  await finger.tap('Paper Towels 12 ct');
  await finger.sees('Choose why first');
  await finger.tap('Close, nothing is changed');
  await finger.tap('More');
  await finger.tap('Skip this stop');
  finger.count();
  expect(await phone.page.locator('dialog textarea').inputValue()).toBe('The gate is locked');
  await finger.photograph('Take the photo', door);
  expect(before.taps + finger.count().taps).toBe(5);
  await finger.sees('Its files');
  const [photo] = await filesOnPhone(phone.page);
  await world.untilOnHost(short.key, (rows) => rows.some(({ stop, status }) => stop === 1 && status === 'S'));
  await expect.poll(async () => (await download(world.service.rest, photo ?? '')).status).toBe(200);
});

test('photos of a stop, of what goes back and of what is not on the list are one tap away, and reach the host', async () => {
  const phone = await world.phone();
  let finger = await phone.start();
  await phone.signIn(short.driver);
  const photos = [];
  for (const seed of [21, 23, 25]) photos.push(await cameraPhoto(phone.page, seed, [800, 600]));
  const [dock, pallets, box] = photos;
  if (!dock || !pallets || !box) throw new Error('no photos');
  await finger.tap('Open stop 2');
  await finger.tap('Photos');
  // A photo arrives by itself, a while after the shutter: nothing moves under the finger.
  const close = phone.page.getByRole('button', { name: 'Close' });
  const [closeAt, shutterAt] = [await close.boundingBox(), await phone.page.getByText('Take a photo').boundingBox()];
  await finger.photograph('Take a photo', dock);
  await finger.sees('Another photo');
  await finger.sees('Keep 1 photo');
  expect(await close.boundingBox()).toEqual(closeAt);
  expect((await phone.page.getByText('Another photo').boundingBox())?.y).toBe(shutterAt?.y);
  // The phone has it before the sheet is closed.
  await expect.poll(() => phone.stored('setting', 'draft/')).toBe(1);
  finger = await phone.restart();
  await finger.tap('Open stop 2');
  await finger.tap('Empty Pallets');
  await finger.photograph('Take a photo', pallets);
  await finger.sees('Another photo');
  await phone.shot('return-photo');
  await finger.tap('Keep');
  await finger.scan('4006381333931');
  await finger.tap('Leave it here');
  await finger.tap('Back to stop 2');
  await finger.tap('4006381333931');
  // The first photo moves nothing below it.
  const below = async (): Promise<number> => {
    const [row, comment] = [
      await phone.page.locator('.photos').boundingBox(),
      await phone.page.locator('textarea').boundingBox(),
    ];
    return (comment?.y ?? NaN) - (row?.y ?? NaN);
  };
  const before = await below();
  await finger.photograph('Take a photo', box);
  await finger.sees('Take photo 1 again');
  await expect.poll(below).toBe(before);
  await phone.shot('overage-photo');
  await finger.tap('Keep 1');
  await finger.tap('Photos');
  await finger.sees('Of its lines');
  await finger.sees('Empty Pallets');
  await phone.shot('photos-of-stop');
  await finger.tap('Keep 1 photo');
  await finger.tap('Deliver');
  await finger.sees('Its files');
  const ids = await filesOnPhone(phone.page);
  expect(ids).toHaveLength(3);
  for (const id of ids) await expect.poll(async () => (await download(world.service.rest, id)).status).toBe(200);
  const where = `OSRTE = 'R200' and OSSTP = 2`;
  await expect.poll(() => world.service.show('RTOSDP', where)).toMatchObject([{ OSBAR: '4006381333931' }]);
});

test('a photo that a correction deletes returns with its undo, and reaches the server', async () => {
  const phone = await world.phone();
  const finger = await phone.start();
  await phone.signIn(long.driver);
  const dock = await cameraPhoto(phone.page, 27, [800, 600]);
  await phone.goOffline();
  await phone.page.evaluate(() => void (location.hash = '#/stop/40'));
  await finger.tap('Photos');
  await finger.photograph('Take a photo', dock);
  await finger.tap('Keep 1 photo');
  await finger.tap('Deliver');
  await finger.sees('Its files');
  const [photo = ''] = await filesOnPhone(phone.page);
  await phone.page.evaluate(() => void (location.hash = '#/stop/40/photos'));
  await finger.tap('Delete photo 1');
  await finger.tap('Keep 0 photos');
  await finger.sees('Corrected');
  await finger.tap('Undo');
  await finger.tap('Photos');
  await expect.poll(() => phone.page.evaluate(thumbnails)).toBe(1);
  expect(await filesOnPhone(phone.page)).toEqual([photo]);
  await phone.goOnline();
  await expect.poll(async () => (await download(world.service.rest, photo)).status).toBe(200);
});

/** The half-filled stops on the phone's disk, as text. */
const draftsStored = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open('tailgate');
    opening.onerror = () => reject(opening.error ?? new Error('the store cannot be opened'));
    opening.onsuccess = () => {
      const drafts = IDBKeyRange.bound('draft/', 'draft/\uffff');
      const reading = opening.result.transaction('setting').objectStore('setting').getAll(drafts);
      reading.onerror = () => reject(reading.error ?? new Error('the store cannot be read'));
      reading.onsuccess = () => {
        opening.result.close();
        resolve(JSON.stringify(reading.result));
      };
    };
  });

/** Photos that are drawn, not blank. */
function thumbnails(): number {
  return [...document.querySelectorAll('canvas')].filter((canvas) => {
    const pixel = canvas.getContext('2d')?.getImageData(100, 80, 1, 1).data;
    return (pixel?.[3] ?? 0) > 0;
  }).length;
}
