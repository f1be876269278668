import { describe, expect, test } from 'vitest';
import { failure } from '../../support/envelope.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import { TestQueue } from '../../support/sealing.ts';
import { startSyncNode } from '../../support/sync-node.ts';

const key = { facility: 'F01', id: 'R1', week_end: '20261121' };
const node = await startSyncNode({ limits: { push_bytes: 5_000 } });
const { pool } = node.database;
await insertRoutes(pool, [{ ...key, weekEnd: key.week_end, drivers: ['1001'], stops: [plan(1)] }]);
const driver = await signUp(node.client, '1001');

const post = (headers: Record<string, string>, body: object): Promise<Response> =>
  fetch(`${node.client.url}/api/sync/push`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('pushes over plain HTTP', () => {
  test('above the bound of their bytes are refused while the database hangs, and pass when they come again', async () => {
    const bodies = Array.from({ length: 10 }, () => {
      const queue = new TestQueue();
      const stop = { id: 1, updates: { driver_comments: 'x'.repeat(1_700) } };
      return { client_id: queue.clientId, mutations: [queue.seal('stop.update', { route: key, stop })] };
    });
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('lock table stop_result in access exclusive mode');
    const refused: { body: object; response: Response }[] = [];
    const enough = Promise.withResolvers<void>();
    const all = bodies.map(async (body) => {
      const response = await post({ ...driver }, body);
      if (response.status === 503) refused.push({ body, response });
      if (refused.length === 8) enough.resolve();
      return response.status;
    });
    await enough.promise;
    for (const { response } of refused) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(failure.parse(await response.json()).error.code).toBe('DATABASE_UNAVAILABLE');
    }
    await holder.query('commit');
    holder.release();
    expect((await Promise.all(all)).filter((status) => status === 200)).toHaveLength(2);
    for (const { body } of refused) expect((await post({ ...driver }, body)).status).toBe(200);
  });

  test('of a caller without its key take no place of a queue', async () => {
    const { clientId } = new TestQueue();
    const body = { client_id: clientId, mutations: [] };
    expect((await post({ ...driver }, body)).status).toBe(200);
    const guesses = Array.from({ length: 12 }, () => post({ employee_id: '1001', queue_key: 'guess' }, body));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401]));
  });

  test('that end free their own place, and no other', async () => {
    const queue = new TestQueue();
    const item = queue.seal('stop.update', { route: key, stop: { id: 1, updates: { driver_comments: 'slow' } } });
    const body = { client_id: queue.clientId, mutations: [] };
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('lock table stop_result in access exclusive mode');
    const slow = post({ ...driver }, { ...body, mutations: [item] });
    await expect.poll(async () => (await pool.query('select from pg_locks where not granted')).rowCount).toBe(1);
    expect((await post({ ...driver }, body)).status).toBe(200);
    const { pushes_in_flight } = node.hub.limits;
    Object.assign(node.hub.limits, { pushes_in_flight: 1 });
    expect((await post({ ...driver }, body)).status).toBe(429);
    await holder.query('commit');
    holder.release();
    expect((await slow).status).toBe(200);
    expect((await post({ ...driver }, body)).status).toBe(200);
    Object.assign(node.hub.limits, { pushes_in_flight });
  });
});
