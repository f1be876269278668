import { beforeAll, expect, test } from 'vitest';
import { cameraPhoto, filesOnPhone } from './stored-files.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

const photos = 20;

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register(routes.short.driver);
});

test(
  'A10: 20 photos of 12 megapixels in a row are stored one after the other, and taps answer meanwhile',
  { timeout: 300_000 },
  async ({ annotate }) => {
    const phone = await world.phone();
    const finger = await phone.start();
    await phone.signIn(routes.short.driver);
    await phone.untilInstalled();
    const taken = [];
    for (let seed = 0; seed < photos; seed++) taken.push(await cameraPhoto(phone.page, 100 + seed));
    await phone.goOffline();
    await finger.tap('Open stop 1');
    await finger.tap('Photos');
    await finger.sees('Of the whole stop');
    finger.count();
    const start = performance.now();
    for (const [place, photo] of taken.entries()) {
      await finger.photograph(place === 0 ? 'Take a photo' : 'Another photo', photo);
      // The button has another name from the first photo on.
      if (place === 0) await finger.sees('Another photo');
    }
    expect(finger.count()).toEqual({ taps: 2 * photos, fields: 0 });
    const shot = performance.now();
    const storedAtLastShutter = (await filesOnPhone(phone.page)).length;
    // Photos that wait hold no tap up: the driver leaves, counts a line, and comes back.
    await finger.tap('Close');
    await finger.tap('Paper Towels 12 ct');
    await finger.tap('One less');
    await finger.sees('1 less');
    const answered = performance.now();
    await finger.tap('Close, nothing is changed');
    await expect.poll(async () => (await filesOnPhone(phone.page)).length, { timeout: 120_000 }).toBe(photos);
    const stored = performance.now();
    const devtools = await phone.context.newCDPSession(phone.page);
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    await annotate(
      `shutters ${seconds(start, shot)}, ${storedAtLastShutter} stored by then; four taps ${seconds(shot, answered)}; ` +
        `all stored ${seconds(start, stored)}; heap ${Math.round(usedSize / 1e6)} MB`,
    );
    await finger.sees(`Photos ${photos}`);
    await phone.shot('twenty-photos');
    // A kill loses none.
    const again = await phone.restart();
    await again.tap('Open stop 1');
    await again.sees(`Photos ${photos}`);
  },
);

const seconds = (from: number, to: number): string => `${((to - from) / 1000).toFixed(1)} s`;
