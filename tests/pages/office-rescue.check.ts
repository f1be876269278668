import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newPassphrase, packQueues } from '@tailgate/client-sdk/rescue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fileText } from '../../server/web/driver/model/rescue.ts';
import { TestQueue } from '../support/sealing.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { demoRoute } from '../system/service.ts';
import type { Desk, OfficeWorld } from './desk.ts';
import { openOfficeWorld } from './desk.ts';
import { drop } from './dropped-file.ts';
import { hostile } from './hostile-data.ts';
import { acts, repeatAsLook } from './office-rights.ts';
import { faultsOf } from './looks.ts';
import { driverOf } from './refusing-host.ts';
import { misheard } from './rescue.ts';

let world: OfficeWorld;
let folder: string;
beforeAll(async () => {
  [world, folder] = [await openOfficeWorld(), await temporaryFolder()];
  await driverOf(world.service, '1001');
});
afterAll(() => expect(world.faults()).toEqual([]));

const signature = 'ABCDEFGHJKMNPQRS';

/** The export of a phone: changes of these stops. One has a signature that is still on the phone. */
function exported(stops: readonly number[], comment = 'from the broken phone') {
  const queue = new TestQueue();
  const route = demoRoute('R100');
  const mutations = stops.map((id, place) => {
    const updates = { driver_comments: comment, ...(place === 0 && { signature_id: signature }) };
    const args = { route, stop: { id, updates } };
    return { ...queue.seal('stop.update', args), args };
  });
  const sealed = { sealed_seq: stops.length, sealed_link: null, exported_at: new Date().toISOString() };
  const head = { format: 'tailgate-queue/1' as const, client_id: queue.clientId, employee_id: '1001', queue_key: null };
  return { ...head, ...sealed, mutations };
}

async function written(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function choose({ hand, page }: Desk, path: string, text = 'Choose the file'): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), hand.tap(text)]);
  await chooser.setFiles(path);
}

test('B12: a locked file is dropped, opened and sent in 1 click; each change has its result, and twice is harmless', async () => {
  const passphrase = newPassphrase();
  const queue = exported([2, 77]);
  const parcel = fileText(await packQueues([queue], passphrase));
  const desk = await world.desk('repair', '#/phones');
  const { hand } = desk;
  hand.count();
  await hand.tap('Rescue desk');
  await hand.sees('Drop the file of the phone here');
  await drop(desk.page, { name: `${hostile}.txt`, bytes: Buffer.from(parcel) });
  await hand.sees(`${hostile}.txt is locked`);
  await hand.type('Passphrase', misheard(passphrase));
  await hand.sees('These figures do not open it.');
  await hand.type('Passphrase', passphrase);
  await hand.sees('2 changes');
  await hand.sees('1 file, not in this file');
  await hand.sees('The server does not know this phone.');
  await desk.shot('office-rescue-before');
  await hand.tap('Send 2 changes to the server');
  await hand.sees('All 2 changes have an answer.');
  await hand.sees('1 applied, 0 already here, 1 for a decision, 0 not taken');
  await hand.sees(`1 photo or signature is only on the phone: ${signature}`);
  // One field is the attempt that failed.
  expect(hand.count()).toEqual({ taps: 2, fields: 2 });
  await desk.shot('office-rescue-after');
  expect(await desk.page.locator('main img').count()).toBe(0);
  expect(await faultsOf(desk.page)).toEqual([]);

  await hand.tap('Send the same file once more');
  await hand.sees('0 applied, 1 already here, 1 for a decision, 0 not taken');
  await hand.tap('R100 · stop 2');
  await hand.sees('from the broken phone');
  await desk.page.goBack();
  await hand.sees('1 already here');
});

test('the clerk chooses a file by the keyboard, and each wrong file has a sentence', async () => {
  const desk = await world.desk('repair', '#/rescue');
  const { hand, page } = desk;
  const queue = exported([3], hostile);
  const wrong = [
    { name: 'letter.txt', text: 'Dear office', says: 'is no file of a hand-over' },
    { name: 'other.json', text: '{"format":"tailgate-queue/9"}', says: 'is no file of a hand-over' },
    { name: 'cut.txt', text: 'TGR1:abcdef:1/2:AAAA', says: 'A part of cut.txt is missing' },
    { name: 'none.json', text: '[]', says: 'none.json has no changes' },
    { name: 'huge.txt', text: 'x'.repeat(21 * 1024 * 1024), says: 'more than 20 MB' },
    { name: 'photo-ABCDEFGHJKMNPQRS.jpg', text: 'x', says: 'is a picture' },
  ];
  for (const { name, text, says } of wrong) {
    await choose(desk, await written(name, text));
    await hand.sees(says);
  }
  // The key reaches the file field, which opens the dialog of the computer.
  await page.evaluate(() => {
    document.querySelector('input[type=file]')?.addEventListener('click', (event) => {
      event.preventDefault();
      document.body.dataset['opened'] = 'by a key';
    });
  });
  await page.getByRole('button', { name: 'Choose the file' }).press('Enter');
  await expect.poll(() => page.evaluate(() => document.body.dataset['opened'])).toBe('by a key');
  await drop(page, { name: 'queue.json', bytes: Buffer.from(JSON.stringify(queue)) });
  await hand.sees('1 change');
});

test('a connection that is lost in the middle keeps the file, and the rest goes on by itself', async () => {
  const path = await written('long.json', JSON.stringify([exported(Array.from({ length: 120 }, () => 4))]));
  const desk = await world.desk('repair', '#/rescue');
  const { hand, page } = desk;
  let sent = 0;
  await page.route('**/rescue', (route) => (++sent === 2 ? route.abort() : route.continue()));
  await choose(desk, path);
  await hand.tap('Send 120 changes to the server');
  await hand.sees('100 of 120 are sent');
  await hand.tap('Try now');
  await hand.sees('All 120 changes have an answer.');
  await hand.sees('120 applied, 0 already here, 0 for a decision, 0 not taken');
  expect(sent).toBe(3);
});

test('a reader sees the contents and cannot send; the request is refused with a reader’s token', async () => {
  const path = await written('reader.json', JSON.stringify([exported([5])]));
  const desk = await world.desk('look', '#/rescue');
  await choose(desk, path);
  await desk.hand.sees('This needs the role “May repair”');
  await desk.hand.sees('1 change');
  expect(await desk.hand.read()).not.toContain('Send 1 change');
  expect(await repeatAsLook(world)).toEqual(acts.rescue);
});
