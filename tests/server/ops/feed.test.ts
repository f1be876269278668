import { once } from 'node:events';
import { routeScope } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { startListener } from '../../../server/src/db/listen.ts';
import { operations } from '../../../server/src/http/operations.ts';
import { OpsFeed } from '../../../server/src/ops/feed/ops-feed.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { operatorHeaders } from '../../support/operators.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { restChange } from '../../support/rest-change.ts';
import { opsToken, startRestServer, type RestServer } from '../../support/rest-server.ts';

const machine = { authorization: `Bearer ${opsToken}` };
const key = { facility: 'F01', id: 'R100', week_end: '20261128' };
const route = { type: 'changed', subject: 'route', facility: 'F01', route_id: 'R100', week_end: '20261128' };

let server: RestServer;
let other: RestServer;

beforeAll(async () => {
  server = await startRestServer({ feed: { tickMs: 50 } });
  other = await startRestServer({ database: server.database });
  await insertRoutes(server.database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261128', drivers: ['1001'], stops: [plan(1)] },
  ]);
});

const line = z.looseObject({ type: z.string(), cursor: z.string() });
type Line = z.infer<typeof line>;

/** A page that follows. */
async function follow(headers: Record<string, string> = machine, query = '', url = server.client.url) {
  const aborted = new AbortController();
  const response = await fetch(`${url}/api/ops/feed${query}`, { headers, signal: aborted.signal });
  const stop = (): void => aborted.abort();
  onTestFinished(stop);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  const lines: Line[] = [];
  /** Undefined at the end. */
  const next = async (): Promise<Line | undefined> => {
    while (!rest.includes('\n')) {
      const read = await reader?.read();
      if (!read || read.done) return undefined;
      rest += read.value;
    }
    const at = rest.indexOf('\n');
    const shown = line.parse(JSON.parse(rest.slice(0, at)));
    rest = rest.slice(at + 1);
    lines.push(shown);
    return shown;
  };
  /** The next line that fits; lines of other subjects are skipped. */
  const until = async (wanted: object): Promise<Line> => {
    for (;;) {
      const shown = await next();
      if (shown === undefined) throw new Error(`the stream ended before ${JSON.stringify(wanted)}`);
      if (Object.entries(wanted).every(([name, value]) => shown[name] === value)) return shown;
    }
  };
  expect(await next()).toMatchObject({ type: 'hello' });
  return { next, until, stop, lines };
}

let edits = 0;
const edit = (node: RestServer) =>
  node.pipeline.submit(restChange(key, { id: 1, updates: { driver_comments: `edit ${(edits += 1)}` } }, '1001'));

