import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

const { health, readiness } = operations;
const uptime: unknown = expect.any(Number);

let server: RestServer;
const missing = new Set<string>();
let remarks: string[] = [];

/** A dependency that is available until a test takes it away, and then fails with its own message. */
const probe = (name: string, required: boolean) => ({
  name,
  required,
  check: async () => {
    if (missing.has(name)) throw new Error('connect ECONNREFUSED postgres://tailgate:secret@10.0.0.7');
  },
});

beforeAll(async () => {
  const silent = {
    name: 'worker',
    required: false,
    check: () => (missing.has('worker') ? Promise.withResolvers().promise : Promise.resolve()),
  };
  server = await startRestServer({
    remarks: async () => remarks,
    probes: [probe('database', true), probe('host', false), silent],
  });
});

describe('contract §7: health', () => {
  test.each(['v20', 'current'] as const)('is alive, %s', async (paths) => {
    const start = server.clock.now;
    server.clock.now = new Date(start.getTime() + 90_000);
    const reply = await server.client.call(health, { paths });
    expect(reply).toMatchObject({ message: 'ok', data: { version: '0.0.0-test', uptime_s: uptime } });
    expect(reply.data).toMatchObject({ uptime_s: 90 });
    server.clock.now = start;
  });

  test('is ready with every dependency available', async () => {
    for (const paths of ['v20', 'current'] as const)
      expect(await server.client.take(readiness, { paths })).toEqual({
        database: { ok: true, required: true },
        host: { ok: true, required: false },
        worker: { ok: true, required: false },
      });
  });

  test('a lost database is 503 with Retry-After, and names the missing dependency only', async () => {
    missing.add('database');
    const reply = await server.client.call(readiness);
    expect(reply).toMatchObject({
      status: 503,
      error: { code: 'DATABASE_UNAVAILABLE' },
      message: 'not ready: database',
    });
    expect(reply.data).toMatchObject({ database: { ok: false }, host: { ok: true } });
    expect(JSON.stringify(reply)).not.toContain('10.0.0.7');
    missing.clear();
  });

  test('a failing host takes no node out of service', async () => {
    missing.add('host');
    const reply = await server.client.call(readiness);
    expect(reply).toMatchObject({ status: 200, message: 'ready, without host', data: { host: { ok: false } } });
    missing.clear();
  });

  test('a degraded dependency is a sentence, beside the missing ones', async () => {
    const sentence = 'facility F77 has no time zone that exists: its times are in UTC';
    remarks = [sentence];
    expect((await server.client.call(readiness)).message).toBe(`ready; ${sentence}`);
    missing.add('host');
    expect((await server.client.call(readiness)).message).toBe(`ready, without host; ${sentence}`);
    missing.clear();
    remarks = [];
  });

  test('a dependency that never answers is reported as missing', async () => {
    missing.add('worker');
    expect((await server.client.call(readiness)).data).toMatchObject({ worker: { ok: false }, database: { ok: true } });
    missing.clear();
  });
});
