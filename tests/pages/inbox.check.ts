import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { readPdf } from '../server/ops/pdf-text.ts';
import { faultsOf } from './looks.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register(routes.short.driver);
});

test('A13, A17, A22: a tick explains itself with its time by one tap, and gives the proof by two more; an edit of the office stays in the inbox until it is seen', async () => {
  const phone = await world.phone();
  let finger = await phone.start();
  await phone.signIn(routes.short.driver);
  await phone.untilInstalled();
  await finger.tap('Open stop 1');
  await finger.tap('Deliver');
  await finger.sees('Where is this delivery now?');
  await finger.seesNo('Proof of this stop');
  await finger.tap('Close');
  await world.untilOnHost(routes.short.key, (stops) => stops.some(({ stop }) => stop === 1));
  await finger.sees('Back office');
  finger.count();
  await finger.tap('Stop 1: Back office');
  expect(finger.count()).toEqual({ taps: 1, fields: 0 });
  await finger.sees('Saved ');
  await finger.sees('It arrived ');
  await finger.sees('In the office since');
  await finger.sees('For support: stop 1, trace');
  await phone.shot('ticks');
  await finger.tap('Get the proof');
  await finger.sees('is ready.');
  await phone.shot('proof');
  expect(await faultsOf(phone.page)).toEqual([]);
  const [file] = await Promise.all([phone.page.waitForEvent('download'), finger.tap('Share or save it')]);
  expect(finger.count()).toEqual({ taps: 2, fields: 0 });
  await finger.sees('proof_R200_1.pdf is in the downloads of this phone.');
  expect(readPdf(await readFile(await file.path())).pages.join(' ')).toContain('route R200, week');
  await finger.tap('Close');

  const { id } = routes.short.key;
  await world.service.clerk.transaction(async (tx) => {
    await tx.execute(`update PODDTA.RTSTUP set RUSNAM = 'Ana Gil' where RURTE = '${id}' and RUSTP = 1`);
  });
  await finger.sees('1 new');
  finger.count();
  await finger.tap('Inbox');
  await finger.sees('The office changed stop 1');
  await finger.sees('Ana Gil');
  await phone.shot('inbox');
  expect(finger.count().taps).toBe(1);

  // A kill and a dead zone do not lose it.
  await phone.goOffline();
  finger = await phone.restart();
  await finger.tap('Stop 1: Back office');
  await finger.tap('Get the proof');
  await finger.sees('It needs a network.');
  await finger.tap('Close');
  await finger.sees('1 new');
  await finger.tap('Inbox');
  await finger.sees('The office changed stop 1');
  await finger.tap('Seen');
  await finger.sees('Nothing new');
  // The screen shows it before the disk has it; a kill in between shows the edit once more.
  await expect.poll(() => phone.stored('setting', 'edits/')).toBe(0);
  finger = await phone.restart();
  await finger.tap('Inbox');
  await finger.sees('Nothing new');
  // The history retains it, beside what the driver recorded.
  await phone.page.evaluate(() => void (location.hash = '#/stop/1/history'));
  await finger.sees(/Delivered \d\d:\d\d · \d+ pieces?/);
  await finger.sees(/The office: .* Ana Gil,/);
  await phone.shot('history');
  await phone.goOnline();
});
