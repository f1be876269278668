import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoRoute } from '../system/service.ts';
import type { OfficeWorld } from './desk.ts';
import { openOfficeWorld } from './desk.ts';
import { acts, repeatAsLook } from './office-rights.ts';
import { deliver, driverOf } from './refusing-host.ts';

let world: OfficeWorld;
beforeAll(async () => {
  world = await openOfficeWorld();
  const driver = await driverOf(world.service, '1001');
  await deliver(world.service, driver, 'R100', 1, {
    driver_comments: 'Left at the dock <b>2</b>',
    store_emp_name: 'Ana Gil',
  });
  await deliver(world.service, driver, 'R100', 2, { store_emp_name: 'Nils Petersen' });
  await deliver(world.service, driver, 'R100', 3, { status: 'S' });
});
afterAll(() => expect(world.faults()).toEqual([]));

function pageOf(stop: number): string {
  const { facility, id, week_end } = demoRoute('R100');
  return `#/stop/${facility}/${id}/${week_end}/${stop}`;
}

/** The mail to this address, as the server without SMTP_URL stores it. */
async function mailTo(address: string): Promise<string | undefined> {
  const folder = join(world.service.env['DATA_DIR'] ?? '', 'mail');
  for (const name of (await readdir(folder)).filter((each) => each.endsWith('.eml'))) {
    const mail = await readFile(join(folder, name), 'utf8');
    if (mail.includes(`To: ${address}\r\n`)) return mail;
  }
  return undefined;
}

test('a proof goes to a store in at most 3 clicks, and both operators see it', async () => {
  const [desk, other] = [await world.desk('repair', pageOf(1)), await world.desk('admin', pageOf(1))];
  await desk.hand.sees('No proof was sent from the office.');
  desk.hand.count();
  await desk.hand.tap('Send proof');
  await desk.hand.sees('Left at the dock <b>2</b>');
  await desk.hand.sees('The driver has recorded no signature.');
  await desk.hand.type('Mail address of the store', 'receiving@store.example');
  await desk.hand.tap('Send it');
  await desk.hand.sees('The mail to receiving@store.example is on its way.');
  expect(desk.hand.count()).toEqual({ taps: 2, fields: 1 });
  await desk.hand.sees('delivered to the mail server');
  await other.hand.sees('sent by REPAIR');
  expect(await mailTo('receiving@store.example')).toContain('Left at the dock <b>2</b>');
});

test('a second operator confirms a second proof, and each of them reads who was first', async () => {
  const [first, second] = [await world.desk('admin', pageOf(2)), await world.desk('repair', pageOf(2))];
  for (const { hand } of [first, second]) {
    await hand.tap('Send proof');
    await hand.sees('What the store reads');
  }
  await first.hand.tap('Send it');
  await first.hand.sees('is on its way.');
  await second.hand.sees('ADMIN was here first, at');
  await second.hand.sees('and sent a proof of this stop');
  await second.hand.tap('Send it');
  expect(second.acts).toEqual([]);
  await second.hand.tap('I have read it: decide anew');
  await second.hand.tap('Send it');
  await second.hand.sees('is on its way.');
  expect(second.acts).toHaveLength(1);
});

test('the known address of the store is there: two clicks, no field', async () => {
  const desk = await world.desk('repair', pageOf(2));
  desk.hand.count();
  await desk.hand.tap('Send proof');
  await desk.hand.sees('What the store reads');
  await desk.hand.tap('Send it');
  await desk.hand.sees('is on its way.');
  expect(desk.hand.count()).toEqual({ taps: 2, fields: 0 });
});

test('a wrong address is named; what was typed outlives a reload', async () => {
  const desk = await world.desk('repair', pageOf(2));
  await desk.hand.tap('Send proof');
  await desk.hand.type('Mail address of the store', 'no address');
  await desk.hand.tap('Send it');
  await desk.hand.sees('must be one mail address');
  await desk.page.reload();
  await desk.hand.tap('Send proof');
  await desk.hand.sees('What the store reads');
  expect(await desk.page.getByLabel('Mail address of the store').inputValue()).toBe('no address');
});

test('a stop that is not delivered says what is missing, and a clerk who may only look sees who may send', async () => {
  const desk = await world.desk('repair', pageOf(3));
  await desk.hand.tap('Send proof');
  await desk.hand.sees('This stop has no proof yet.');
  await desk.hand.sees('The stop is not delivered.');
  expect(await desk.hand.read()).not.toContain('Mail address of the store');
  const clerk = await world.desk('look', pageOf(1));
  await clerk.hand.tap('Send proof');
  await clerk.hand.sees('What the store reads');
  expect(await clerk.hand.read()).not.toContain('Mail address of the store');
});

test('the keyboard alone sends it', async () => {
  const desk = await world.desk('repair', pageOf(1));
  await desk.hand.sees('Send proof');
  desk.hand.count();
  await desk.page.getByRole('button', { name: 'Send proof' }).focus();
  await desk.page.keyboard.press('Enter');
  await desk.hand.sees('What the store reads');
  await desk.page.keyboard.press('Tab');
  await desk.page.keyboard.press('ControlOrMeta+a');
  await desk.page.keyboard.type('keys@store.example');
  await desk.page.keyboard.press('Enter');
  await desk.hand.sees('The mail to keys@store.example is on its way.');
  expect(desk.hand.count()).toEqual({ taps: 0, fields: 0 });
});

/** Last: it repeats what the tests above have sent. */
test('every request of a button is refused with the token of a clerk who may only look', async () => {
  expect(world.acts().length).toBeGreaterThan(2);
  expect(await repeatAsLook(world)).toEqual(acts.proof);
});
