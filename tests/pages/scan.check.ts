import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { faultsOf } from './looks.ts';
import { writeFilm } from './barcode-film.ts';
import type { PhoneOptions } from './page-phone.ts';
import { PagePhone } from './page-phone.ts';
import { textSizes } from './sampling.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

/** A number that no route has. */
const unknown = '4006381333931';
/** Cola of the demo: stop 1 of the short route gets 9, stop 2 none. */
const cola = '1001202170217';
/** Cigarettes of the demo: the day's stop 6 gets 2, each to be scanned. */
const cigarettes = '1001100200020';

let world: PageWorld;
let film: string;
beforeAll(async () => {
  film = join(await temporaryFolder(), 'film.y4m');
  await writeFilm(film);
  world = await openPageWorld({}, [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-video-capture=${film}`,
  ]);
  await world.register(routes.day.driver, routes.short.driver);
});

/** The short route on a phone without a network. */
async function openOffline(options: PhoneOptions = {}, other?: PagePhone) {
  const phone = other ?? (await world.phone(options));
  const finger = await phone.start();
  await phone.signIn(routes.short.driver);
  await phone.untilInstalled();
  await phone.untilStored(3);
  await phone.goOffline();
  return { phone, finger };
}

describe.each(textSizes)('with text at $textPercent percent', ({ textPercent }) => {
  afterEach(() => world.network.accept());

  test('A7: the camera reads an unknown barcode without a network, and the piece stays here', async () => {
    await writeFilm(film, unknown);
    const { phone, finger } = await openOffline({ textPercent });
    await finger.tap('Open stop 1');
    finger.count();
    await finger.tap('Scan or type a number');
    await finger.sees('Nothing on this route has this number');
    await finger.sees(unknown);
    await phone.shot(`scan-unknown-${textPercent}`);
    expect(await faultsOf(phone.page)).toEqual([]);
    await finger.tap('Leave it here');
    await finger.sees('1 piece stays here, at stop 1.');
    // One more: the scan itself.
    expect(finger.count()).toEqual({ taps: 2, fields: 0 });
    await finger.tap('Back to stop 1');
    await finger.sees('stays here');
    await phone.shot(`overage-${textPercent}`);
    expect(await phone.page.evaluate(() => document.querySelector('video'))).toBeNull();
  });

  test('A7: a hardware scanner is read anywhere on the stop screen', async () => {
    const { phone, finger } = await openOffline({ textPercent });
    await finger.tap('Open stop 1');
    await finger.sees('Stop 1 of 3');
    finger.count();
    await finger.scan(unknown);
    await finger.sees('Nothing on this route has this number');
    await finger.sees('The hand scanner works. The camera is off.');
    await phone.shot(`scan-hand-${textPercent}`);
    expect(await faultsOf(phone.page)).toEqual([]);
    await finger.tap('Take it back');
    await finger.sees('1 piece of stop 1 goes back.');
    expect(finger.count()).toEqual({ taps: 2, fields: 0 });
  });

  test('A7: a phone without an allowed camera shows that, and a typed number works', async () => {
    const denying = await startBrowser(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream=deny']);
    const denied = await PagePhone.open(denying, world.address, world.network, { textPercent });
    const { phone, finger } = await openOffline({}, denied);
    await finger.tap('Open stop 1');
    finger.count();
    await finger.tap('Scan or type a number');
    await finger.sees('The camera is not allowed for this app.');
    await finger.type('Or type the number', '4006381333932');
    await finger.sees('The last digit does not fit the others.');
    await phone.shot(`scan-typed-${textPercent}`);
    await finger.tap('Look up');
    await finger.sees('Nothing on this route has this number');
    await finger.tap('Take it back');
    await finger.sees('1 piece of stop 1 goes back.');
    expect(finger.count()).toEqual({ taps: 3, fields: 1 });
  });

  test('A18: a case that stop 1 lacks is recognised at stop 2 without a network', async () => {
    await writeFilm(film, cola);
    const { phone, finger } = await openOffline({ textPercent });
    await finger.tap('Open stop 1');
    await finger.tap('Cola 24 ct');
    await finger.tap('One less');
    // A hand scanner presses no button of a sheet: “One less” has the focus.
    await finger.scan(unknown);
    await finger.tap('Short');
    await finger.tap('Save 8 of 9');
    await finger.tap('Deliver 70 of 71 without');
    await finger.tap('Go on to stop 2');
    await finger.tap('Scan or type a number');
    await finger.sees('Cola 24 ct is missing at stop 1');
    await finger.sees('got 8 of 9 at');
    await phone.shot(`scan-missing-${textPercent}`);
    expect(await faultsOf(phone.page)).toEqual([]);
    finger.count();
    await finger.tap('Keep it for stop 1');
    await finger.sees('1 piece is kept for stop 1.');
    expect(finger.count()).toEqual({ taps: 1, fields: 0 });
    // Nothing of it reaches the server: the other tests begin with the route as planned.
    await phone.kill();
  });
});

test('pieces of a planned line are counted scan by scan, and reach the host', async () => {
  // The camera sees no code of an earlier test.
  await writeFilm(film);
  const phone = await world.phone();
  const finger = await phone.start();
  await phone.signIn(routes.day.driver);
  await finger.tap('Show');
  await finger.tap('Oak Park Pantry');
  await finger.tap('Scan 11 pieces');
  await finger.sees('0 of 11 scanned');
  await finger.scan(cigarettes);
  await finger.sees('1 of 11 scanned');
  await finger.scan(cigarettes);
  await finger.sees('2 of 11 scanned');
  await phone.shot('scan-planned');
  expect(await faultsOf(phone.page)).toEqual([]);
  await finger.scan(cigarettes);
  await finger.sees('all 2 are here, this is one more');
  await finger.scan(unknown);
  await finger.sees(unknown);
  await finger.tap('Leave it here');
  await finger.sees('1 piece stays here, at stop 6.');
  await finger.tap('Back to stop 6');
  await finger.sees('Scan 9 pieces');
  await finger.tap('Deliver');
  await expect
    .poll(() => world.service.show('RTOSDP', `OSRTE = 'R100' and OSSTP = 6`))
    .toMatchObject([{ OSITM: '', OSBAR: unknown, OSCOD: '85', OSQTY: '1' }]);
});

test('the camera is released when the screen closes and while the page is hidden', async () => {
  await writeFilm(film);
  const { phone, finger } = await openOffline();
  const streams = await phone.page.evaluateHandle(() => {
    const opened: MediaStream[] = [];
    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (wanted) => {
      const stream = await open(wanted);
      opened.push(stream);
      return stream;
    };
    return opened;
  });
  const isLive = () =>
    streams.evaluate((opened) =>
      opened.some((stream) => stream.getTracks().some(({ readyState }) => readyState === 'live')),
    );
  await finger.tap('Scan');
  await expect.poll(isLive).toBe(true);
  await phone.page.evaluate(hide, true);
  await expect.poll(isLive).toBe(false);
  await phone.page.evaluate(hide, false);
  await expect.poll(isLive).toBe(true);
  await finger.tap('Back to the route');
  await expect.poll(isLive).toBe(false);
});

/** As the platform does when another app comes to the front: a headless browser shows all its pages. */
function hide(isHidden: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden });
  document.dispatchEvent(new Event('visibilitychange'));
}
