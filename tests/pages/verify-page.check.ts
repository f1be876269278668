import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { singlePage } from '../../server/web/build/single-page.ts';
import { web } from '../../server/web/build/sources.ts';
import { startBrowser } from '../support/browser.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { chainedPack } from '../verify/packs.ts';
import { logged, originOfPacks, provenPack, signer, witness } from '../verify/proven-pack.ts';
import { drop } from './dropped-file.ts';
import { faultsOf } from './looks.ts';
import { takeShot } from './shots.ts';

// The page of one file, opened from a disk as by a double click.

const key = signer(originOfPacks);
const outside = witness();
const log = logged(key, { witnesses: [outside] });
const trust = `log ${key.text}\nwitness outside ${outside.text}`;
let page: Page;
let pack: Buffer;
/** The addresses that the page asked for. */
const asked: string[] = [];
const errors: string[] = [];

beforeAll(async () => {
  const file = join(await temporaryFolder(), 'verify.html');
  await writeFile(file, await singlePage(join(web, 'verify'), { runtime: 'preact', development: false }));
  pack = await provenPack(log.log);
  const browser = await startBrowser();
  page = await browser.newPage();
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(pathToFileURL(file).href);
});

async function choose(buffer: Buffer): Promise<void> {
  await page.locator('input[type=file]').setInputFiles({ name: 'pack.zip', mimeType: 'application/zip', buffer });
}

const sees = (text: string) => page.getByText(text).first().waitFor();

test('a pack is proven by keys that the reader has from elsewhere', async () => {
  await choose(pack);
  await sees('Intact. The signer is unknown');
  await page.getByLabel('Keys that you trust').fill(trust);
  await page.getByLabel('A stored checkpoint').fill(log.checkpoint(6));
  await choose(pack);
  await sees('Proven: the pack is intact');
  await sees('The checkpoint from elsewhere fits the log of this pack.');
  await takeShot(page, 'verify-page');
  expect(await faultsOf(page)).toEqual([]);
});

test('a dropped pack with one byte changed is tampered', async () => {
  const changed = Buffer.from(pack);
  const at = changed.indexOf('Ana Gil');
  changed[at] = 0x45;
  await drop(page, { name: 'dropped.zip', bytes: changed });
  await sees('Tampered: the pack, or the log behind it, is not as it was made.');
  await expect(sees('dropped.zip')).resolves.toBeUndefined();
});

test('a pack with gaps, one without proofs and no pack have words of their own', async () => {
  const [first, ...leaves] = log.log.leaves;
  const proofs = new Map([...log.log.proofs].filter(([name]) => name !== first?.proof));
  await choose(await provenPack({ ...log.log, leaves, proofs }));
  await sees('Intact with gaps');
  await page.getByLabel('A stored checkpoint').fill('');
  await choose(await chainedPack());
  await sees('No seal: the signer is unknown.');
  await choose(Buffer.from('no pack'));
  await sees('Unreadable: this file is no evidence pack');
  await page.getByLabel('Keys that you trust').fill('no key');
  await choose(pack);
  await expect(sees('A line of the trusted keys is no key.')).resolves.toBeUndefined();
});

test('the page loads nothing, and its policy lets it load nothing', async () => {
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(/^file:/);
  expect(errors).toEqual([]);
  const isRefused = await page.evaluate(() => fetch('http://127.0.0.1:9/').catch(String));
  expect(isRefused).toContain('Failed to fetch');
  await expect.poll(() => errors.join('\n')).toContain('Content Security Policy');
});
