import { beforeAll, describe, expect, test } from 'vitest';
import { crashPage } from '../support/browser.ts';
import { download } from '../support/uploads.ts';
import type { Finger } from './finger.ts';
import type { Tab } from './page-phone.ts';
import { cameraPhoto } from './stored-files.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

const { driver, key } = routes.long;
/** Lines that a stop shows without a tap on their heading; each stop has one of them. */
const unfolded = ['Spring Water 24 ct', 'Cola 24 ct', 'Lottery Roll Display'];

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register(driver);
});

/** When the page that sends ends, in a delivery of the other page. */
const moments = ['after the photo', 'in the undo window', 'while the photo is sent'] as const;

describe('two tabs of one driver', () => {
  test.each(moments.map((when, place) => ({ when, stop: place + 1 })))(
    'the first one ends $when: the other one sends all of it once, without a reload',
    async ({ when, stop }) => {
      const phone = await world.phone();
      await phone.start();
      await phone.signIn(driver);
      const leader = phone.tab;
      const finger = await phone.start();
      const { page } = phone.tab;
      await page.evaluate(() => void (document.body.dataset['page'] = 'first'));
      const photo = await cameraPhoto(page, 19 + stop);
      const sentBefore = world.network.bytesUp;
      if (when === 'while the photo is sent') world.network.throttle(10_000);
      await finger.tap(`Open stop ${stop}`);
      await finger.sees('Deliver');
      const shown = await finger.read();
      await finger.tap(unfolded.find((line) => shown.includes(line)) ?? 'a line of an unfolded section');
      await finger.tap('One less');
      await finger.tap('Damaged');
      await finger.photograph('Take a photo', photo);
      await finger.sees('Another photo');
      if (when === 'after the photo') await end(leader);
      await finger.tap('Save');
      await deliver(finger);
      if (when === 'in the undo window') await end(leader);
      if (when === 'while the photo is sent') {
        // A photo has ten times as many.
        await untilSent(sentBefore + 10_000);
        await end(leader);
        world.network.throttle(Infinity);
      }

      await finger.sees('At the back office');
      await finger.sees('There is nothing left to do.');
      expect(await page.evaluate(() => document.body.dataset['page'])).toBe('first');
      await expectOnce(stop);
      await phone.shot(`tabs-${stop}`);
    },
  );
});

/** Waits until the phone has sent so many bytes. */
async function untilSent(bytes: number): Promise<void> {
  await expect.poll(() => world.network.bytesUp).toBeGreaterThan(bytes);
}

/** The browser ends a page that is in the background. */
async function end({ page }: Tab): Promise<void> {
  await crashPage(page);
  await page.close();
}

async function deliver(finger: Finger): Promise<void> {
  await finger.tap('Deliver');
  await finger.sees('Where is this delivery now?');
}

/** The stop, its exception and its photo are at the office, each once, and one change was recorded. */
async function expectOnce(stop: number): Promise<void> {
  const where = (prefix: string): string =>
    `${prefix}FAC = '${key.facility}' and ${prefix}RTE = '${key.id}' and ${prefix}WKE = '${key.week_end}' and ${prefix}STP = ${stop}`;
  await world.untilOnHost(key, (rows) => rows.some((row) => row.stop === stop && row.status === 'D'));
  const [osd, ...others] = await world.service.show('RTOSDP', where('OS'));
  expect(others).toEqual([]);
  const { rows } = await world.service.database.pool.query<{ n: number }>(
    `select count(*)::int as n from ledger where source = 'sync' and route_id = $1 and stop_id = $2`,
    [key.id, stop],
  );
  expect(rows).toEqual([{ n: 1 }]);
  await expect.poll(async () => (await download(world.service.rest, String(osd?.['OSIMG']).trim())).status).toBe(200);
}
