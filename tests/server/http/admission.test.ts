import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { operations } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import type { Reply } from '../../support/rest-client.ts';
import { startRestServer } from '../../support/rest-server.ts';

const { health, submitLoadReport, syncStops } = operations;

/** A server that lets three requests wait, and a database whose writes are blocked until the test releases it. */
async function serverWithBlockedWrites(admissionLimits: { requests: number; bytes: number }) {
  const server = await startRestServer({ admissionLimits });
  const { pool } = server.database;
  await insertRoutes(pool, [{ facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1)] }]);
  const as = await signUp(server.client, '1001');
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('lock table stop_result in access exclusive mode');
  const unblock = async () => {
    await holder.query('commit');
    holder.release();
  };
  const put = (driver_comments: string) =>
    server.client.call(syncStops, { as, body: { id: 'R100', stops: [{ id: 1, updates: { driver_comments } }] } });
  return { server, put, unblock };
}

/** Sends ten requests at once; resolves when this many have been refused, with the rest still waiting. */
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

test('the server refuses requests above its queue while the database hangs, and serves the queued ones (contract §1)', async () => {
  const { server, put, unblock } = await serverWithBlockedWrites({ requests: 3, bytes: 1_000_000 });
  const { refused, all } = await sendTen(put, 7);
  for (const reply of refused) {
    expect(reply).toMatchObject({ status: 503, error: { code: 'DATABASE_UNAVAILABLE' } });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect((await server.client.call(health)).success).toBe(true);
  await unblock();
  expect((await Promise.all(all)).filter(({ success }) => success)).toHaveLength(3);
  expect((await put('afterwards')).success).toBe(true);
});

test('the queue is limited in bytes, too (contract §1)', async () => {
  const { put, unblock } = await serverWithBlockedWrites({ requests: 1_000, bytes: 300 });
  const long = (comment: string) => put(comment.padEnd(200, '.'));
  const { all } = await sendTen(long, 9);
  await unblock();
  expect((await Promise.all(all)).filter(({ success }) => success)).toHaveLength(1);
});

test('unauthenticated bodies share one memory limit and do not delay drivers', async () => {
  const { client, database } = await startRestServer({ unauthenticatedBytes: 300_000, maxJsonMb: 0.25 });
  await insertRoutes(database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1)] },
  ]);
  const as = await signUp(client, '1001');
  const json = { 'content-type': 'application/json' };
  const long = `"${'x'.repeat(200_000)}"`;
  const report = async () => (await client.call(submitLoadReport, { raw: long, headers: json })).error?.code;
  // The server reads a single one and refuses it.
  expect(await report()).toBe('VALIDATION_FAILED');

  const { port } = new URL(client.url);
  const begin = () => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('POST /api/report/load-condition HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n');
    socket.write(`content-length: 250000\r\n\r\n${long}`);
    return socket;
  };
  let slow = begin();
  // The server refuses the body that reaches the bound. That may be the slow one, where both arrive at the same time.
  const reportBeside = async () => {
    if (slow.readableLength > 0) {
      slow.destroy();
      slow = begin();
    }
    await expect.poll(() => slow.writableLength).toBe(0);
    return report();
  };
  await expect.poll(reportBeside).toBe('DATABASE_UNAVAILABLE');
  const short = await client.call(submitLoadReport, { raw: '"x"', headers: json });
  expect(short.error?.code).toBe('VALIDATION_FAILED');
  expect((await client.call(syncStops, { as, raw: long, headers: json })).error?.code).toBe('VALIDATION_FAILED');

  slow.destroy();
  // A body above the limit is no longer counted; after its answer the server only discards the rest.
  for (let n = 0; n < 3; n++) {
    const tooLong = connect(Number(port), '127.0.0.1');
    tooLong.write('POST /api/report/load-condition HTTP/1.1\r\nhost: x\r\ncontent-type: Application/JSON\r\n');
    tooLong.write('connection: close\r\ntransfer-encoding: chunked\r\n\r\n');
    for (let piece = 0; piece < 20; piece++) tooLong.write(`30d40\r\n${'x'.repeat(200_000)}\r\n`);
    tooLong.write('0\r\n\r\n');
    await expect.poll(() => tooLong.writableLength).toBe(0);
    expect(await text(tooLong)).toMatch(/^HTTP\/1\.1 (413|503) /);
  }
  await expect.poll(report).toBe('VALIDATION_FAILED');
});
