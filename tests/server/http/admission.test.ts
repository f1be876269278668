import { operations } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import type { Reply } from '../../support/rest-client.ts';
import { startRestServer } from '../../support/rest-server.ts';

const { health, syncStops } = operations;

/** A server that lets three requests wait, and a database in which nothing can be written until it is let go. */
async function hangingDatabase(admissionLimits: { requests: number; bytes: number }) {
  const server = await startRestServer({ admissionLimits });
  const { pool } = server.database;
  await insertRoutes(pool, [{ facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1)] }]);
  const as = await signUp(server.client, '1001');
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('lock table stop_result in access exclusive mode');
  const letGo = async () => {
    await holder.query('commit');
    holder.release();
  };
  const put = (driver_comments: string) =>
    server.client.call(syncStops, { as, body: { id: 'R100', stops: [{ id: 1, updates: { driver_comments } }] } });
  return { server, put, letGo };
}

/** Sends ten at once; resolves when so many have been refused, with the rest still waiting. */
async function sendTen(put: (comment: string) => Promise<Reply>, refusals: number) {
  const refused: Reply[] = [];
  const enough = Promise.withResolvers<void>();
  const all = Array.from({ length: 10 }, async (_, n) => {
    const reply = await put(`comment ${n}`);
    if (reply.success) return reply;
    refused.push(reply);
    if (refused.length === refusals) enough.resolve();
    return reply;
  });
  await enough.promise;
  return { refused: [...refused], all };
}

test('what more than a few wait for is refused while the database hangs, and those few are served (contract §1)', async () => {
  const { server, put, letGo } = await hangingDatabase({ requests: 3, bytes: 1_000_000 });
  const { refused, all } = await sendTen(put, 7);
  for (const reply of refused) {
    expect(reply).toMatchObject({ status: 503, error: { code: 'DATABASE_UNAVAILABLE' } });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect((await server.client.call(health)).success).toBe(true);
  await letGo();
  expect((await Promise.all(all)).filter(({ success }) => success)).toHaveLength(3);
  expect((await put('afterwards')).success).toBe(true);
});

test('few long bodies count as many short ones (contract §1)', async () => {
  const { put, letGo } = await hangingDatabase({ requests: 1_000, bytes: 300 });
  const long = (comment: string) => put(comment.padEnd(200, '.'));
  const { all } = await sendTen(long, 9);
  await letGo();
  expect((await Promise.all(all)).filter(({ success }) => success)).toHaveLength(1);
});
