import type { RouteKey } from '@tailgate/sync-protocol';
import { beforeAll, expect, test } from 'vitest';
import { demoRoute, zone } from '../system/service.ts';
import { isSampled } from './sampling.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

const minute = 60_000;
/** Longer than a story takes, and much shorter than each error of a clock. */
const storyMs = 100_000;

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register('1001', '1003', '1005');
});

const clocks = [
  { aheadMs: -180.2 * minute, said: '3 h 0 min behind', driver: '1005', route: demoRoute('R400') },
  { aheadMs: 2.2 * minute, said: '2 min ahead', driver: '1003', route: routes.short.key },
  { aheadMs: 1_440.2 * minute, said: '24 h 0 min ahead', driver: '1001', route: routes.day.key },
];

test.each(isSampled ? clocks.slice(0, 1) : clocks)(
  'A16: a clock that is $said is said, and the host gets the right times',
  async ({ aheadMs, said, driver, route }) => {
    const phone = await world.phone();
    await phone.context.clock.install({ time: Date.now() + aheadMs });
    let finger = await phone.start();
    await phone.signIn(driver);
    await finger.sees(`This phone’s clock is ${said}. The office gets the right times.`);
    await phone.untilInstalled();
    await phone.untilStored(2);

    // Recorded in a dead zone, and sent by a later run of the app.
    await phone.goOffline();
    finger = await phone.restart();
    await finger.tap('Open stop 1');
    await finger.tap('Deliver');
    await finger.sees('It survives a restart or an empty battery.');
    finger = await phone.restart();
    await phone.goOnline();
    await finger.sees(said);
    await finger.sees('Back office');
    await expectTimes(route, 1);

    if (!(await finger.read()).includes('Warehouse')) await finger.tap('Show');
    await finger.tap('Warehouse');
    await finger.tap('I am here');
    await finger.sees('The route closes by itself in');
    await finger.sees('By the office’s clock');
    const [, minutes] = /closes by itself in (\d+):\d\d/.exec(await finger.read()) ?? [];
    expect(['10', '9']).toContain(minutes);
    await phone.shot(`clock-${driver}`);
    await expect.poll(async () => (await resultOf(route, 999)) !== undefined).toBe(true);
    await expectTimes(route, 999);
  },
);

const resultOf = async ({ facility, id, week_end }: RouteKey, stop: number) => {
  const where = `RUFAC = '${facility}' and RURTE = '${id}' and RUWKE = '${week_end}' and RUSTP = ${stop}`;
  return (await world.service.show('RTSTUP', where))[0];
};

/** All times of a stop on the host are those of this moment. */
async function expectTimes(route: RouteKey, stop: number): Promise<void> {
  const row = await resultOf(route, stop);
  expect(Math.abs(Date.parse(String(row?.['RUUTC']).trim()) - Date.now())).toBeLessThan(storyMs);
  const local = [
    [row?.['RUSDT'], row?.['RUSTM']],
    [row?.['RUEDT'], row?.['RUETM']],
  ].filter(([date]) => Number(date) > 0);
  expect(local).not.toEqual([]);
  for (const [date, time] of local) {
    const said = wallMs(String(date).padStart(8, '0') + String(time).padStart(6, '0'));
    expect(Math.abs(said - wallMs(localNow()))).toBeLessThan(storyMs);
  }
}

/** The host's facility, now: YYYYMMDDhhmmss. */
const localNow = (): string => new Date().toLocaleString('sv-SE', { timeZone: zone }).replace(/\D/g, '');

function wallMs(digits: string): number {
  const [year = 0, month = 1, day = 1, hour = 0, minutes = 0, seconds = 0] =
    /(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(digits)?.slice(1).map(Number) ?? [];
  return Date.UTC(year, month - 1, day, hour, minutes, seconds);
}
