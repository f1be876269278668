import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { atTextSizes } from './sampling.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register(routes.day.driver, routes.short.driver);
});
afterEach(() => world.network.accept());

/** Counts of a stop's collections on the host, in the order of the plan. */
async function hostReturns(route: string, stop: number): Promise<(readonly [returned: number, complete: string])[]> {
  const rows = await world.service.show('RTPRUP', `RQRTE = '${route}' and RQSTP = ${stop} and RQTYP = 'C'`);
  return rows.map(({ RQRTN, RQACCF }) => [Number(RQRTN), String(RQACCF).trim()] as const);
}

describe.each(
  atTextSizes([
    { textPercent: 100, driver: routes.day.driver, route: 'R100', stop: 1, row: 'Open stop 1' },
    { textPercent: 200, driver: routes.short.driver, route: 'R200', stop: 2, row: 'Stop 2' },
  ]),
)('with text at $textPercent percent', ({ textPercent, driver, route, stop, row }) => {
  test('A8: returns are counted by big buttons and a keypad, kept through a kill, and read at the host', async () => {
    const phone = await world.phone({ textPercent });
    let finger = await phone.start();
    await phone.signIn(driver);
    await phone.untilInstalled();
    await phone.untilStored(2);
    await phone.goOffline();
    await finger.tap(row);
    await finger.sees('to count');
    await phone.shot(`counts-stop-${textPercent}`);
    finger.count();
    await finger.tap('Count all of it');
    await phone.shot(`counts-sheet-${textPercent}`);
    await finger.tap('One more');
    await finger.tap('Type the number', { nth: 1 });
    await finger.tap('1');
    await finger.tap('2');
    await phone.shot(`counts-keypad-${textPercent}`);
    await finger.tap('Close the keypad');
    expect(finger.count()).toEqual({ taps: 6, fields: 0 });
    // The sheet is still open: each tap is on the disk.
    finger = await phone.restart();
    await finger.tap(row);
    await finger.sees('12 of');
    await phone.shot(`counts-kept-${textPercent}`);
    finger.count();
    await finger.tap('Count all of it');
    await finger.tap('Keep');
    expect(finger.count()).toEqual({ taps: 2, fields: 0 });
    await finger.tap('Deliver');
    await phone.goOnline();
    await expect.poll(() => hostReturns(route, stop)).toContainEqual([12, 'Y']);
  });
});
