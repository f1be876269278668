import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { password } from '../support/people.ts';
import { atTextSizes } from './sampling.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register(routes.day.driver);
});

/** Runs in the page: notes the links that leave the app, in place of opening a telephone or a map. */
function noteLinks(): void {
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || link.href.startsWith(location.origin)) return;
    event.preventDefault();
    const { dataset } = document.body;
    dataset['followed'] = [dataset['followed'], link.href].filter(Boolean).join(' ');
  });
}

/** Two stops of the day for each text size, so that the runs do not meet. */
const stops = [
  {
    textPercent: 100,
    stop: 'Halsted Food & Fuel',
    line: 'Jalapeño Slices 12 ct',
    skipped: 'Bridgeport Grocery',
    id: 4,
  },
  { textPercent: 200, stop: 'Taquería El Molino', line: 'Paper Towels 12 ct', skipped: 'Café Söderberg', id: 5 },
];

describe.each(atTextSizes(stops))('with text at $textPercent percent', ({ textPercent, stop, line, skipped, id }) => {
  afterEach(() => world.network.accept());

  const signedIn = async () => {
    const phone = await world.phone({ textPercent });
    const finger = await phone.start();
    await phone.signIn(routes.day.driver);
    finger.count();
    return { phone, finger };
  };

  test('A2: the contact of the next stop is on the list and at the stop, without a network', async () => {
    const { phone, finger } = await signedIn();
    await phone.untilInstalled();
    await phone.goOffline();
    await phone.page.evaluate(noteLinks);
    await finger.tap('Call');
    await finger.tap('Navigate');
    expect(finger.count()).toEqual({ taps: 2, fields: 0 });
    await finger.tap('Open stop');
    await finger.sees('312-555-');
    expect(finger.count().taps).toBe(1);
    await finger.tap('Call');
    await finger.tap('Navigate');
    expect(finger.count()).toEqual({ taps: 2, fields: 0 });
    const followed = await phone.page.evaluate(() => document.body.dataset['followed']?.split(' '));
    expect(followed?.map((link) => link.split(/[0-9]/)[0])).toEqual(['tel:', 'geo:', 'tel:', 'geo:']);
    await phone.shot(`stop-${textPercent}`);
  });

  test('A5, A11: a line short by 2 with its reason, delivered, and corrected', async () => {
    const { phone, finger } = await signedIn();
    await finger.tap(stop);
    finger.count();
    await finger.tap(line);
    await finger.tap('One less');
    await finger.tap('One less');
    await finger.tap('Damaged');
    await phone.shot(`line-${textPercent}`);
    await finger.tap('Save');
    // A photo takes two more: the row's limit is 7.
    expect(finger.count()).toEqual({ taps: 5, fields: 0 });
    await finger.sees('2 damaged in transit');
    await finger.tap('Deliver');
    await finger.sees('Where is this delivery now?');
    await finger.tap('Close');
    await finger.tap(stop);
    await finger.sees('Tap a line to correct it.');
    finger.count();
    await finger.tap(line);
    await finger.tap('One more');
    await finger.tap('Correct to');
    expect(finger.count()).toEqual({ taps: 3, fields: 0 });
    await finger.sees('Corrected');
    await phone.shot(`corrected-${textPercent}`);
  });

  test('A6: a stop is skipped with a reason by four taps, and the host has it', async () => {
    const { phone, finger } = await signedIn();
    await finger.tap('Show');
    await finger.tap(skipped);
    finger.count();
    await finger.tap('More');
    await finger.tap('Skip this stop');
    await finger.tap('Out of hours');
    await phone.shot(`skip-${textPercent}`);
    await finger.tap(`Skip stop ${id}`);
    expect(finger.count()).toEqual({ taps: 4, fields: 0 });
    await finger.sees('Where is this change now?');
    await world.untilOnHost(routes.day.key, (rows) => rows.some((row) => row.stop === id && row.status === 'S'));
  });
});

test('A12: another driver of the route is asked about, and the first one works on', async () => {
  const phone = await world.phone();
  const finger = await phone.start();
  await phone.signIn(routes.day.driver);
  // A registration signs in: earlier, the first sign-in would meet this driver.
  await world.register(routes.day.helper);
  const other = await world.phone();
  const second = await other.start();
  second.count();
  await second.type('Employee number', routes.day.helper);
  await second.type('Password', password);
  await second.tap('Sign in');
  await second.sees('is signed in on this route, too');
  await other.shot('other-driver');
  await second.tap('Sign me in');
  expect(second.count()).toEqual({ taps: 2, fields: 2 });
  await second.sees('Next · stop');
  await finger.sees('Another driver of this route signed in.');
  await finger.tap('Open stop');
  await finger.sees('Missing:');
});
