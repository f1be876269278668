import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { textSizes } from './sampling.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register(routes.day.driver, routes.short.driver, routes.long.driver);
});

describe.each(textSizes)('with text at $textPercent percent', ({ textPercent }) => {
  afterEach(() => world.network.accept());

  test('A1: the link leads to the route by one tap and two fields', async () => {
    const phone = await world.phone({ textPercent });
    const finger = await phone.start();
    await phone.shot(`sign-in-${textPercent}`);
    await phone.signIn(routes.day.driver);
    expect(finger.count()).toEqual({ taps: 1, fields: 2 });
    await phone.shot(`route-${textPercent}`);
  });

  test('A3: the next stop is delivered by two taps from the list, and an undo takes it back', async () => {
    const phone = await world.phone({ textPercent });
    const finger = await phone.start();
    await phone.signIn(routes.short.driver);
    finger.count();
    await finger.tap('Open stop 1');
    await finger.tap('Deliver');
    expect(finger.count()).toEqual({ taps: 2, fields: 0 });
    await finger.sees('Where is this delivery now?');
    await phone.shot(`delivered-${textPercent}`);
    await finger.tap('Undo');
    expect(finger.count()).toEqual({ taps: 1, fields: 0 });
    await finger.sees('Stop 1 of 3');
  });

  test('A3: the close button stays in its place while the undo counts down and the ticks arrive', async () => {
    const phone = await world.phone({ textPercent });
    const finger = await phone.start();
    await phone.signIn(routes.day.driver);
    const [, next] = /Next · stop (\d+)/.exec(await finger.read()) ?? [];
    await finger.tap('Open stop');
    await finger.tap('Deliver');
    await finger.sees('Undo · 10 s');
    const close = phone.page.getByRole('button', { name: 'Close' });
    const before = await close.boundingBox();
    await finger.sees('Undo · 8 s');
    expect(await close.boundingBox()).toEqual(before);
    await finger.seesNo('Undo');
    await finger.sees('At the back office');
    expect(await close.boundingBox()).toEqual(before);
    await finger.tap('Close');
    await finger.sees(`${next} `);
    await finger.sees('Next · stop');
  });

  test('A1: a route of 150 stops with 20 lines each opens without a network, and every stop can be reached', async () => {
    const phone = await world.phone({ textPercent });
    let finger = await phone.start();
    await phone.signIn(routes.long.driver);
    await phone.untilInstalled();
    await phone.untilStored(150);
    await phone.goOffline();
    finger = await phone.restart();
    await finger.sees('Prairie Mart #1');
    await phone.shot(`long-route-${textPercent}`);
    await finger.tap('Show');
    await finger.tap('Prairie Mart #150');
    await finger.sees('Stop 150 of 150');
    await phone.shot(`long-stop-${textPercent}`);
    expect(finger.count().taps).toBe(2);
  });
});

test('A3: the undo stays for its ten seconds when the phone’s clock jumps an hour ahead', async () => {
  const phone = await world.phone();
  await phone.context.clock.install();
  const finger = await phone.start();
  await phone.signIn(routes.short.driver);
  await finger.tap('Open stop 1');
  await finger.tap('Deliver');
  await finger.sees('Undo');
  await phone.context.clock.setSystemTime(Date.now() + 3_600_000);
  await finger.seesNo('Undo · 10 s');
  await finger.sees(/Undo · \d s/);
  await finger.tap('Undo');
  await finger.sees('Stop 1 of 3');
});
