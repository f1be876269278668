import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { routeScope } from '@tailgate/sync-protocol';
import { fastify } from 'fastify';
import { describe, expect, test } from 'vitest';
import type { Queryable } from '../../../server/src/db/types.ts';
import { serveSnapshots } from '../../../server/src/sync/plain-http/snapshot.ts';
import { plan } from '../../support/mirror.ts';
import { Replica } from '../../support/replica.ts';
import { askSnapshot, readSnapshot } from '../../support/snapshot.ts';
import { key, startWithTwoRoutes } from './short-and-long-route.ts';

const scope = routeScope(key);
const { node, driver, otherDriver } = await startWithTwoRoutes({ id: 'R900', stops: 150, products: 20 });

describe('a snapshot', () => {
  test('contains the full scope at its version, with a matching checksum', async () => {
    const snapshot = await readSnapshot(node, driver, scope);
    expect(snapshot).toMatchObject({ scope, epoch: '1.1', to: 1, deletes: [], hosted_through: 1, parked: [] });
    const replica = new Replica();
    replica.take(snapshot);
    expect(replica.value('plan/2')).toEqual(plan(2));
    expect(replica.value('result/1')).toEqual({ status: 'P' });
    expect(replica.value('route')).toMatchObject({ id: 'R1', status: 'O', drivers: [{ id: '1001' }] });
  });

  test('is not sent again to a client that has it, until the route or its host state changes', async () => {
    const first = await askSnapshot(node, driver, scope);
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const again = await askSnapshot(node, driver, scope, { 'if-none-match': etag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    for (const change of ['version = version + 1', 'hosted_through = hosted_through + 1']) {
      await node.database.pool.query(`update route set ${change} where id = 'R1'`);
      const moved = await askSnapshot(node, driver, scope, { 'if-none-match': etag });
      expect(moved.status).toBe(200);
      expect(moved.headers.get('etag')).not.toBe(etag);
    }
  });

  test('of 150 stops and 20 products each is small; uncompressed on request', async () => {
    const r900 = 'route:F01:R900:20261121';
    const { hostname, port } = new URL(node.client.url);
    const ask = (accepted: Record<string, string>) =>
      node.app.inject({
        url: `/api/sync/snapshot?scope=${r900}`,
        headers: { ...driver, ...accepted, host: `${hostname}:${port}` },
      });
    const raw = await ask({ 'accept-encoding': 'br, gzip' });
    expect(raw.headers['content-encoding']).toBe('gzip');
    expect(raw.rawPayload.length).toBeLessThan(40_000);
    const smaller = await ask({ 'accept-encoding': 'gzip, deflate, br, zstd' });
    expect(smaller.headers['content-encoding']).toBe('zstd');
    expect(smaller.rawPayload.length).toBeLessThan(raw.rawPayload.length / 2);
    const plain = await ask({});
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.rawPayload).toEqual(gunzipSync(raw.rawPayload));
    expect(plain.rawPayload).toEqual(zstdDecompressSync(smaller.rawPayload));
    expect(plain.json()).toMatchObject({ docs: { length: 301 } });
  });

  test('contains codes:all, too', async () => {
    expect(await readSnapshot(node, driver, 'codes:all')).toMatchObject({
      scope: 'codes:all',
      epoch: '1',
      to: 0,
      docs: [],
    });
  });

  test.each([
    ['without credentials', () => undefined, scope, 401, 'MISSING_CREDENTIALS'],
    ['with a wrong token', () => ({ ...driver, api_token: 'x' }), scope, 401, 'INVALID_TOKEN'],
    ['by a driver of another route', () => otherDriver, scope, 403, 'NOT_ASSIGNED'],
    ['of an unknown route', () => driver, 'route:F01:R7:20261121', 403, 'NOT_ASSIGNED'],
    ['of an unknown scope', () => driver, 'route', 400, 'VALIDATION_FAILED'],
    ["of a queue's answers", () => driver, 'client:4b0f5a4e-7f0c-4b0e-9c67-0e8a5a0f7a11', 400, 'VALIDATION_FAILED'],
  ])('is refused %s', async (_name, who, asked, status, code) => {
    const response = await askSnapshot(node, who(), asked);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ success: false, data: null, error: { code } });
  });

  test('accepts headers that are spelled with hyphens', async () => {
    const headers = { 'employee-id': driver.employee_id, 'api-token': driver.api_token };
    expect((await askSnapshot(node, undefined, scope, headers)).status).toBe(200);
  });

  test('is read once for many simultaneous requests', async () => {
    const { http, asked } = counting();
    const ask = () => http.inject({ url: `/snapshot?scope=${scope}`, headers: { ...driver } });
    const replies = await Promise.all(Array.from({ length: 50 }, ask));
    expect(new Set(replies.map((reply) => reply.body)).size).toBe(1);
    // One read of the whole, and one version check for all requests that arrived meanwhile.
    expect(asked).toEqual(['sync_read_routes', 'sync_read_routes']);
    await ask();
    expect(asked).toHaveLength(3);
    await node.database.pool.query(`update route set version = version + 1 where id = 'R1'`);
    const moved = await Promise.all(Array.from({ length: 50 }, ask));
    expect(new Set(moved.map((reply) => reply.headers['etag'])).size).toBe(1);
    expect(moved[0]?.headers['etag']).not.toBe(replies[0]?.headers['etag']);
    expect(asked).toHaveLength(5);
    await http.close();
  });

  test('is read from the database for its first reader, and not for a client that has it', async () => {
    const { http, asked } = counting();
    const url = `/snapshot?scope=${scope}`;
    const { etag } = (await http.inject({ url, headers: { ...driver } })).headers;
    expect(asked).toHaveLength(1);
    await http.close();
    const restarted = counting();
    const again = await restarted.http.inject({ url, headers: { ...driver, 'if-none-match': String(etag) } });
    expect([again.statusCode, again.body, restarted.asked.length]).toEqual([304, '', 1]);
    await restarted.http.close();
  });
});

/** A server of snapshots alone, and the names of its database statements. */
function counting() {
  const asked: string[] = [];
  const db: Queryable = {
    query: (statement, values) => {
      asked.push(typeof statement === 'string' ? statement : statement.name);
      return node.database.pool.query(statement, values);
    },
  };
  const http = fastify();
  serveSnapshots(http, {
    path: '/snapshot',
    db,
    sessions: { authenticate: async () => ({ employee: '1001' }) },
    serverEpoch: 1,
  });
  return { http, asked };
}
