import { join } from 'node:path';
import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { password } from '../support/people.ts';
import { startBrowser } from '../support/browser.ts';
import { startSmsGateway } from '../support/sms-gateway.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { writeFilm } from './barcode-film.ts';
import { faultsOf, settle, showTheme } from './looks.ts';
import { isSampled, isThorough } from './sampling.ts';
import { PagePhone } from './page-phone.ts';
import { misheard, openFile, passphraseOn, sendAsFile } from './rescue.ts';
import { cameraPhoto } from './stored-files.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

/** A screen or a sheet: the way to it, and a text that shows that it is there. A new screen is one more row. */
interface Look {
  readonly name: string;
  /** The address behind `#/`. */
  readonly at?: string;
  /** Taps from the address on. */
  readonly taps?: readonly string[];
  readonly shows: string;
}

const themes = ['light', 'dark', 'sun'] as const;
type Theme = (typeof themes)[number];
const texts = [100, 200] as const;
const line = 'Jalapeño Slices 12 ct';

/** The pictures of docs/driver-app.md: `cp tests/pages/shots/documents/*.png docs/images/`. */
const documented = ['route', 'stop', 'line-damaged', 'signature', 'day'];

/** Before the sign-in. The rows follow one another on one phone. */
const strangers: readonly Look[] = [
  { name: 'sign-in', at: 'sign-in', shows: 'Who is driving?' },
  { name: 'sign-in-faults', at: 'sign-in', taps: ['Sign in'], shows: 'Enter your password.' },
  { name: 'register', at: 'register', shows: 'Register' },
];

/** Screens of a signed-in driver: stop 1 is delivered, 3 is skipped, and 2 has a draft with a damaged line. */
const screens: readonly Look[] = [
  { name: 'route', at: '', shows: 'Next · stop' },
  { name: 'route-whole', at: '', taps: ['Show'], shows: 'Done' },
  { name: 'display', at: 'display', shows: 'Español' },
  { name: 'where', at: 'where/1', shows: 'Where is this' },
  { name: 'stop', at: 'stop/5', shows: 'Missing:' },
  { name: 'stop-draft', at: 'stop/2', shows: '1 damaged in transit' },
  { name: 'stop-delivered', at: 'stop/1', shows: 'Tap a line to correct it.' },
  { name: 'stop-skipped', at: 'stop/3', shows: 'Out of hours' },
  { name: 'stop-where', at: 'stop/1/where', shows: 'Where is this' },
  { name: 'history', at: 'stop/1/history', shows: 'History' },
  { name: 'line', at: 'stop/4', taps: ['Paper Towels 12 ct'], shows: 'Save 5' },
  { name: 'keypad', at: 'stop/4', taps: ['Paper Towels 12 ct', '5'], shows: '9' },
  { name: 'line-damaged', at: 'stop/2', taps: [line], shows: 'Damaged' },
  { name: 'line-correction', at: 'stop/1', taps: ['Cigarettes Filter Kg'], shows: 'Correct' },
  { name: 'photos', at: 'stop/2/photos', shows: 'Of its lines' },
  { name: 'overage', at: 'stop/2/overage/0', shows: 'What becomes of it?' },
  { name: 'return', at: 'stop/4', taps: ['Empty Pl'], shows: 'Keep 5 back' },
  { name: 'signature', at: 'stop/4/sign', shows: 'Sign here' },
  { name: 'scan', at: 'stop/1/scan', shows: 'Look up' },
  { name: 'more', at: 'stop/2/more', shows: 'Skip this stop' },
  { name: 'skip', at: 'stop/2/skip', taps: ['Out of hours'], shows: 'Skip stop 2' },
  { name: 'skip-photo', at: 'stop/5/skip', taps: ['Store closed'], shows: 'Skip without a photo' },
  { name: 'refuse', at: 'stop/2/refuse', shows: 'Refuse' },
  { name: 'comment', at: 'stop/2/comment', shows: 'Comment' },
  { name: 'day', at: 'day', shows: 'stops done' },
  { name: 'inbox', at: 'inbox', shows: 'Inbox' },
  { name: 'counts', at: 'stop/4/counts', shows: 'Each tap is kept.' },
  { name: 'load', at: 'load', shows: 'all five ratings' },
  { name: 'close', at: 'close', shows: 'You are still on the road.' },
  { name: 'support', at: 'day/support', shows: 'app tailgate-driver' },
];

