import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { download } from '../support/uploads.ts';
import { textSizes } from './sampling.ts';
import { decode, hashOf, textsOf } from './stored-files.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

const { short, long } = routes;
let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld();
  await world.register(short.driver, long.driver);
});
afterEach(() => world.network.accept());

/** The host's row of a stop, once the host has it. */
async function hostRow(route: typeof long.key, stop: number) {
  const where = `RUFAC = '${route.facility}' and RURTE = '${route.id}' and RUWKE = '${route.week_end}' and RUSTP = ${stop}`;
  await expect.poll(async () => (await world.service.show('RTSTUP', where)).map(({ RUSTS }) => RUSTS)).toEqual(['D']);
  const [row] = await world.service.show('RTSTUP', where);
  return { signer: String(row?.RUSNAM).trim(), signature: String(row?.RUSIG).trim() };
}

describe.each(textSizes)('with text at $textPercent percent', ({ textPercent }) => {
  const stop = textPercent === 100 ? 11 : 12;

  test('A4: name and signature take five taps from the list, and the recipient sees what differs', async () => {
    const phone = await world.phone({ textPercent });
    const finger = await phone.start();
    await phone.signIn(long.driver);
    await finger.tap('Show');
    finger.count();
    await finger.tap(`Prairie Mart #${stop}`);
    await finger.tap('Name and signature');
    await finger.type('Name of the person who signs', 'Rosa Delgado');
    await phone.shot(`signature-empty-${textPercent}`);
    await finger.draw('Signature field');
    await phone.shot(`signature-${textPercent}`);
    await finger.tap('Done');
    await finger.seesNo('You receive');
    await finger.tap('Deliver');
    expect(finger.count()).toEqual({ taps: 4, fields: 1 });
    await phone.shot(`signed-${textPercent}`);
    await finger.sees('Its files');
    const { signer, signature } = await hostRow(long.key, stop);
    expect(signer).toBe('Rosa Delgado');

    const { bytes, headers } = await download(world.service.rest, signature);
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('content-disposition')).toContain(`signature-R900-${stop}.png`);
    const picture = await decode(phone.page, bytes);
    expect(picture).toMatchObject({ width: 900, height: 300, isOnWhite: true });
    expect(picture.dark).toBeGreaterThan(0.003);
    const texts = textsOf(bytes);
    const list = texts['Tailgate list'] ?? '';
    expect(texts).toMatchObject({
      'Tailgate route': `F01 R900 ${long.key.week_end}`,
      'Tailgate list SHA-256': hashOf(Buffer.from(list)),
    });
    expect(JSON.parse(list)).toMatchObject({ stop, pieces: [expect.any(Number), expect.any(Number)] });
  });
});

test('strokes survive a turned phone and a kill before Done, and can be cleared', async () => {
  const phone = await world.phone();
  let finger = await phone.start();
  await phone.signIn(short.driver);
  await phone.untilInstalled();
  await phone.goOffline();
  await finger.tap('Open stop 1');
  await finger.tap('Name and signature');
  await finger.draw('Signature field');
  await finger.sees('Done, no name');
  await expect.poll(() => phone.page.evaluate(inkOnScreen)).toBeGreaterThan(100);

  await phone.page.setViewportSize({ width: 640, height: 360 });
  await expect.poll(() => phone.page.evaluate(inkOnScreen)).toBeGreaterThan(50);
  await finger.draw('Signature field');
  await phone.shot('signature-landscape');
  await phone.page.setViewportSize({ width: 360, height: 640 });
  await expect.poll(() => phone.page.evaluate(inkOnScreen)).toBeGreaterThan(50);

  finger = await phone.restart();
  await finger.tap('Open stop 1');
  await finger.tap('Name and signature');
  await finger.sees('Done, no name');
  await expect.poll(() => phone.page.evaluate(inkOnScreen)).toBeGreaterThan(100);
  await finger.tap('Clear and sign again');
  await finger.sees('Sign first');
  expect(await phone.page.evaluate(inkOnScreen)).toBe(0);
});

