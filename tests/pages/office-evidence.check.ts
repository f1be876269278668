import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../server/src/http/operations.ts';
import { unzipped } from '../server/ops/unzipped.ts';
import { operatorPassword } from '../support/operators.ts';
import { opsToken } from '../support/rest-server.ts';
import { demoRoute } from '../system/service.ts';
import type { Desk, OfficeWorld } from './desk.ts';
import { openOfficeWorld } from './desk.ts';
import { drop } from './dropped-file.ts';
import { faultsOf } from './looks.ts';
import { acts, repeatAsLook } from './office-rights.ts';
import { deliver, driverOf } from './refusing-host.ts';
import { withoutReads, withReads } from './second-operator.ts';
import { takeShot } from './shots.ts';

let world: OfficeWorld;
beforeAll(async () => {
  world = await openOfficeWorld();
  const driver = await driverOf(world.service, '1001');
  await deliver(world.service, driver, 'R100', 1, { driver_comments: 'At the dock', store_emp_name: 'Ana Gil' });
  await deliver(world.service, driver, 'R100', 2, { status: 'S' });
});
afterAll(() => expect(world.faults()).toEqual([]));

function pageOf(stop: number): string {
  const { facility, id, week_end } = demoRoute('R100');
  return `#/stop/${facility}/${id}/${week_end}/${stop}`;
}

/** The members of the pack that a click saves. */
async function saved(desk: Desk): Promise<{ name: string; members: Map<string, Buffer> }> {
  const [file] = await Promise.all([desk.page.waitForEvent('download'), desk.hand.tap('Save it')]);
  return { name: file.suggestedFilename(), members: unzipped(await readFile(await file.path())) };
}

test('a pack is saved in two clicks, after its missing parts are read, and is an act', async () => {
  const desk = await world.desk('repair', pageOf(1));
  await desk.hand.sees('One file for somebody outside');
  desk.hand.count();
  await desk.hand.tap('Make the evidence pack');
  await desk.hand.sees('1 recorded change');
  await desk.hand.sees('The driver has recorded no signature.');
  const { name, members } = await saved(desk);
  expect(desk.hand.count()).toEqual({ taps: 2, fields: 0 });
  const { facility, week_end } = demoRoute('R100');
  expect(name).toBe(`evidence_${facility}_R100_${week_end}_1.zip`);
  expect(String(members.get('pack.json'))).toContain('At the dock');
  expect(String(members.get('evidence.pdf')?.subarray(0, 8))).toBe('%PDF-1.7');
  await desk.hand.sees(`The pack ${name} is saved.`);
  const query = '?subject_kind=evidence';
  const known = await world.service.rest.take(operations.listActs, { headers: world.headers.repair, query });
  expect(known).toMatchObject([{ by: 'REPAIR', act: 'makeEvidence', stop_id: 1 }]);
});

test('names stay out on request, and a skipped stop says that nothing was delivered', async () => {
  const desk = await world.desk('repair', pageOf(1));
  await desk.hand.tap('Make the evidence pack');
  await desk.hand.tap('Without names');
  await desk.hand.sees('All hashes stay.');
  await desk.hand.sees('_without-names.zip');
  const { members } = await saved(desk);
  expect(String(members.get('pack.json'))).not.toMatch(/At the dock|Ana Gil/);
  const other = await world.desk('repair', pageOf(2));
  await other.hand.tap('Make the evidence pack');
  await other.hand.sees('Nothing was delivered: the pack says so.');
});

test('a saved pack is checked in words; with one byte changed it is tampered', async () => {
  const desk = await world.desk('repair', pageOf(1));
  await desk.hand.tap('Make the evidence pack');
  await desk.hand.sees('1 recorded change');
  const [file] = await Promise.all([desk.page.waitForEvent('download'), desk.hand.tap('Save it')]);
  const bytes = await readFile(await file.path());
  const name = 'pack.zip';
  const choose = (buffer: Buffer) =>
    desk.page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/zip', buffer });
  await desk.hand.tap('Check evidence');
  await desk.hand.sees('Drop an evidence pack here');
  await drop(desk.page, { name: 'dropped.zip', bytes });
  await desk.hand.sees('dropped.zip');
  await desk.hand.sees('Intact. The signer is unknown');
  await desk.hand.sees('The PDF and the pack carry the same pack.json.');
  await desk.shot('office-check');
  expect(await faultsOf(desk.page)).toEqual([]);
  bytes[bytes.indexOf('At the dock')] = 0x61;
  await choose(bytes);
  await desk.hand.sees('Tampered: the pack, or the log behind it, is not as it was made.');
  await desk.hand.sees('The bytes of pack.json are not those of its header.');
  await choose(Buffer.from('no pack'));
  await desk.hand.sees('Unreadable: this file is no evidence pack');
});

test('a clerk who may only look reads the preview and has no button', async () => {
  const desk = await world.desk('look', pageOf(1));
  await desk.hand.tap('Make the evidence pack');
  await desk.hand.sees('1 recorded change');
  expect(await desk.page.getByRole('button', { name: 'Save it' }).count()).toBe(0);
});

