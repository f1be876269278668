import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import type { Finger } from './finger.ts';
import { PagePhone } from './page-phone.ts';
import type { PhoneOptions } from './page-phone.ts';
import { textSizes } from './sampling.ts';
import type { StaticHost } from './static-host.ts';
import { startStaticHost } from './static-host.ts';

let host: StaticHost;
let network: TcpProxy;
let browser: Browser;
beforeAll(async () => {
  host = await startStaticHost();
  network = await startTcpProxy(host.port);
  browser = await startBrowser();
});

async function open(place: string, options: PhoneOptions = {}) {
  const address = host.address.replace(String(host.port), String(network.port));
  const phone = await PagePhone.open(browser, address, network, options);
  return { phone, finger: await phone.start(place) };
}

/** Opens the sample route by its link. */
async function begin() {
  const opened = await open('?demo');
  await opened.finger.sees('Next · stop 1');
  return opened;
}

/** Delivers the stop on the screen as planned. */
async function deliver(finger: Finger): Promise<void> {
  await finger.tap('Deliver');
  await finger.sees('Where is this delivery now?');
}

describe.each(textSizes)('A20 with text at $textPercent percent', ({ textPercent }) => {
  test('a whole sample route, from one tap to the day’s end, asks for no more than the files of the app', async ({
    annotate,
  }) => {
    const { phone, finger } = await open('', { textPercent });
    await finger.tap('Try a sample route');
    await finger.sees('Next · stop 1');
    expect(finger.count()).toEqual({ taps: 1, fields: 0 });
    await finger.sees('Nothing leaves this phone');
    await phone.shot(`sample-route-${textPercent}`);
    const sockets: string[] = [];
    phone.page.on('websocket', (socket) => sockets.push(socket.url()));

    await finger.tap('Open stop 1');
    for (const next of [2, 3, 4, 5, 6, 7, 8, 9]) {
      await deliver(finger);
      await finger.tap(`Go on to stop ${next}`);
      await finger.sees(`Stop ${next} of 9`);
    }
    await phone.shot(`sample-collection-${textPercent}`);
    await finger.tap('Done here');
    await finger.tap('Go on to the warehouse');
    await finger.tap('I am here');
    await finger.sees('The route closes by itself in');
    await phone.shot(`sample-warehouse-${textPercent}`);
    await finger.tap('Close the route now');
    await finger.tap('Go on to my day');
    await finger.sees('All at the office');
    await phone.shot(`sample-day-${textPercent}`);
    const { taps, fields } = finger.count();
    await annotate(`nine stops, the warehouse and the day's end: ${taps} taps, ${fields} fields`);
    expect(taps).toBeLessThanOrEqual(22);
    expect([host.strays, sockets]).toEqual([[], []]);
  });
});

test('A20: the network’s switch keeps a delivery on the phone, and lets it go again', async () => {
  const { phone, finger } = await begin();
  finger.count();
  await finger.tap('Network on');
  await finger.sees('No network');
  await finger.tap('Open stop 1');
  await deliver(finger);
  await finger.sees('It goes by itself when there is a network.');
  await phone.shot('sample-offline');
  await finger.tap('Close');
  await finger.tap('Network off');
  expect(finger.count()).toEqual({ taps: 5, fields: 0 });
  await finger.sees('Connected.');
  await finger.sees('Back office');
});

test('A20: after the third delivery the office and a helper change stops, too', async () => {
  const { phone, finger } = await begin();
  await finger.tap('Open stop 1');
  for (const next of [2, 3, 4, 5]) {
    await deliver(finger);
    if (next === 4) await finger.sees('At the back office');
    await finger.tap(`Go on to stop ${next}`);
  }
  await finger.tap('Back to the route');
  await finger.sees('2 new');
  await finger.tap('Inbox');
  await finger.sees('The office changed stop 1');
  await finger.sees('MARYB');
  await expect.poll(() => finger.read()).toContain('You and another person both changed stop 4');
  await phone.shot('sample-inbox');
});

test('A20: a page that was closed in the middle of a stop goes on where it was', async () => {
  const { phone, finger } = await begin();
  await finger.tap('Open stop 1');
  await deliver(finger);
  await finger.sees('At the back office');
  await finger.tap('Go on to stop 2');
  await deliver(finger);
  await finger.sees('On this phone');
  await phone.kill();
  const again = await phone.start('?demo');
  await again.sees('2 of 9 stops done');
  await again.tap('My day');
  await again.sees('All at the office');

  await again.tap('Sample route');
  await again.tap('Start again');
  await again.sees('0 of 9 stops done');
  await again.tap('Sample route');
  await again.tap('Leave');
  await again.sees('Who is driving?');
  const left = await phone.page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
  expect(left.filter((name) => name?.includes('sample'))).toEqual([]);
});

test('A20: a second window shows the same phone, and goes on when the first one is closed', async () => {
  const { phone, finger } = await begin();
  const first = phone.page;
  const second = await phone.start('?demo');
  await second.tap('Open stop 1');
  await deliver(second);
  await second.sees('At the back office');
  await finger.sees('1 of 9 stops done');
  await first.close();
  await second.tap('Close');
  await second.sees('1 of 9 stops done');
  // Its own server has never met this phone.
  await second.tap('Sign in again');
  await second.tap('Sign in as Sam Ortiz');
  await second.sees('1 of 9 stops done');
  await second.sees('Next · stop 2');
});

test('A20: every screen opens without a network once the sample route is there', async () => {
  const { phone, finger } = await begin();
  await phone.page.waitForLoadState('networkidle');
  const workers = await phone.page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
  expect(workers).toBe(0);
  network.refuse();
  network.cut();
  try {
    await finger.tap('2 Stop 2 Halsted');
    await finger.sees('Stop 2 of 9');
    await finger.tap('Cigarettes Filter Kg');
    await finger.sees('Save 3');
    await finger.tap('Close');
    await finger.tap('Name and signature');
    await finger.type('Name of the person who signs', 'Ana Gil');
    await finger.draw('Signature field, empty');
    await finger.tap('Done');
    await finger.sees('Ana Gil');
    await deliver(finger);
    await finger.sees('At the back office');
    await finger.tap('Close');
    await finger.tap('My day');
    await finger.tap('Support code');
    await finger.sees('app tailgate-sample');
  } finally {
    await network.accept();
  }
});

test('A20: a sample driver who signed out is back by one tap', async () => {
  const { phone, finger } = await begin();
  await finger.tap('My day');
  await finger.tap('Sign out');
  await finger.sees('it needs no password');
  await phone.shot('sample-signed-out');
  finger.count();
  await finger.tap('Sign in as Sam Ortiz');
  await finger.sees('Next · stop 1');
  expect(finger.count()).toEqual({ taps: 1, fields: 0 });
});
