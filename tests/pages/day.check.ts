import { beforeAll, describe, expect, test } from 'vitest';
import { password } from '../support/people.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register(routes.day.driver, routes.short.driver);
});

describe('A14: the day’s end', () => {
  test('shows what is missing, signs out with all of it, and the next driver’s sign-in sends it as the first one’s', async () => {
    const { finger, ...phone } = await begin(routes.day.driver);
    await phone.offline();
    for (const stop of [1, 2, 3]) {
      await finger.tap(stop === 1 ? 'Open stop 1' : 'Go on to stop');
      await finger.tap('Deliver');
      await finger.sees('Where is this delivery now?');
    }
    await finger.tap('Close');
    finger.count();
    await finger.tap('My day');
    expect(finger.count().taps).toBe(1);
    await finger.sees('Not all at the office yet');
    await finger.sees('3 of 13 stops done');
    await finger.sees('On this phone since');
    await finger.sees('Signing out loses nothing. 3 things still go by themselves.');
    await phone.shot('day-missing');
    await finger.tap('Sign out');
    expect(finger.count().taps).toBe(1);
    await finger.sees('3 changes by');
    await phone.shot('signed-out');

    await phone.online();
    await finger.type('Employee number', routes.short.driver);
    await finger.type('Password', password);
    await finger.tap('Sign in');
    await finger.sees('Next · stop');
    await world.untilOnHost(routes.day.key, (stops) => stops.filter(({ status }) => status === 'D').length === 3);
    const { rows } = await world.service.database.pool.query<{ n: number }>(
      `select count(*)::int as n from ledger where source = 'sync' and employee = $1`,
      [routes.day.driver],
    );
    expect(rows).toEqual([{ n: 3 }]);
  });

  test('all of it is at the office', async () => {
    const { finger, ...phone } = await begin(routes.short.driver);
    finger.count();
    await finger.tap('Open stop 1');
    await finger.tap('Deliver');
    await finger.sees('Where is this delivery now?');
    await finger.tap('Close');
    await finger.tap('My day');
    await finger.sees('All at the office');
    expect(finger.count().taps).toBe(4);
    await phone.shot('day-all');
  });
});

test('A21: two taps lead to the support code and its text', async () => {
  const { finger, ...phone } = await begin(routes.short.driver);
  finger.count();
  await finger.tap('My day');
  await finger.tap('Support code');
  expect(finger.count()).toEqual({ taps: 2, fields: 0 });
  await finger.sees('app tailgate-driver');
  await finger.sees('pending 0');
  await phone.shot('support');
  // A page on plain HTTP has no clipboard: the lines are marked for the phone's own menu.
  await phone.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
  await finger.tap('Copy all details');
  await finger.sees('Not copied: copy the marked lines by hand');
  expect(await phone.evaluate('getSelection().toString()')).toContain('app tailgate-driver');
});

test('A16: a clock that is five minutes ahead is shown on the route, without a tap', async () => {
  const phone = await world.phone();
  await phone.context.clock.install({ time: Date.now() + 300_000 });
  const finger = await phone.start();
  await phone.signIn(routes.short.driver);
  await finger.sees('This phone’s clock is 5 min ahead');
  await phone.shot('clock');
  await finger.tap('My day');
  await finger.sees('more photos');
  expect(finger.count().taps).toBe(2);
});

async function begin(driver: string) {
  const phone = await world.phone();
  const finger = await phone.start();
  await phone.signIn(driver);
  await phone.untilInstalled();
  return {
    finger,
    shot: (name: string) => phone.shot(name),
    evaluate: (script: string) => phone.page.evaluate<unknown>(script),
    offline: () => phone.goOffline(),
    online: () => phone.goOnline(),
  };
}
