import { beforeAll, expect, test } from 'vitest';
import { download } from '../support/uploads.ts';
import type { Finger } from './finger.ts';
import { cameraPhoto, filesOnPhone } from './stored-files.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

const { driver, key } = routes.day;
const unknown = '4006381333931';

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register(driver);
});

/** A whole day takes half a minute on an idle machine. */
const limit = { timeout: 300_000 };

test(
  'a whole day of 13 stops: taps are few, the middle of it has no network, and all of it is at the host',
  limit,
  async ({ annotate }) => {
    const phone = await world.phone();
    let finger = await phone.start();
    const [crushed, melted, dock] = [
      await cameraPhoto(phone.page, 31, [800, 600]),
      await cameraPhoto(phone.page, 33, [800, 600]),
      await cameraPhoto(phone.page, 35, [800, 600]),
    ];
    let taps = 0;
    let fields = 0;
    const done = async (what: string): Promise<void> => {
      const counted = finger.count();
      taps += counted.taps;
      fields += counted.fields;
      await annotate(`${what}: ${counted.taps} taps, ${counted.fields} fields`);
    };
    const look = (name: string): Promise<void> => phone.shot(`whole-day/${name}`);

    await look('01-sign-in');
    await phone.signIn(driver);
    await phone.untilInstalled();
    await phone.untilStored(13);
    await look('02-route');
    await done('sign-in');
    await finger.tap('Check the load before you leave');
    await finger.sees('all five ratings');
    await look('03-load');
    for (const [nth, rating] of ['4', '5', '5', '4', '2'].entries()) await finger.tap(rating, { nth });
    await look('04-load-rated');
    await finger.tap('Save 5 ratings');
    await done('load report');

    // Stop 1: 30 cartons are counted by hand, totes are counted, one carton of eggs is crushed.
    await finger.tap('Open stop 1');
    await look('05-stop-1');
    await finger.tap('I am here');
    await look('06-arrived');
    await finger.tap('Cigarettes Filter Kg');
    await look('07-line-to-scan');
    await finger.tap('Save 30');
    await finger.tap('Large Eggs');
    await finger.tap('One less');
    await look('08-less');
    await finger.tap('Damaged in transit');
    await look('09-photo-asked');
    await finger.photograph('Take the photo', crushed);
    await finger.sees('1 damaged in transit');
    await look('10-after-line');
    await finger.tap('Count Empty Plastic Totes');
    await look('11-totes');
    await finger.tap('Keep 4 back');
    await look('12-before-sign');
    await sign(finger, 'Ana Gil', look);
    await look('13-signed');
    await finger.tap('Deliver');
    await finger.sees('Where is this delivery now?');
    await look('14-delivered');
    await done('stop 1: scan by hand, damage with photo, totes, signature');

    // Stop 2: refused as a whole.
    await finger.tap('Go on to stop 2');
    await look('15-stop-2');
    await finger.tap('More');
    await finger.tap('Refused by the customer');
    await look('16-refuse');
    await finger.tap('Not ordered');
    await finger.tap('Refuse stop 2');
    await finger.sees('Where is this change now?');
    await look('17-refused');
    await done('stop 2: refused');

    // Stop 3: no signature, delivered as planned.
    await finger.tap('Go on to stop 3');
    await finger.tap('Deliver');
    await finger.sees('Where is this delivery now?');
    await done('stop 3: as planned');

    world.network.refuse();
    world.network.cut();
    await finger.sees('It goes by itself when there is a network.');
    // Stop 4: the shop is closed. The photo of the door goes with the skip.
    await finger.tap('Go on to stop 4');
    await finger.tap('More');
    await finger.tap('Skip this stop');
    await finger.tap('Store closed');
    await look('18-skip');
    await finger.photograph('Take the photo', dock);
    await finger.sees('Where is this change now?');
    await look('19-skipped-offline');
    await done('stop 4: skipped with a photo');

    // Stop 5: an item that is not on the list stays here.
    await finger.tap('Go on to stop 5');
    await finger.sees('Stop 5 of 13');
    await finger.scan(unknown);
    await look('20-unknown');
    await finger.tap('Leave it here');
    await look('21-left');
    await finger.tap('Back to stop 5');
    await finger.tap('Count all of it');
    await look('22-counts');
    await finger.tap('Keep 6 back');
    await look('23-stop-5');
    await sign(finger, 'Jo');
    await finger.tap('Deliver');
    await finger.sees('Where is this delivery now?');
    await done('stop 5: overage, counts, signature');

    // Stops 6 to 9 without a network; the phone dies in between.
    await finger.tap('Go on to stop 6');
    await look('24-stop-6');
    for (const stop of [7, 8]) {
      await finger.tap('Deliver');
      await finger.sees('Where is this delivery now?');
      await finger.tap(`Go on to stop ${stop}`);
    }
    await done('stops 6 and 7: as planned');
    await finger.tap('Ground Coffee');
    await look('25-count-needed');
    await finger.tap('Save 19');
    await look('26-stop-8');
    finger = await phone.restart();
    await finger.sees('No network');
    await look('27-route-offline');
    await finger.tap('Open stop 8');
    await finger.tap('Deliver');
    await finger.sees('Where is this delivery now?');
    await finger.tap('Go on to stop 9');
    await finger.tap('Cola 24 ct');
    await finger.tap('One less');
    await finger.tap('One less');
    await finger.tap('Spoiled or melted');
    await finger.photograph('Take the photo', melted);
    await finger.sees('2 spoiled or melted');
    await look('28-stop-9');
    await sign(finger, 'Pat Doe');
    await finger.tap('Deliver');
    await finger.sees('Where is this delivery now?');
    await done('stops 8 and 9: count, damage with photo, signature');

    await phone.goOnline();
    for (const stop of [10, 11, 12]) {
      await finger.tap(`Go on to stop ${stop}`);
      await finger.tap('Deliver');
      await finger.sees('Where is this delivery now?');
    }
    await finger.tap('Go on to stop 13');
    await look('29-backhaul');
    await finger.tap('Count Damaged Goods');
    await look('30-backhaul-count');
    await finger.tap('Keep 10 back');
    await finger.tap('Done here');
    // Nothing was delivered there.
    await finger.sees('Where is this change now?');
    await finger.sees('Done');
    await look('31-backhaul-done');
    await done('stops 10 to 13: as planned, goods taken back');

    // One correction: stop 3 had one case less.
    await finger.tap('Close');
    await look('32-route-end');
    await finger.tap('Taquería El Molino');
    await look('33-delivered-stop');
    await finger.tap('Paper Towels');
    await finger.tap('One less');
    await finger.tap('Short on truck');
    await finger.tap('Correct to 5 of 6');
    await finger.sees('Corrected');
    await look('34-corrected');
    await finger.tap('Back to the route');
    await done('correction of stop 3');

    await finger.tap('Go to the warehouse');
    await look('35-warehouse');
    await finger.tap('I am here');
    await finger.sees('The route closes by itself in');
    await look('36-countdown');
    for (const [nth, rating] of ['5', '5', '5', '5', '5'].entries()) await finger.tap(rating, { nth });
    await finger.tap('Close the route now');
    await finger.sees('The route is closed');
    await look('37-closed');
    await finger.tap('Go on to my day');
    await finger.sees('All at the office');
    await look('38-day');
    await finger.tap('Sign out');
    await finger.sees('Who is driving?');
    await look('39-signed-out');
    await done('warehouse, ratings, close, sign-out');
    await annotate(`the whole day: ${taps} taps, ${fields} fields`);

    await world.untilOnHost(key, (rows) => rows.every(({ status }) => status !== 'P'));
    const osd = await world.service.show('RTOSDP', `OSRTE = 'R100'`);
    expect(
      osd.map(({ OSSTP, OSCOD, OSQTY }) => [OSSTP, OSCOD, OSQTY].map((value) => String(value).trim()).join(' ')),
    ).toEqual(expect.arrayContaining(['1 20 1', '5 85 1', '9 22 2', '3 10 1']));
    for (const id of await filesOnPhone(phone.page))
      await expect.poll(async () => (await download(world.service.rest, id)).status).toBe(200);
  },
);

/** Name and signature of the recipient, from the stop and back to it. */
async function sign(finger: Finger, name: string, look?: (name: string) => Promise<void>): Promise<void> {
  await finger.tap('Get the signature');
  await finger.type('Name of the person who signs', name);
  await finger.draw('Signature field');
  await look?.('signature');
  await finger.tap('Done');
  await finger.seesNo('You receive');
}