describe('GET /api/ops/feed', () => {
  test('names a route within two seconds of its commit, on any node', async () => {
    const page = await follow();
    for (const node of [server, other]) {
      await edit(node);
      const committed = performance.now();
      await page.until(route);
      expect(performance.now() - committed).toBeLessThan(2_000);
    }
  });

  test('names each list that changed', async () => {
    const page = await follow();
    const { pool } = server.database;
    await pool.query(
      `insert into parked (facility, route_id, week_end, stop_id, version, sqlstate, reason, payload)
       values ('F01', 'R100', '20261128', 1, 2, '22001', 'too long', '{}')`,
    );
    expect(await page.until({ subject: 'parked' })).toMatchObject({ type: 'changed' });
    await server.pipeline.submit(restChange(key, { id: 1, updates: { driver_comments: 'not mine' } }, '9999'));
    expect(await page.until({ subject: 'quarantine' })).toMatchObject({ type: 'changed' });
    await pool.query(`insert into incident (incident_id, kind) values (gen_random_uuid(), 'items_gone')`);
    expect(await page.until({ subject: 'incident' })).toMatchObject({ type: 'changed' });
    const body = { by: 'MARYB', reason: 'inventory' };
    await server.client.take(operations.beginHold, { headers: machine, body });
    expect(await page.until({ subject: 'hold' })).toMatchObject({ type: 'changed' });
    await pool.query(
      `insert into client (client_id, employee, device, queue_key_hash) values (gen_random_uuid(), '1001', 'Tab 5', '')`,
    );
    expect(await page.until({ subject: 'device' })).toMatchObject({ type: 'changed' });
    await pool.query(`insert into worker_heartbeat (worker, state) values (gen_random_uuid(), '{}')`);
    expect(await page.until({ subject: 'host' })).toMatchObject({ type: 'changed' });
  });

  test('names warnings when the inbox has them, and once more when a person has read them', async () => {
    const page = await follow();
    const at = server.clock.now;
    const products = [{ id: 'NOSUCH', invoice: 'A', updates: { delivered: 1 } }];
    const change = restChange(key, { id: 1, products }, '1001', { editTime: at, receivedAt: at });
    await server.pipeline.submit(change);
    await page.until({ type: 'beat' });
    expect(page.lines).not.toContainEqual(expect.objectContaining({ subject: 'flag' }));
    server.clock.now = new Date(at.getTime() + 10_000);
    expect(await page.until({ subject: 'flag' })).toMatchObject({ type: 'changed' });
    const { causes } = await server.client.take(operations.readAttention, { headers: machine });
    expect(causes).toContainEqual(expect.objectContaining({ cause: 'flag:unknown_product' }));
    const body = { by: 'MARYB', code: 'unknown_product', through: at.toISOString() };
    await server.client.take(operations.reviewFlags, { headers: machine, body });
    expect(await page.until({ subject: 'flag' })).toMatchObject({ type: 'changed' });
  });

  test('goes on behind the last line, or says that all may have changed', async () => {
    const page = await follow();
    await edit(server);
    const { cursor } = await page.until(route);
    await edit(server);
    await page.until(route);
    page.stop();
    const again = await follow(machine, `?after=${cursor}`);
    await again.until(route);
    expect(again.lines.map(({ type }) => type)).not.toContain('reload');
    const elsewhere = await follow(machine, `?after=${cursor}`, other.client.url);
    expect(await elsewhere.next()).toMatchObject({ type: 'reload' });
  });

  test('beats while nothing changes', async () => {
    const page = await follow();
    expect((await page.until({ type: 'beat' })).cursor).toMatch(/^[0-9a-f]{12}-\d+$/);
  });

  test('ends with the session of its operator, which a stream does not prolong', async () => {
    const look = await operatorHeaders(server, 'look');
    const page = await follow(look);
    await server.database.pool.query(`update operator_session set ended_at = now() where ended_at is null`);
    await page.until({ type: 'end', reason: 'session' });
    expect(await page.next()).toBeUndefined();
  });

  test('refuses a caller without rights, and more streams than the node serves', async () => {
    const ask = (headers: Record<string, string>) => fetch(`${server.client.url}/api/ops/feed`, { headers });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ authorization: 'Bearer other' })).status).toBe(401);
    const small = await startRestServer({ database: server.database, feed: { mostStreams: 1 } });
    await follow(machine, '', small.client.url);
    const refused = await fetch(`${small.client.url}/api/ops/feed`, { headers: machine });
    expect(refused.status).toBe(429);
    expect(refused.headers.has('retry-after')).toBe(true);
  });
});

test('a reader that does not read is cut at a bounded size, and a reader beside it misses nothing', async () => {
  const { pool: db, url } = server.database;
  const log = recordedLog();
  const listener = await startListener({ url, log });
  const feed = new OpsFeed({ db, listener, log, clock: () => new Date(), tickMs: 5 });
  onTestFinished(async () => {
    await feed.close();
    await listener.stop();
  });
  await feed.start();
  const [slow, fast] = [await feed.open(undefined, allowed), await feed.open(undefined, allowed)];
  const cut = once(slow, 'close');
  const seen: string[] = [];
  let waiting = Promise.withResolvers<void>();
  fast.setEncoding('utf8').on('data', (text: string) => {
    seen.push(text);
    if (text.includes('"R189"')) waiting.resolve();
  });
  const routes = Array.from({ length: 190 }, (_, n) =>
    routeScope({ facility: 'F01', id: `R${n}`, week_end: '20261128' }),
  );
  let rounds = 0;
  for (; !slow.destroyed; rounds++) {
    await db.query(`select pg_notify('tailgate_routes', $1)`, [routes.join(' ')]);
    await waiting.promise;
    waiting = Promise.withResolvers();
    expect(slow.readableLength).toBeLessThan(300_000);
  }
  await cut;
  expect(seen.join('').match(/"subject":"route"/g)).toHaveLength(rounds * routes.length);
  expect(fast.destroyed).toBe(false);
});

const allowed = (): Promise<boolean> => Promise.resolve(true);

test('a server that stops ends its streams', async () => {
  const node = await startRestServer({ database: server.database, feed: { tickMs: 50 } });
  const page = await follow(machine, '', node.client.url);
  const closing = node.app.close();
  await page.until({ type: 'end', reason: 'stopping' });
  expect(await page.next()).toBeUndefined();
  await closing;
});
