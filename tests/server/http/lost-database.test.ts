import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import { createDatabase } from '../../support/postgres.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

const { readRoute, syncStops, health, listRouteDrivers, signIn } = operations;

let server: RestServer;
let network: TcpProxy;
let driver: Signed;

beforeAll(async () => {
  const database = await createDatabase();
  network = await startTcpProxy(Number(new URL(database.url).port));
  server = await startRestServer({ database, databaseUrl: network.through(database.url) });
  await insertRoutes(database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1)] },
  ]);
  driver = await signUp(server.client, '1001');
});

const body = { id: 'R100', facility: 'F01', week_end: '20261121', stops: [{ id: 1, updates: { status: 'D' } }] };

describe('contract §1: the database is unreachable', () => {
  test('every call that needs it is 503 with Retry-After and without internals; health answers', async () => {
    await server.client.take(readRoute, { as: driver });
    network.refuse();
    network.cut();
    const replies = await Promise.all([
      server.client.call(readRoute, { as: driver }),
      server.client.call(syncStops, { as: driver, body }),
      server.client.call(listRouteDrivers),
      server.client.call(signIn, { body: { employee_id: '1001', password: 'whatever' } }),
    ]);
    for (const reply of replies) {
      expect(reply).toMatchObject({ status: 503, error: { code: 'DATABASE_UNAVAILABLE' }, data: null });
      expect(reply.message).toBe('The database cannot be reached now.');
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await server.client.call(health)).success).toBe(true);
  });

  test('when it returns, everything works again by itself, once', async () => {
    await network.accept();
    expect((await server.client.take(syncStops, { as: driver, body })).stops).toMatchObject([{ result: 'applied' }]);
    expect((await server.client.take(syncStops, { as: driver, body })).stops).toMatchObject([{ result: 'duplicate' }]);
  });
});
