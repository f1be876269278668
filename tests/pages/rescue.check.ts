import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { writeCodeFilm } from './code-film.ts';
import { countOperations, stopAtOperation } from './counted-operations.ts';
import type { PagePhone } from './page-phone.ts';
import { misheard, openFile, passphraseOn, sendAsFile } from './rescue.ts';
import { atTextSizes } from './sampling.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

const { day, short, long } = routes;
let world: PageWorld;
let folder: string;
let film: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  film = join(folder, 'film.y4m');
  world = await openPageWorld({}, [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-video-capture=${film}`,
  ]);
  await world.register(day.driver, short.driver, long.driver);
});
afterEach(async () => {
  await world.network.accept();
  // The camera would read the codes of this test in the next one.
  await rm(film, { force: true });
});

/** A phone that opens without a network, on its first screen. */
async function freshPhone(options: Parameters<PageWorld['phone']>[0] = {}) {
  const phone = await world.phone(options);
  await phone.start();
  await phone.untilInstalled();
  return phone;
}

/** Delivers the next stop as planned. */
async function deliverNext({ finger }: PagePhone): Promise<void> {
  await finger.tap('Open stop');
  await finger.tap('Deliver');
  await finger.sees('Where is this delivery now?');
  await finger.tap('Close');
}

/** How many changes of a stop the server has taken. */
async function timesRecorded(route: string, stop: number): Promise<number | undefined> {
  const { rows } = await world.service.database.pool.query<{ n: number }>(
    `select count(*)::int as n from ledger where source = 'sync' and route_id = $1 and stop_id = $2`,
    [route, stop],
  );
  return rows[0]?.n;
}

describe.each(
  atTextSizes([
    { textPercent: 100, driver: short.driver, key: short.key, stops: 3 },
    { textPercent: 200, driver: day.driver, key: day.key, stops: 13 },
  ]),
)('with text at $textPercent percent', ({ textPercent, driver, key, stops }) => {
  test('A15: codes and a passphrase bring a phone’s changes to another one, offline; both send, each counts once', async () => {
    const other = await freshPhone({ textPercent });
    const phone = await freshPhone({ textPercent });
    await phone.signIn(driver);
    await phone.untilStored(stops);
    await phone.goOffline();
    await deliverNext(phone);
    await deliverNext(phone);
    const { finger } = phone;
    finger.count();
    await finger.tap('My day');
    await finger.tap('Hand over to another phone');
    await finger.sees('code 1 of');
    await phone.shot(`hand-over-${textPercent}`);
    const [, of = '0'] = /code 1 of (\d+)/.exec(await finger.read()) ?? [];
    const pictures = await filmed(phone, Number(of));
    const steps = finger.count().taps - 2;
    expect(steps).toBe(Number(of) - 1);
    await finger.tap('Next: passphrase');
    expect(finger.count()).toEqual({ taps: 1, fields: 0 });
    const passphrase = await passphraseOn(phone);
    await phone.shot(`passphrase-${textPercent}`);
    await writeCodeFilm(film, phone.page, pictures);

    other.finger.count();
    await other.finger.tap('Take over a phone');
    await other.finger.sees('The other phone’s work is here');
    await other.shot(`take-over-${textPercent}`);
    await other.finger.type('Passphrase', passphrase);
    await other.finger.sees('2 changes are here');
    expect(other.finger.count()).toEqual({ taps: 1, fields: 1 });
    await other.finger.sees(`Driver ${driver}, 2 changes`);
    await other.finger.sees(`Route ${key.id}`);
    await other.shot(`taken-over-${textPercent}`);

    await phone.goOnline();
    await other.goOnline();
    await finger.tap('Done');
    await finger.sees('Connected. All is saved.');
    await other.finger.tap('Sign in');
    await other.finger.seesNo('are on their way');
    await world.untilOnHost(key, (rows) => rows.filter(({ status }) => status === 'D').length === 2);
    expect([await timesRecorded(key.id, 1), await timesRecorded(key.id, 2)]).toEqual([1, 1]);
  });
});

test('the file brings them, too: the first phone is dead, and the other one sends alone', async () => {
  const phone = await freshPhone();
  await phone.signIn(long.driver);
  await phone.untilStored(150);
  const other = await freshPhone({ width: 390, height: 844 });
  await other.signIn(day.driver);
  await other.untilStored(13);
  await phone.goOffline();
  await other.finger.sees('No network');
  await deliverNext(phone);
  const { finger } = phone;
  finger.count();
  await finger.tap('My day');
  await finger.tap('Hand over to another phone');
  const file = await sendAsFile(phone, folder);
  expect(finger.count()).toEqual({ taps: 3, fields: 0 });
  await finger.sees('The file is in the downloads of this phone.');
  const passphrase = await passphraseOn(phone);
  const text = await readFile(file, 'utf8');
  for (const secret of [...passphrase.split(' '), long.driver]) {
    expect(file).not.toContain(secret);
    expect(text.split(':')[0]).not.toContain(secret);
  }
  await phone.shot('passphrase-file');
  await phone.kill();

  const cut = join(folder, 'cut.txt');
  await writeFile(cut, text.replace(':1/1:', ':1/2:'));
  const letter = join(folder, 'letter.txt');
  await writeFile(letter, 'Dear driver');
  other.finger.count();
  await other.finger.tap('My day');
  await other.finger.tap('Take over a phone');
  expect(other.finger.count()).toEqual({ taps: 2, fields: 0 });
  await openFile(other, letter);
  await other.finger.sees('This file is not from a hand-over.');
  await openFile(other, cut);
  await other.finger.sees('A part of this file is missing.');
  await other.shot('take-over-file');
  await openFile(other, file);
  await other.finger.type('Passphrase', misheard(passphrase));
  await other.finger.sees('These figures do not open it.');
  await other.shot('take-over-wrong');
  await other.finger.type('Passphrase', ` ${passphrase.replaceAll(' ', '-')}`);
  await other.finger.sees('1 change is here');
  await other.finger.tap('Back to the route');
  // The client is a new one, and this driver goes on without a reload.
  await deliverNext(other);

  await other.finger.tap('My day');
  await other.finger.sees(`${long.driver}, 1 thing`);
  await other.shot('day-taken-over');
  await other.finger.tap('Take over a phone');
  await openFile(other, file);
  await other.finger.type('Passphrase', passphrase);
  await other.finger.sees('This phone has all of it already');
  await other.shot('taken-over-twice');
  await other.finger.tap('Back to the route');

  await other.goOnline();
  await world.untilOnHost(long.key, (rows) => rows.some(({ stop, status }) => stop === 1 && status === 'D'));
  await other.finger.sees('Connected. All is saved.');
  const again = await phone.start();
  await again.sees('Connected. All is saved.');
  expect(await timesRecorded(long.key.id, 1)).toBe(1);
});

test('killed at the n-th operation of a take-over: no own work is lost, and what came counts once', async ({
  annotate,
}) => {
  const phone = await freshPhone();
  await phone.signIn(day.driver);
  await phone.untilStored(13);
  const other = await world.phone();
  await other.context.addInitScript(countOperations);
  await other.start();
  await other.untilInstalled();
  await other.signIn(long.driver);
  await other.untilStored(150);
  await phone.goOffline();
  await other.finger.sees('No network');
  const before = [await timesOfStops(day.key.id), await timesOfStops(long.key.id)];

  const all = await takeOver(phone, other, Infinity);
  await annotate(`${all.length} operations: ${all.join(', ')}`);
  // The client asks for the server while it has no network: before and behind the write.
  const names = all.slice(0, all.indexOf('committed') + 1);
  expect(names.filter((name) => name !== 'request')).toEqual(['write', 'put queue', 'put item', 'committed']);
  for (const [place] of names.entries()) await takeOver(phone, other, place + 1);
  const once = Array<number>(1 + names.length).fill(1);
  await other.goOnline();
  await other.finger.sees('Connected. All is saved.');
  // Each queue has a connection of its own: the other driver's changes may follow the own ones.
  await expect
    .poll(async () => [await timesOfStops(day.key.id), await timesOfStops(long.key.id)], { timeout: 60_000 })
    .toEqual(before.map((times) => [...times, ...once]));
});

/** How many changes of each stop of a route the server has taken. */
async function timesOfStops(route: string): Promise<number[]> {
  const { rows } = await world.service.database.pool.query<{ n: number }>(
    `select count(*)::int as n from ledger where source = 'sync' and route_id = $1 group by stop_id order by stop_id`,
    [route],
  );
  return rows.map(({ n }) => n);
}

/**
 * Both phones deliver a stop. The other one takes over by a file, is killed at the n-th operation, and takes over again.
 *
 * @returns the names of the operations
 */
async function takeOver(phone: PagePhone, other: PagePhone, n: number): Promise<readonly string[]> {
  await deliverNext(phone);
  await phone.finger.tap('My day');
  await phone.finger.tap('Hand over to another phone');
  const file = await sendAsFile(phone, folder);
  const passphrase = await passphraseOn(phone);
  await phone.finger.tap('Done');
  await phone.finger.tap('Route');

  await deliverNext(other);
  const [next = ''] = /Next · stop \d+/.exec(await other.finger.read()) ?? [];
  const open = async (): Promise<void> => {
    await other.finger.tap('My day');
    await other.finger.tap('Take over a phone');
    await openFile(other, file);
    await other.finger.sees('Ask its driver for the passphrase');
  };
  await open();
  if (n === Infinity) {
    await other.page.evaluate(() => globalThis.operations.begin(Infinity));
    await other.finger.type('Passphrase', passphrase);
    await other.finger.sees('1 change is here');
    await other.finger.tap('Back to the route');
    return other.page.evaluate(() => globalThis.operations.names);
  }
  const { stopped } = await stopAtOperation(other.page, n);
  const story = other.finger.type('Passphrase', passphrase).then(() => other.finger.sees('Back to the route'));
  await Promise.race([stopped, story]);
  await other.kill();
  await story.catch(() => undefined);

  await other.start();
  await other.finger.sees(next);
  await open();
  await other.finger.type('Passphrase', passphrase);
  await other.finger.sees('Back to the route');
  await other.finger.sees(/1 change is here|This phone has all of it already/);
  await other.finger.tap('Back to the route');
  await other.finger.sees(next);
  return [];
}

test('while another window of the app runs the client, a sentence says so, and the next attempt works', async () => {
  const phone = await freshPhone();
  await phone.signIn(short.driver);
  await phone.untilStored(3);
  const other = await freshPhone();
  await phone.goOffline();
  await deliverNext(phone);
  await phone.finger.tap('My day');
  // A phone without a driver hands over, too: from the sign-in page.
  await phone.finger.tap('Sign out');
  await phone.finger.sees('1 change by');
  await phone.finger.tap('Hand over to another phone');
  const file = await sendAsFile(phone, folder);
  const passphrase = await passphraseOn(phone);
  const window = await other.context.newPage();
  await window.goto(world.address);
  await window.getByText('Who is driving?').waitFor();
  await other.page.bringToFront();
  await other.finger.tap('Take over a phone');
  await openFile(other, file);
  await other.finger.type('Passphrase', passphrase);
  await other.finger.sees('The app is open in another window of this phone.');
  await other.shot('take-over-in-use');
  await window.close();
  await other.finger.tap('Take over');
  await other.finger.sees('1 change is here');
  await expect.poll(() => other.finger.read()).toContain(`Driver ${short.driver}, 1 change`);
});

test('photos and signatures do not fit into codes: the screen counts them, and shares them with the work', async () => {
  const phone = await world.phone();
  await phone.context.addInitScript(shareInPage);
  await phone.start();
  await phone.untilInstalled();
  await phone.signIn(long.driver);
  await phone.untilStored(150);
  await phone.goOffline();
  const { finger } = phone;
  await finger.tap('Open stop');
  await finger.tap('Name and signature');
  await finger.type('Name of the person who signs', 'Rosa Delgado');
  await finger.draw('Signature field');
  await finger.tap('Done');
  await finger.tap('Deliver');
  await finger.sees('Where is this delivery now?');
  await finger.tap('Close');
  await finger.tap('My day');
  await finger.tap('Hand over to another phone');
  await finger.sees('1 photo or signature does not fit into codes.');
  await finger.tap('Share 1 file');
  const shared = () => phone.page.evaluate(() => globalThis.shared);
  await expect.poll(shared).toEqual([expect.stringMatching(/^(.+-)?[0-9A-Z]{16}\.png image\/png$/)]);
  await phone.shot('hand-over-files');
  await finger.tap('Send as a file instead');
  await finger.sees('Say these figures aloud.');
  expect(await shared()).toContain('tailgate-hand-over.txt text/plain');
  expect(await finger.read()).not.toContain('downloads of this phone');
  // A phone without a share menu says where the files are.
  await phone.page.evaluate(() => void (navigator.canShare = () => false));
  await finger.tap('Share 1 file');
  await finger.sees('The files are in the downloads of this phone.');
});

test('the codes run by themselves while the page is shown, and not for a reader who wants less motion', async () => {
  const phone = await world.phone();
  await phone.context.clock.install();
  await phone.start();
  await phone.untilInstalled();
  await phone.signIn(long.driver);
  await phone.untilStored(150);
  await phone.goOffline();
  await deliverNext(phone);
  const { finger, page } = phone;
  await finger.tap('My day');
  await finger.tap('Hand over to another phone');
  await finger.sees('code 1 of');
  await page.clock.runFor(5_000);
  await finger.sees('code 1 of');
  await finger.tap('Run');
  await finger.sees('code 2 of');
  await finger.tap('Hold');
  const held = await codeShown(phone);
  await page.clock.runFor(5_000);
  expect(await codeShown(phone)).toBe(held);
  await finger.tap('Run');
  await page.evaluate(hide, true);
  const hidden = await codeShown(phone);
  await page.clock.runFor(5_000);
  expect(await codeShown(phone)).toBe(hidden);
  await page.evaluate(hide, false);
  await expect.poll(() => codeShown(phone)).not.toBe(hidden);

  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await finger.tap('Back');
  await finger.tap('Hand over to another phone');
  await finger.sees('code 2 of');
});

const codeShown = async ({ finger }: PagePhone) => /code \d+ of/.exec(await finger.read())?.[0];

/** As the platform does when another app comes to the front: a headless browser shows all its pages. */
function hide(isHidden: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden });
  document.dispatchEvent(new Event('visibilitychange'));
}

declare global {
  /** Names and types of shared files. */
  var shared: string[];
}

/** Runs in the page before the app: Chromium on Linux shares no files, and phones do. */
function shareInPage(): void {
  globalThis.shared = [];
  navigator.canShare = ({ files = [] } = {}) => files.every(({ type }) => /^(text|image)\//.test(type));
  navigator.share = async ({ files = [] } = {}) => {
    globalThis.shared.push(...files.map(({ name, type }) => `${name} ${type}`));
  };
}

/** Pictures of all codes, as the other phone’s camera sees them. */
async function filmed(phone: PagePhone, of: number): Promise<Buffer[]> {
  const pictures: Buffer[] = [];
  for (let n = 1; n <= of; n++) {
    if (n > 1) await phone.finger.tap(`On to code ${n}`);
    await phone.finger.sees(`code ${n} of ${of}`);
    pictures.push(await phone.page.getByRole('img', { name: `Code ${n} of ${of} for the other phone` }).screenshot());
  }
  return pictures;
}
