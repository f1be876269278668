import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

let ordinary: RestServer;
let forApps: RestServer;

const app = 'https://drivers.example.com';
const shell = 'capacitor://localhost';

beforeAll(async () => {
  ordinary = await startRestServer();
  const { database } = ordinary;
  forApps = await startRestServer({ database, publicUrl: 'https://pod.example.com', corsOrigins: [app, shell] });
});

describe('security headers of every answer', () => {
  test.each([
    ['a success', 'GET', '/api/health'],
    ['a refusal', 'GET', '/api/route'],
    ['an unknown path', 'GET', '/nothing'],
    ['a malformed path', 'GET', '/api/health?a=%zz'],
  ])('%s', async (_, method, path) => {
    const { headers } = await ordinary.client.send(method, path);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-powered-by')).toBe(null);
    expect(headers.get('server')).toBe(null);
  });

  test('require TLS only for requests over TLS', async () => {
    const headerOf = async (server: RestServer) =>
      (await server.client.call(operations.health)).headers.get('strict-transport-security');
    expect(await headerOf(forApps)).toMatch(/^max-age=\d{8}; includeSubDomains$/);
    // A browser with that rule from http://localhost could not return there.
    expect(await headerOf(ordinary)).toBe(null);
  });
});

describe('other origins', () => {
  const from = (server: RestServer, origin: string) => server.client.call(operations.health, { headers: { origin } });
  const preflight = (server: RestServer, origin: string) =>
    fetch(`${server.client.url}/api/route/stop`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'employee_id,api_token,content-type,idempotency-key',
      },
    });

  test('may not read answers by default', async () => {
    expect((await from(ordinary, app)).headers.get('access-control-allow-origin')).toBe(null);
    expect((await preflight(ordinary, app)).status).toBe(404);
  });

  test('that are listed may read answers, and never with cookies', async () => {
    for (const origin of [app, shell]) {
      const { headers } = await from(forApps, origin);
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('vary')).toContain('Origin');
      expect(headers.get('access-control-allow-credentials')).toBe(null);
      const asked = (await preflight(forApps, origin)).headers;
      expect(asked.get('access-control-allow-origin')).toBe(origin);
      expect(asked.get('access-control-allow-methods')).toContain('PUT');
      for (const name of ['employee_id', 'api_token', 'content-type', 'idempotency-key'])
        expect(asked.get('access-control-allow-headers')).toContain(name);
    }
  });

  test.each(['https://evil.example', 'null', `${app}.evil.example`, app.replace('https', 'http')])(
    '%s is refused',
    async (origin) => {
      expect((await from(forApps, origin)).headers.get('access-control-allow-origin')).toBe(null);
      expect((await preflight(forApps, origin)).headers.get('access-control-allow-origin')).toBe(null);
    },
  );
});