test('the recipient reads the list in another language, and the driver’s own returns after it, also after a kill', async () => {
  const phone = await world.phone();
  let finger = await phone.start();
  await phone.signIn(short.driver);
  await finger.tap('Open stop 1');
  await finger.tap('Name and signature');
  await finger.tap('Español');
  await finger.sees('Usted recibe');
  await finger.draw('Campo de firma');
  await phone.shot('signature-spanish');
  await phone.page.goBack();
  await finger.sees('Missing: scan');
  // The draft keeps the strokes.
  await finger.tap('Name and signature');
  await finger.sees('Done, no name');
  await expect.poll(() => phone.page.evaluate(inkOnScreen)).toBeGreaterThan(100);
  await finger.type('Name of the person who signs', 'Łucja Wiśniewska');
  await finger.sees('The back office will read:');
  await phone.shot('signature-host-name');
  await finger.tap('Español');
  await finger.sees('Usted recibe');
  finger = await phone.restart();
  await finger.tap('Open stop 1');
  await finger.sees('Missing: scan');

  // Back before the file is made: the stop goes on from where the driver is, and gets the signature.
  await finger.tap('Name and signature');
  await finger.sees('The back office will read:');
  await phone.page.evaluate(holdPicture);
  await finger.tap('Done');
  await phone.page.goBack();
  await finger.tap('Comment');
  await finger.type('What should the office know?', 'Ring twice');
  await finger.tap('Close');
  await phone.page.evaluate(() => dispatchEvent(new Event('picture')));
  await finger.seesNo(' · signature');
  await finger.sees('Ring twice');
  expect(new URL(phone.page.url()).hash).toBe('#/stop/1');
});

/** Runs in the page: holds the pictures of canvases back until the event `picture`. */
const holdPicture = `
  const { toBlob } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.toBlob = function (...given) {
    addEventListener('picture', () => toBlob.apply(this, given), { once: true });
  };
`;

test('A19: differences come first, and a count that changes after the signature asks for another one', async () => {
  const phone = await world.phone();
  const finger = await phone.start();
  await phone.signIn(long.driver);
  await finger.tap('Show');
  await finger.tap('Prairie Mart #13');
  await finger.tap('Cases');
  await finger.tap('Large Eggs');
  await finger.tap('One less');
  await finger.tap('Short');
  await finger.tap('Save');
  await finger.tap('Name and signature');
  await finger.sees(/You receive 20 lines \d+ of \d+ pieces Large Eggs 15 dz \d+ of \d+ 1 short on truck/);
  await phone.shot('signature-differs');
  await finger.draw('Signature field');
  await finger.tap('Done');
  await finger.seesNo('You receive');
  expect(await finger.read()).not.toContain(' · signature');

  await finger.tap('Large Eggs');
  await finger.tap('One less');
  await finger.tap('Save');
  await finger.sees('new signature');
  await phone.shot('signature-again');
  await finger.tap('Name and signature');
  // The strokes were made under another list.
  await finger.sees('Sign first');
  expect(await phone.page.evaluate(inkOnScreen)).toBe(0);
  await finger.draw('Signature field');
  await finger.tap('Done');
  await finger.seesNo('You receive');
  expect(await finger.read()).not.toContain('new signature');
});

test('A19: strokes leave the field when the list changes under them', async () => {
  const phone = await world.phone();
  const finger = await phone.start();
  await phone.signIn(long.driver);
  const { page } = phone.tab;
  await page.evaluate(() => void (location.hash = '#/stop/15/sign'));
  await finger.draw('Signature field');
  await finger.sees('Done');
  expect(await page.evaluate(inkOnScreen)).toBeGreaterThan(0);
  // Another window of the same phone.
  const other = await phone.start('#/stop/15');
  await other.tap('Cases');
  await other.tap('Large Eggs');
  await other.tap('One less');
  await other.tap('Short');
  await other.tap('Save');
  await finger.sees('Sign first');
  await expect.poll(() => page.evaluate(inkOnScreen)).toBe(0);
});

test('a delivered stop shows the recorded name; another one is recorded without new strokes', async () => {
  const phone = await world.phone();
  const finger = await phone.start();
  await phone.signIn(long.driver);
  await phone.page.evaluate(() => void (location.hash = '#/stop/16'));
  await finger.tap('Name and signature');
  await finger.type('Name of the person who signs', 'Rosa Delgado');
  await finger.draw('Signature field');
  await finger.tap('Done');
  await finger.seesNo('You receive');
  await finger.tap('Deliver');
  await finger.sees('Its files');
  const { signature } = await hostRow(long.key, 16);
  await finger.tap('Close');
  await phone.page.evaluate(() => void (location.hash = '#/stop/16'));
  await finger.tap('Name and signature');
  await finger.type('Name of the person who signs', 'Ana Reyes');
  await finger.tap('Back');
  await finger.sees('Rosa Delgado');
  expect(await finger.read()).not.toContain('Ana Reyes');
  await finger.tap('Name and signature');
  await finger.tap('Done');
  await finger.sees('Corrected');
  expect(await finger.read()).toContain('Ana Reyes');
  await expect.poll(() => hostRow(long.key, 16)).toEqual({ signer: 'Ana Reyes', signature });
});

/** Pixels of the field that have ink. */
function inkOnScreen(): number {
  const canvas = document.querySelector('canvas');
  const { data } = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
  let count = 0;
  for (let i = 3; i < data.length; i += 4) if ((data[i] ?? 0) > 0) count++;
  return count;
}
