import axe from 'axe-core';
import type { Browser, Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { insertRoutes, plan } from '../support/mirror.ts';
import { password } from '../support/people.ts';
import { startRestServer, type RestServer } from '../support/rest-server.ts';
import { patienceMs } from './finger.ts';

let server: RestServer;

beforeAll(async () => {
  server = await startRestServer({ access: 'strict' });
  const stops = [plan(1), plan(999, 0)];
  const weekEnd = '20261121';
  await insertRoutes(server.database.pool, [{ facility: 'F01', id: 'R100', weekEnd, drivers: ['1001'], stops }]);
});

let browser: Browser | undefined;

/** Opens the page; an error in it, or a request to another server, is a fault. */
async function open(width: number, path = '/docs', shown = '.opblock'): Promise<{ page: Page; faults: string[] }> {
  browser ??= await startBrowser();
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  page.setDefaultTimeout(patienceMs);
  const faults: string[] = [];
  page.on('console', (line) => {
    if (line.type() === 'error') faults.push(line.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(server.client.url))
      faults.push(request.url());
  });
  await page.goto(`${server.client.url}${path}`);
  await page.locator(shown).first().waitFor();
  return { page, faults };
}

const operation = (page: Page, id: string): Locator => page.locator(`[id$="-${id}"].opblock`);

/** @returns the answer as the page shows it */
async function tryOut(page: Page, id: string, body?: object): Promise<string> {
  const box = operation(page, id);
  await box.locator('.opblock-summary-control').click();
  await box.getByRole('button', { name: 'Try it out' }).click();
  if (body) await box.locator('textarea').fill(JSON.stringify(body));
  await box.getByRole('button', { name: 'Execute' }).click();
  return box.locator('.live-responses-table .highlight-code').first().innerText();
}

test('a driver signs up, signs in and sees the route', async () => {
  const { page, faults } = await open(1280);
  const answer = await tryOut(page, 'signUp', { employee_id: '1001', password });
  const token = /"api_token": "([\w-]{43})"/.exec(answer)?.[1] ?? '';
  await page.locator('.btn.authorize').first().click();
  for (const [place, value] of ['1001', token].entries()) {
    const box = page.locator('.auth-container').nth(place);
    await box.locator('input').fill(value);
    await box.getByRole('button', { name: 'Apply' }).click();
  }
  await page.locator('.btn-done').first().click();
  expect(await tryOut(page, 'readRoute')).toContain('"message": "Pending route found for driver"');
  expect(faults).toEqual([]);
});

test('fits a phone', async () => {
  const { page, faults } = await open(360);
  await operation(page, 'syncStops').locator('.opblock-summary-control').click();
  await operation(page, 'syncStops').locator('.responses-table').first().waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  expect(faults).toEqual([]);
});

test.each([360, 1280])('the page of the sync channel shows every frame, %i px wide', async (width) => {
  const { page, faults } = await open(width, '/docs/channel', 'details[id="server.pong"]');
  const frames = await page.locator('details[id^="phone."], details[id^="server."]').count();
  expect(frames).toBeGreaterThanOrEqual(20);
  await page.locator('details[id="phone.push"] > summary').click();
  expect(await page.locator('details[id="phone.push"]').innerText()).toContain('"name": "stop.update"');
  await page.goto(`${server.client.url}/docs/channel#server.welcome`);
  await page.locator('details[id="server.welcome"][open]').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  await page.evaluate(axe.source);
  expect(await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))')).toEqual([]);
  expect(faults).toEqual([]);
});
