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

const placeOf = ({ RULAT, RULON }: Readonly<Record<string, unknown>>) => ({
  latitude: Number(RULAT),
  longitude: Number(RULON),
});

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
    // The phone knew the road; the delivery has the door.
    const door = { latitude: 41.9, longitude: textPercent === 100 ? -87.71 : -87.72 };
    await phone.context.setGeolocation(door);
    await finger.tap('I am here');
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
    // A double tap is one: the second touch meets “Go on to the next stop” at the same place.
    await finger.tapTwice('Deliver');
    await finger.sees('Where is this delivery now?');
    // A browser may close a sheet by itself: the address follows, and the sheet opens again.
    await phone.page.evaluate(() => document.querySelector('dialog')?.close());
    await finger.tap(stop);
    await finger.sees('Tap a line to correct it.');
    finger.count();
    await finger.tap(line);
    await finger.tap('One more');
    await finger.tap('Correct to');
    expect(finger.count()).toEqual({ taps: 3, fields: 0 });
    await finger.sees('Corrected');
    await phone.shot(`corrected-${textPercent}`);

    // A value that the SDK refuses has a word at the gate, and records nothing.
    await finger.tap('Comment');
    await finger.sees('What should the office know?');
    await phone.page.evaluate(() => document.querySelector('textarea')?.removeAttribute('maxlength'));
    await finger.type('What should the office know?', 'x'.repeat(2_001));
    await finger.tap('Keep the comment');
    await finger.sees('Not saved. Comment: At most 2,000 characters.');
    await phone.shot(`refused-value-${textPercent}`);
    await finger.tap('Close');
    await finger.seesNo('Not saved.');
    // A correction that is not saved is gone.
    await finger.tap('Comment');
    await finger.sees('What should the office know?');
    expect(await phone.page.locator('textarea').inputValue()).toBe('');
    await finger.tap('Close');
    const places = async () => (await world.service.show('RTSTUP', `RURTE = 'R100'`)).map(placeOf);
    await expect.poll(places, { timeout: 90_000 }).toContainEqual(door);
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
  expect(second.count()).toEqual({ taps: 1, fields: 2 });
  world.network.refuse();
  world.network.cut();
  await second.tap('Sign me in');
  await second.sees('No network. A sign-in needs one');
  await other.shot('other-driver-offline');
  await world.network.accept();
  second.count();
  await second.tap('Sign me in');
  expect(second.count()).toEqual({ taps: 1, fields: 0 });
  await second.sees('Next · stop');
  await finger.sees('Another driver of this route signed in.');
  // A third one, who is new here, is not shown the first one's route.
  await finger.tap('Sign in again');
  await finger.tap('First time here? Register');
  await finger.sees('Register on this server');
  await finger.tap('I have a password already');
  await finger.sees('Who is driving?');
  await finger.tap('Back to the route');
  await finger.tap('Open stop');
  await finger.sees('Missing:');
});