let world: PageWorld;
let driver: PagePhone;
const gateway = await startSmsGateway();

beforeAll(async () => {
  world = await openPageWorld({ env: { SMS_URL: gateway.url } });
  await world.register(routes.day.driver, routes.short.driver, routes.long.driver);
  driver = await world.phone();
});

describe('before the sign-in', () => {
  let phone: PagePhone;
  beforeAll(async () => {
    phone = await world.phone();
    await phone.start();
  });

  test.each(strangers)('$name', async (look) => {
    await show(phone, look);
    expect(await faultsIn(phone, look.name)).toEqual([]);
  });

  test('install hint', async () => {
    await show(phone, { name: 'install', at: 'sign-in', shows: 'Who is driving?' });
    await phone.page.evaluate(() =>
      dispatchEvent(Object.assign(new Event('beforeinstallprompt'), { prompt: () => undefined })),
    );
    await phone.finger.sees('Put Tailgate on the home screen.');
    expect(await faultsIn(phone, 'install')).toEqual([]);
  });
});

describe('signed in', () => {
  test('a stop is delivered, one is skipped, and one is half filled', async () => {
    await driver.start();
    await driver.signIn(routes.day.driver);
    await record(driver);
    await expect.poll(() => driver.finger.read()).toContain('1 damaged in transit');
  });

  test.each(screens)('$name', async (look) => {
    await show(driver, look);
    expect(await faultsIn(driver, look.name)).toEqual([]);
  });
});

