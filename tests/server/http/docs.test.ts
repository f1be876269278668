import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { restDocument } from '../../../server/src/http/operations.ts';
import { channelDocument } from '../../../server/src/sync/asyncapi/document.ts';
import { startRestServer, type RestServer } from '../../support/rest-server.ts';
import { WebProxy } from '../../support/web-proxy.ts';

let server: RestServer;
const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.client.url + path, { headers, redirect: 'manual' });

beforeAll(async () => {
  // Contract §8: the documentation is open under both.
  server = await startRestServer({ access: 'strict' });
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
    expect(await response.json()).toEqual(restDocument('0.0.0-test', '..'));
  });

  test('openapi.json names the server also behind the prefix of a proxy', async () => {
    const proxy = await WebProxy.start(server.client.url, { prefix: '/pod' });
    const address = `${proxy.url}/pod/docs/openapi.json`;
    const { servers } = z
      .object({ servers: z.array(z.object({ url: z.string() })) })
      .parse(await (await fetch(address)).json());
    expect(servers.map(({ url }) => new URL(url, address).href)).toEqual([`${proxy.url}/pod/`]);
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