test('a legal hold is placed with a reason, covers the stop and its route, and an admin releases it', async () => {
  const desk = await world.desk('repair', pageOf(1));
  await desk.hand.sees('No legal hold.');
  desk.hand.count();
  await desk.hand.tap('Place a legal hold');
  await desk.hand.type('Why it is needed', 'claim 4711');
  await desk.hand.tap('Place the hold');
  await desk.hand.sees('by REPAIR');
  expect(desk.hand.count()).toEqual({ taps: 2, fields: 1 });
  expect(await desk.page.getByRole('button', { name: 'Release the hold' }).count()).toBe(0);
  await desk.shot('office-legal-hold');
  expect(await faultsOf(desk.page)).toEqual([]);
  const { facility, id, week_end } = demoRoute('R100');
  const chief = await world.desk('admin', `#/route/${facility}/${id}/${week_end}`);
  await chief.hand.sees('claim 4711');
  await chief.hand.sees('stop 1');
  chief.hand.count();
  await chief.hand.type('Why it is no longer needed', 'the claim is settled');
  await chief.shot('office-legal-hold-route');
  // What is typed outlives a reload.
  await chief.page.reload();
  await chief.hand.sees('claim 4711');
  await chief.hand.tap('Release the hold');
  await chief.hand.sees('No legal hold.');
  expect(chief.hand.count()).toEqual({ taps: 1, fields: 1 });
  expect(await faultsOf(chief.page)).toEqual([]);

  // A second release is refused with the author of the first, also after the hold has left the list.
  const scope = { facility, route_id: id, week_end };
  const { rest } = world.service;
  const placed = { headers: world.headers.admin, body: { scope, reason: 'claim 4712' } };
  const { legal_hold_id } = await rest.take(operations.placeLegalHold, placed);
  await chief.page.reload();
  await chief.hand.type('Why it is no longer needed', 'my own sentence');
  await withoutReads(chief);
  const headers = { authorization: `Bearer ${opsToken}` };
  const body = { by: 'COUNSEL', reason: 'settled out of court' };
  await rest.take(operations.releaseLegalHold, { headers, params: { legal_hold_id }, body });
  await chief.hand.tap('Release the hold');
  await chief.hand.sees('machine:COUNSEL was here first, at');
  await withReads(chief);
  await chief.hand.sees('No legal hold.');
  await chief.hand.sees('It is in force no longer.');
  await chief.hand.sees('machine:COUNSEL was here first, at');
  expect(await chief.page.getByLabel('Why it is no longer needed').inputValue()).toBe('my own sentence');
});

test('a link gives the pack once to somebody without an account, and a revoked one gives none', async () => {
  const desk = await world.desk('repair', pageOf(1));
  await desk.hand.tap('Make the evidence pack');
  await desk.hand.sees('Send it as a link');
  await desk.hand.type('For whom it is', 'insurer, claim 4711');
  // What is typed outlives a reload.
  await desk.page.reload();
  await desk.hand.tap('Make the evidence pack');
  await desk.hand.tap('Make the link');
  await desk.hand.sees('Send this address now');
  const address = (await desk.page.locator('code').textContent()) ?? '';
  expect(address).toMatch(/\/evidence\/#[\w-]{43}$/);
  await desk.shot('office-evidence-link');
  expect(await faultsOf(desk.page)).toEqual([]);
  // The address is there once: the lock keeps it.
  await desk.hand.tap('Lock');
  await desk.hand.type('Password', operatorPassword);
  await desk.hand.tap('Unlock');
  await desk.hand.sees(address);
  await desk.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await desk.hand.tap('Copy the address');
  await desk.hand.sees('The address is copied.');
  expect(await desk.page.evaluate(() => navigator.clipboard.readText())).toBe(address);
  // As over plain HTTP.
  await desk.page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await desk.hand.tap('Copy the address');
  await desk.hand.sees('The browser does not let this page copy.');

  const small = { locale: 'es-MX', viewport: { width: 390, height: 844 }, acceptDownloads: true };
  const context = await world.browser.newContext(small);
  const page = await context.newPage();
  await page.goto(address);
  await page.getByText('Le da un archivo, una sola vez.').waitFor();
  await takeShot(page, 'evidence-link-es');
  expect(await faultsOf(page)).toEqual([]);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByText('Tomar el archivo').click()]);
  expect(String(unzipped(await readFile(await file.path())).get('pack.json'))).toContain('At the dock');
  await page.getByText('Este enlace ya está usado.').waitFor();
  await page.reload();
  await page.getByText('Tomar el archivo').click();
  await page.getByText('Este enlace se usó, se anuló o caducó.').waitFor();
  await page.goto('about:blank');
  await page.goto(address.split('#')[0] ?? '');
  await page.getByText('Esta dirección no está completa.').waitFor();
  await desk.hand.sees('taken at');

  await desk.hand.type('For whom it is', 'the store');
  await desk.hand.tap('Make the link');
  await desk.hand.tap('Revoke the link');
  await desk.hand.sees('revoked at');
  expect(await repeatAsLook(world)).toEqual(acts.evidence);
  await context.close();
});