describe('with a camera', () => {
  test('an allowed camera shows its picture', async () => {
    const film = join(await temporaryFolder(), 'film.y4m');
    await writeFilm(film);
    const browser = await startBrowser([
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-video-capture=${film}`,
    ]);
    const phone = await PagePhone.open(browser, world.address, world.network);
    await phone.start();
    await phone.signIn(routes.short.driver);
    await show(phone, { name: 'camera', at: 'stop/1/scan', shows: 'Look up' });
    await expect.poll(() => phone.page.evaluate(() => document.querySelector('video')?.videoWidth)).toBe(640);
    expect(await faultsIn(phone, 'camera')).toEqual([]);
  });
});

/** The rows follow one another on one phone. */
const samples: readonly Look[] = [
  { name: 'sample-route', at: '', shows: 'Next · stop 1' },
  { name: 'sample-ribbon', at: '', taps: ['Sample route'], shows: 'Start again' },
  { name: 'sample-offline', at: 'stop/2', taps: ['Sample route', 'Network on'], shows: 'Network off' },
  { name: 'sample-signed-out', at: 'day', taps: ['Sign out'], shows: 'it needs no password' },
];

describe('the sample route', () => {
  let phone: PagePhone;
  beforeAll(async () => {
    phone = await world.phone();
    await phone.start('?demo');
  });

  test.each(samples)('$name', async (look) => {
    await show(phone, look);
    expect(await faultsIn(phone, look.name)).toEqual([]);
  });
});

test('the app cannot open', async () => {
  const phone = await world.phone();
  await phone.context.addInitScript('Object.defineProperty(globalThis, "indexedDB", { value: undefined })');
  await (await phone.start()).sees('The app cannot open yet');
  expect(await faultsIn(phone, 'start-trouble')).toEqual([]);
});

/** Asked for one thing at a sign-in, or warned of another. */
describe('what happens to a driver', () => {
  test('no network', async () => {
    world.network.refuse();
    world.network.cut();
    await show(driver, { name: 'offline', at: '', shows: 'No network' });
    expect(await faultsIn(driver, 'offline')).toEqual([]);
    await show(driver, { name: 'day-offline', at: 'day', shows: 'No network' });
    expect(await faultsIn(driver, 'day-offline')).toEqual([]);
    await driver.goOnline();
  });

  test('an edit of the office in the inbox', async () => {
    await world.untilOnHost(routes.day.key, (stops) => stops.some(({ stop, status }) => stop === 1 && status === 'D'));
    await world.service.clerk.transaction(async (tx) => {
      await tx.execute(`update PODDTA.RTSTUP set RUSNAM = 'Ana Gil' where RURTE = 'R100' and RUSTP = 1`);
    });
    await show(driver, { name: 'inbox-news', at: 'inbox', shows: 'The office changed stop 1' });
    expect(await faultsIn(driver, 'inbox-news')).toEqual([]);
  });

  test('a phone hands over, and another one takes over', async () => {
    const phone = await world.phone();
    await phone.start();
    await phone.untilInstalled();
    await show(driver, { name: 'route', at: '', shows: 'Connected. All is saved.' });
    await show(driver, { name: 'hand-over-nothing', at: 'hand-over', shows: 'Nothing to hand over' });
    expect(await faultsIn(driver, 'hand-over-nothing')).toEqual([]);
    world.network.refuse();
    world.network.cut();
    await show(driver, {
      name: 'skip',
      at: 'stop/7/skip',
      taps: ['Out of hours', 'Skip stop 7'],
      shows: 'Where is this',
    });
    await show(driver, { name: 'hand-over', at: 'hand-over', shows: 'code 1 of' });
    expect(await faultsIn(driver, 'hand-over')).toEqual([]);
    await setLook(driver, 'light', 100);
    const file = await sendAsFile(driver, await temporaryFolder());
    const passphrase = await passphraseOn(driver);
    expect(await faultsIn(driver, 'passphrase')).toEqual([]);
    await show(driver, { name: 'display', at: 'display', taps: ['Español'], shows: 'English' });
    await show(driver, { name: 'hand-over', at: 'hand-over', shows: 'código 1 de' });
    expect(await faultsIn(driver, 'es-hand-over', ['light'])).toEqual([]);
    await show(driver, { name: 'display', at: 'display', taps: ['English'], shows: 'Español' });

    await show(phone, { name: 'take-over', at: 'take-over', shows: 'Open a file instead' });
    await phone.finger.sees('The camera cannot be used.');
    expect(await faultsIn(phone, 'take-over')).toEqual([]);
    await setLook(phone, 'light', 100);
    await openFile(phone, file);
    await phone.finger.sees('Ask its driver for the passphrase');
    expect(await faultsIn(phone, 'take-over-passphrase')).toEqual([]);
    await setLook(phone, 'light', 100);
    await phone.finger.type('Passphrase', misheard(passphrase));
    await phone.finger.sees('These figures do not open it.');
    expect(await faultsIn(phone, 'take-over-wrong')).toEqual([]);
    await setLook(phone, 'light', 100);
    await phone.finger.type('Passphrase', passphrase);
    await phone.finger.sees('1 change is here');
    expect(await faultsIn(phone, 'taken-over')).toEqual([]);
    await phone.page.close();
    await driver.goOnline();
  }, 240_000);

  test('in Spanish', async () => {
    await show(driver, { name: 'display', at: 'display', shows: 'Español' });
    await driver.finger.tap('Español');
    for (const { name, at, taps } of screens) {
      if (at === undefined || taps) continue;
      await show(driver, { name, at, shows: '' });
      expect.soft(await faultsIn(driver, `es-${name}`, ['light'])).toEqual([]);
    }
    await show(driver, { name: 'display', at: 'display', shows: 'English' });
    await driver.finger.tap('English');
  });

  test('another driver of the route is signed in', async () => {
    await world.register(routes.day.helper);
    const phone = await world.phone();
    await enter(phone, routes.day.helper, password);
    await phone.finger.sees('is signed in on this route, too');
    expect(await faultsIn(phone, 'other-driver')).toEqual([]);
  });

  test('a one-time password asks for a new one', async () => {
    const { rest, database } = world.service;
    const employee_id = routes.short.driver;
    await database.pool.query(`update employee set phone = '312-555-1003' where id = $1`, [employee_id]);
    await rest.call(operations.resetPassword, { body: { employee_id } });
    const [oneTime = ''] = (await gateway.next('312-555-1003')).text.match(/\b[A-Z2-9]{8}\b/) ?? [];
    const phone = await world.phone();
    await enter(phone, employee_id, oneTime);
    await phone.finger.sees('Choose your own password');
    expect(await faultsIn(phone, 'own-password')).toEqual([]);
  });

  test('a clock that is wrong, and a session that ended', async () => {
    const phone = await world.phone();
    await phone.context.clock.install({ time: Date.now() + 300_000 });
    await phone.start();
    await phone.signIn(routes.long.driver);
    await phone.finger.sees('5 min ahead');
    expect(await faultsIn(phone, 'clock')).toEqual([]);
    await world.service.rest.take(operations.updatePassword, {
      body: { employee_id: routes.long.driver, current_password: password, new_password: `${password} again` },
    });
    await phone.finger.sees('Sign in again');
    expect(await faultsIn(phone, 'session-ended')).toEqual([]);
  });
});

async function enter(phone: PagePhone, employee: string, word: string): Promise<void> {
  const finger = await phone.start();
  await finger.type('Employee number', employee);
  await finger.type('Password', word);
  await finger.tap('Sign in');
}

/** Goes to a screen in the light theme at normal text. */
async function show(phone: PagePhone, { at, taps = [], shows }: Look): Promise<void> {
  await setLook(phone, 'light', 100);
  await phone.page.evaluate((hash) => void (location.hash = hash), `#/${at ?? ''}`);
  await settle(phone.page);
  for (const text of taps) await phone.finger.tap(text);
  await phone.finger.sees(shows);
}

async function setLook(phone: PagePhone, theme: Theme, text: number): Promise<void> {
  await phone.setText(text);
  await phone.page.evaluate(showTheme, theme);
  await settle(phone.page);
}

/** What is wrong with the present screen in any theme at any text size. Writes a picture of each. */
async function faultsIn(phone: PagePhone, name: string, shown: readonly Theme[] = themes): Promise<string[]> {
  const faults: string[] = [];
  if (documented.includes(name)) await phone.shot(`documents/app-${name}`, 'css');
  for (const text of texts)
    for (const theme of shown) {
      // The size of the text changes no colour.
      if (isSampled && text !== 100 && theme !== shown[0]) continue;
      await setLook(phone, theme, text);
      await phone.shot(`look-${name}-${theme}-${text}`);
      const found = await faultsOf(phone.page, theme === shown[0] || isThorough ? 'all' : 'colours');
      faults.push(...found.map((fault) => `${theme} ${text} %: ${fault}`));
    }
  return faults;
}

/** One stop delivered, one skipped, one half filled. */
async function record({ page, finger }: PagePhone): Promise<void> {
  const open = (hash: string) => page.evaluate((to) => void (location.hash = to), hash);
  await open('#/stop/1');
  await finger.tap('Deliver');
  await finger.sees('Where is this delivery now?');
  await open('#/stop/3/skip');
  await finger.tap('Out of hours');
  await finger.tap('Skip stop 3');
  await finger.sees('Where is this change now?');
  await open('#/stop/2');
  await finger.tap(line);
  await finger.tap('One less');
  await finger.tap('Damaged');
  await finger.tap('Save 19 of 20 without a photo');
  await finger.sees('1 damaged in transit');
  await finger.scan('4006381333931');
  await finger.tap('Leave it here');
  await open('#/stop/2/photos');
  await finger.photograph('Take a photo', await cameraPhoto(page, 51, [800, 600]));
  await finger.sees('Another photo');
  await open('#/stop/2');
  await finger.tap('4006381333931');
  await finger.photograph('Take a photo', await cameraPhoto(page, 53, [800, 600]));
  await finger.tap('Keep 1');
}
