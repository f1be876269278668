import { operations } from '@tailgate/sync-protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Desk, OfficeWorld } from './desk.ts';
import { openOfficeWorld } from './desk.ts';
import { demoRoute } from '../system/service.ts';
import { phoneOf } from './hostile-data.ts';
import { faultsOf, settle, showTheme } from './looks.ts';
import { isSampled, isThorough } from './sampling.ts';
import {
  deliver,
  deliverWithFiles,
  driverOf,
  refuseComments,
  refusedComment,
  untilIncident,
  untilParked,
} from './refusing-host.ts';

/** A page of the console, and a text that shows that it is there. A new screen is one more row. */
interface Look {
  readonly name: string;
  readonly at: string;
  readonly clicks?: readonly string[];
  readonly shows: string;
}

const widths = [1024, 1440, 3840] as const;
const themes = ['light', 'dark'] as const;

let world: OfficeWorld;
let looks: readonly Look[];
beforeAll(async () => {
  world = await openOfficeWorld();
  await refuseComments(world.service);
  const driver = await driverOf(world.service, '1001');
  await deliverWithFiles(world.service, driver, { signature: 'signature.png', photo: 'pallet.png' });
  await deliver(world.service, driver, 'R100', 2, { driver_comments: refusedComment, store_emp_name: 'Nils Petersen' });
  const { parked_id, facility, route_id, week_end } = await untilParked(
    world.service,
    world.headers.look.authorization,
    'R100',
    2,
  );
  await phoneOf(world.service, driver, { device: 'Galaxy A54', app: 'driver-app/1.4.1', pending: 3 });
  await phoneOf(world.service, await driverOf(world.service, '1005'), {
    device: 'Moto G84',
    app: 'driver-app/1.4.0',
    pending: 14,
    files: { count: 1, bytes: 1_900_000 },
  });
  const { id, ...key } = demoRoute('R100');
  // A kept change: the route has no such stop.
  const stops = [{ id: 77, updates: { status: 'D', driver_comments: 'left at the dock' } }];
  await world.service.rest.call(operations.syncStops, { as: driver, body: { id, ...key, stops } });
  // An incident and a warning.
  await world.service.library.pool.query(`update PODDTA.FACMSTP set FATZ = 'Nowhere/Else'`);
  await deliver(world.service, driver, 'R100', 3, { overage_items: [{ barcode: '1', osd_code: 77, quantity: 1 }] });
  const incident = await untilIncident(world.service, world.headers.look.authorization);
  looks = [
    { name: 'inbox', at: '', shows: 'A facility has no time zone' },
    { name: 'inbox-open', at: '', clicks: ['The host refuses a stop'], shows: 'Retry all' },
    { name: 'inbox-skip', at: '', clicks: ['Skip all'], shows: 'Why the host does without them' },
    { name: 'incidents', at: 'incidents', shows: 'A facility has no time zone' },
    { name: 'incident', at: `incidents/${incident}`, shows: 'What the server wrote down' },
    { name: 'flags', at: 'flags?code=unknown_code', shows: 'I have read these' },
    { name: 'parked', at: 'parked', shows: 'RUCMT is not wanted' },
    { name: 'repair', at: `parked/${parked_id}`, clicks: ['Show'], shows: 'Name of the person' },
    { name: 'skip', at: `parked/${parked_id}`, clicks: ['Skip it instead'], shows: 'Why the host does without it' },
    { name: 'quarantine', at: 'quarantine', shows: 'Could not be applied' },
    { name: 'host', at: 'host', shows: 'By file' },
    { name: 'hold', at: 'host', clicks: ['Plan a hold'], shows: 'Drivers work on.' },
    { name: 'phones', at: 'phones', clicks: ['1005'], shows: 'Write the reason first.' },
    { name: 'rescue', at: 'rescue', shows: 'Drop the file of the phone here' },
    { name: 'history', at: `stop/${facility}/${route_id}/${week_end}/2/history`, shows: 'Receiver' },
    { name: 'routes', at: `routes/${facility}/${route_id}/${week_end}`, shows: 'changed by Marcus Bell' },
    { name: 'route', at: `route/${facility}/${route_id}/${week_end}`, shows: 'Received by' },
    { name: 'route-then', at: `route/${facility}/${route_id}/${week_end}/2`, shows: 'as it was at' },
    { name: 'stop', at: `stop/${facility}/${route_id}/${week_end}/1`, shows: 'pallet' },
    { name: 'stop-refused', at: `stop/${facility}/${route_id}/${week_end}/2`, shows: 'Open the refused row' },
    {
      name: 'photo',
      at: `stop/${facility}/${route_id}/${week_end}/1`,
      clicks: ['Open photo 1'],
      shows: 'Save the file',
    },
    { name: 'columns', at: `stop/${facility}/${route_id}/${week_end}/2/columns`, shows: 'the host refuses it' },
    { name: 'search', at: 'search/oak%20park', shows: 'Nothing among' },
    { name: 'search-empty', at: 'search/zzzzzz', shows: 'Nothing has' },
    {
      name: 'proof',
      at: `stop/${facility}/${route_id}/${week_end}/2`,
      clicks: ['Send proof'],
      shows: 'What the store reads',
    },
    { name: 'missing', at: 'nowhere', shows: 'There is no page' },
  ];
});
afterAll(() => expect(world.faults()).toEqual([]));

test('the door', async () => {
  const stranger = await world.stranger();
  await stranger.hand.sees('Sign in to the office');
  expect(await faultsIn(stranger, 'door')).toEqual([]);
});

test('every page, from 1024 px to 4K, light and dark', async () => {
  const desk = await world.desk('admin');
  for (const { name, at, clicks = [], shows } of looks) {
    await desk.page.setViewportSize({ width: 1440, height: 900 });
    await desk.go(`#/${at}`);
    for (const text of clicks) await desk.hand.tap(text);
    await desk.hand.sees(shows);
    expect.soft(await faultsIn(desk, name)).toEqual([]);
  }
});

test('the lock', async () => {
  const desk = await world.desk('admin');
  await desk.hand.tap('Lock');
  await desk.hand.sees('You locked this page.');
  expect(await faultsIn(desk, 'lock')).toEqual([]);
});

async function faultsIn({ page, shot }: Desk, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths)
    for (const theme of themes) {
      // The width changes no colour.
      if (isSampled && width !== 1440 && theme !== 'light') continue;
      await page.setViewportSize({ width, height: width === 3840 ? 2160 : 900 });
      await page.evaluate(showTheme, theme);
      await settle(page);
      if (width !== 3840) await shot(`office-${name}-${theme}-${width}`);
      const found = await faultsOf(page, theme === 'light' || isThorough ? 'all' : 'colours');
      faults.push(...found.map((fault) => `${name} ${theme} ${width}: ${fault}`));
    }
  return faults;
}
