import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { buildPage } from '../../server/web/build/build-page.ts';
import { web } from '../../server/web/build/sources.ts';
import { startBrowser } from '../support/browser.ts';
import { startRestServer } from '../support/rest-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { WebProxy } from '../support/web-proxy.ts';

/** Waits until the app has drawn, and returns its text. */
async function drawn(page: Page): Promise<string> {
  await page.locator('#app > *').first().waitFor();
  return page.locator('#app').innerText();
}

test('the app runs under its policy behind a prefix, and opens without a network from the second start on', async () => {
  const pagesFolder = await temporaryFolder();
  const folder = join(pagesFolder, 'app');
  const source = join(web, 'driver');
  await buildPage({ source, folder, runtime: 'preact', development: false, firstLoadLimit: 1_000_000 });
  const server = await startRestServer({ access: 'strict', pagesFolder });
  const proxy = await WebProxy.start(server.client.url, { prefix: '/pod' });
  const address = `${proxy.url}/pod/app`;
  const context = await (await startBrowser()).newContext();
  const faults: string[] = [];
  context.on('weberror', (error) => faults.push(error.error().message));
  context.on('console', (line) => {
    if (/Content Security Policy|Permissions policy/i.test(line.text())) faults.push(line.text());
  });

  const first = await context.newPage();
  await first.goto(address);
  expect(first.url()).toBe(`${address}/`);
  const text = await drawn(first);
  // The policy refuses the `eval` of Playwright's own `waitForFunction`.
  await expect.poll(() => first.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  const cached = await first.evaluate(async () => {
    const names = await caches.keys();
    const files = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return files.flat().map(({ url }) => new URL(url).pathname);
  });
  expect(cached).toContain('/pod/app/');
  expect(cached.filter((path) => !path.startsWith('/pod/app/'))).toEqual([]);
  await first.close();

  await proxy.stop();
  const second = await context.newPage();
  await second.goto(`${address}/?again`);
  expect(await drawn(second)).toBe(text);
  expect(faults).toEqual([]);
  await context.close();
});
