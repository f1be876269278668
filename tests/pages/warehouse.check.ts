import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { demoRoute } from '../system/service.ts';
import { faultsOf } from './looks.ts';
import type { Finger } from './finger.ts';
import { atTextSizes } from './sampling.ts';
import { cameraPhoto } from './stored-files.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register('1001', '1003', '1005');
});
afterEach(() => world.network.accept());

/** Rates the five sections of a load condition report, from the top. */
async function rate(finger: Finger, ...ratings: readonly string[]): Promise<void> {
  for (const [nth, rating] of ratings.entries()) await finger.tap(rating, { nth });
}

/** Runs in the page: holds the next photo back until the event `photo`. */
const holdPhoto = `
  const { convertToBlob } = OffscreenCanvas.prototype;
  OffscreenCanvas.prototype.convertToBlob = async function (...given) {
    OffscreenCanvas.prototype.convertToBlob = convertToBlob;
    await new Promise((resolve) => addEventListener('photo', resolve, { once: true }));
    return convertToBlob.apply(this, given);
  };
`;

/** Ratings on the host of a report whose id ends so. */
const hostRatings = async (end: string): Promise<string[]> => {
  const rows = await world.service.show('LCRSCP', `LSRPT like '%${end}%'`);
  return rows.map(({ LSKEY, LSRAT, LSRSN }) => [LSKEY, LSRAT, LSRSN].map((value) => String(value).trim()).join(' '));
};

describe.each(
  atTextSizes([
    { textPercent: 100, driver: '1003', route: routes.short.key, stops: 3 },
    { textPercent: 200, driver: '1005', route: demoRoute('R400'), stops: 2 },
  ]),
)('with text at $textPercent percent', ({ textPercent, driver, route, stops }) => {
  test('A9: five sections of the load condition report take six taps', async () => {
    const phone = await world.phone({ textPercent });
    const finger = await phone.start();
    await phone.signIn(driver);
    await finger.tap('Check the load before you leave');
    await finger.sees('all five ratings');
    await phone.shot(`load-empty-${textPercent}`);
    finger.count();
    await rate(finger, '4', '4', '5', '5', '3');
    await phone.shot(`load-rated-${textPercent}`);
    expect(await faultsOf(phone.page)).toEqual([]);
    await finger.tap('Save 5 ratings');
    expect(finger.count()).toEqual({ taps: 6, fields: 0 });
    await finger.sees('The load is checked');
    await expect.poll(() => hostRatings(`${driver}-leave`)).toHaveLength(5);
  });

  test('A9: arrival, ratings and close survive a dead zone and a kill, and the countdown is the office’s', async () => {
    const phone = await world.phone({ textPercent });
    let finger = await phone.start();
    await phone.signIn(driver);
    await phone.untilInstalled();
    await phone.untilStored(stops);
    await finger.tap('Open stop 1');
    for (let stop = 2; stop <= stops; stop++) {
      await finger.tap('Deliver');
      await finger.tap(`Go on to stop ${stop}`);
    }
    // The last stop remains open: the warehouse shows that.
    await finger.tap('Back to the route');
    await phone.goOffline();
    await finger.tap('Warehouse');
    await finger.sees('You are still on the road.');
    await phone.shot(`close-away-${textPercent}`);
    finger.count();
    await finger.tap('I am here');
    await finger.sees('The office gets it with the next network.');
    await finger.sees('1 stop is still open.');
    await rate(finger, '2', '4', '5');
    await finger.tap('Say why');
    await finger.type('What is wrong?', 'Leans to the left');
    await phone.shot(`close-note-${textPercent}`);
    expect(await faultsOf(phone.page)).toEqual([]);
    await finger.tap('Keep the note');
    await finger.sees('Leans to the left');
    finger = await phone.restart();
    await finger.tap('Warehouse');
    await finger.sees('trailer clean');
    await finger.sees('Leans to the left');
    await finger.tap(`Open stop ${stops}`);
    await finger.tap('Deliver');
    await finger.tap('Go on to the warehouse');

    await phone.goOnline();
    await finger.sees('The route closes by itself in');
    await phone.shot(`close-countdown-${textPercent}`);
    expect(await faultsOf(phone.page)).toEqual([]);
    finger.count();
    await finger.tap('5', { nth: 3 });
    await finger.tap('5', { nth: 4 });
    await finger.tap('Close the route now');
    expect(finger.count()).toEqual({ taps: 3, fields: 0 });
    await finger.sees('You closed the route');
    await phone.shot(`close-closing-${textPercent}`);
    expect(await faultsOf(phone.page)).toEqual([]);
    await finger.sees('The route is closed');
    await phone.shot(`close-closed-${textPercent}`);
    expect(await faultsOf(phone.page)).toEqual([]);
    await world.untilOnHost(route, (rows) => rows.some(({ stop, status }) => stop === 999 && status === 'D'));
    await expect
      .poll(() => hostRatings(`${driver}-return`))
      .toEqual([
        'stacking 2 Leans to the left',
        'product_in_place 4 ',
        'plastic_cooler_counts 5 ',
        'plastic_dry_counts 5 ',
        'trailer_cleanliness 5 ',
      ]);
  });

  test('a note that is too long shows a fault at its field, and blocks nothing else', async () => {
    const phone = await world.phone({ textPercent });
    const finger = await phone.start();
    await phone.signIn('1001');
    await finger.tap('Check the load before you leave');
    await rate(finger, '1');
    await finger.tap('Say why');
    await finger.type('What is wrong?', 'x'.repeat(101));
    await finger.sees('At most 100 characters.');
    await phone.shot(`load-fault-${textPercent}`);
    expect(await faultsOf(phone.page)).toEqual([]);
    await finger.tap('Keep the note');
    await finger.tap('Save 1 rating');
    await finger.sees('A note has to be shorter');
    await finger.tap('A note has to be shorter', { nth: 0 });
    await finger.type('What is wrong?', 'crushed');
    await finger.seesNo('At most 100 characters.');
    // The driver closes the sheet before its photo is stored.
    const photo = await cameraPhoto(phone.page, 23, [800, 600]);
    await phone.page.evaluate(holdPhoto);
    await finger.photograph('Take a photo', photo);
    await finger.tap('Close');
    await finger.seesNo('What is wrong?');
    await phone.page.evaluate(() => dispatchEvent(new Event('photo')));
    await finger.sees('crushed · 1 photo');
    await finger.tap('Save 1 rating');
    await finger.sees('The load is checked');
    await expect.poll(() => hostRatings('1001-leave')).toEqual(['stacking 1 crushed']);
  });
});
