import axe from 'axe-core';
import type { Browser, Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { restDocument } from '../../../server/src/http/operations.ts';
import { channelDocument } from '../../../server/src/sync/asyncapi/document.ts';
import { startBrowser } from '../../support/browser.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { password } from '../../support/people.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

let server: RestServer;
const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.client.url + path, { headers, redirect: 'manual' });

beforeAll(async () => {
  // Contract §8: the documentation is open under both.
  server = await startRestServer({ access: 'strict' });
  const stops = [plan(1), plan(999, 0)];
  const weekEnd = '20261121';
  await insertRoutes(server.database.pool, [{ facility: 'F01', id: 'R100', weekEnd, drivers: ['1001'], stops }]);
});

describe('/docs', () => {
  test('is a page that contacts this server only', async () => {
    const response = await get('/docs');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
    expect(response.headers.get('link')).toContain('rel="service-desc"');
    expect(await response.text()).not.toMatch(/https?:/);
  });

  test('serves every file that the page names, compressed on request, with a tag for 304', async () => {
    const page = await (await get('/docs')).text();
    const named = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => `/${path}`);
    expect(named.length).toBeGreaterThanOrEqual(6);
    for (const path of named) {
      const response = await get(path, { 'accept-encoding': 'gzip' });
      expect([path, response.status, response.headers.get('content-encoding')]).toEqual([path, 200, 'gzip']);
      const plain = await get(path, { 'accept-encoding': 'gzip;q=0' });
      expect([path, plain.headers.get('content-encoding')]).toEqual([path, null]);
      expect(await plain.text()).toBe(await response.text());
      const etag = response.headers.get('etag') ?? '';
      expect(plain.headers.get('etag')).not.toBe(etag);
      const again = await get(path, { 'accept-encoding': 'gzip', 'if-none-match': etag });
      expect([path, again.status]).toEqual([path, 304]);
    }
  });

  test('openapi.json is the document, as this server generates it', async () => {
    const response = await get('/docs/openapi.json');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual(restDocument('0.0.0-test'));
  });

  test('asyncapi.json is the document of the sync channel, and its page contacts this server only', async () => {
    const response = await get('/docs/asyncapi.json');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual(channelDocument('0.0.0-test'));
    const page = await get('/docs/channel');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('link')).toContain('<asyncapi.json>; rel="service-desc"');
    const text = await page.text();
    expect(text).not.toMatch(/https?:/);
    for (const [, path] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      const { status } = await get(new URL(path ?? '', 'http://x/docs/channel').pathname);
      expect([path, status]).toEqual([path, 200]);
    }
    const slash = await get('/docs/channel/');
    expect([slash.status, slash.headers.get('location')]).toEqual([302, '../channel']);
  });

  test('a slash at its end is redirected, and an unknown file is 404', async () => {
    const slash = await get('/docs/');
    expect([slash.status, slash.headers.get('location')]).toEqual([302, '../docs']);
    expect((await get('/docs/nothing')).status).toBe(404);
  });
});

// A busy machine needs a minute for the browser and the page.
describe('in a browser', { timeout: 180_000 }, () => {
  let browser: Browser | undefined;

  /** Opens the page; an error in it, or a request to another server, is a fault. */
  async function open(width: number, path = '/docs', shown = '.opblock'): Promise<{ page: Page; faults: string[] }> {
    browser ??= await startBrowser();
    const page = await browser.newPage({ viewport: { width, height: 900 } });
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
});
