import { MemoryStore } from '@tailgate/client-sdk';
import { exportQueues, importQueue } from '@tailgate/client-sdk/rescue';
import { pushAnswer } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../support/mirror.ts';
import { password, signUp } from '../support/people.ts';
import { opsToken } from '../support/rest-server.ts';
import { Device, until } from '../support/sdk-device.ts';
import { TestQueue } from '../support/sealing.ts';
import { SmallDisk } from '../support/small-disk.ts';
import type { SyncNode } from '../support/sync-node.ts';
import { startSyncNode } from '../support/sync-node.ts';

const key = { facility: 'F01', id: 'R1', week_end: '20261121' };
const comment = (id: number, text: string) => ({ id, updates: { driver_comments: text } });

let node: SyncNode;

beforeAll(async () => {
  node = await startSyncNode();
  await insertRoutes(node.database.pool, [
    { ...key, weekEnd: key.week_end, drivers: ['1001'], stops: [plan(1), plan(2)] },
  ]);
  await signUp(node.client, '1001');
});

/** A phone that synced once and has recorded two stops since, without a network. */
async function phoneWithWork() {
  const store = new MemoryStore();
  const phone = new Device(node.client.url, { store });
  const client = await phone.start();
  await client.signIn({ employeeId: '1001', password });
  await until(client.route(key), (route) => route !== undefined);
  await phone.kill();
  const offline = await phone.start({ url: 'http://127.0.0.1:9' });
  const receipts = [offline.updateStop(key, comment(1, 'broken screen')), offline.skipStop(key, 2, { status: 'S' })];
  await Promise.all(receipts.map(({ saved }) => saved));
  await phone.kill();
  return { phone, store, ids: receipts.map(({ id }) => id) };
}

async function ledgerOf(ids: readonly string[]) {
  const { rows } = await node.database.pool.query<{ id: string; employee: string; captured_at: Date }>(
    'select id, employee, captured_at from ledger where id = any ($1) order by seq',
    [ids],
  );
  return rows.map(({ id, employee, captured_at }) => ({ id, employee, at: captured_at.toISOString() }));
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('a rescued queue of a phone', () => {
  test('is imported on another phone and arrives with its author, its edit times and its complete chain', async () => {
    const { phone, store, ids } = await phoneWithWork();
    const [exported, ...others] = await exportQueues(store);
    expect(others).toEqual([]);
    expect(exported?.mutations.map(({ id }) => id)).toEqual(ids);

    const rescuer = new Device(node.client.url);
    expect(await importQueue(rescuer.store, asJson(exported))).toEqual({ items: 2, isWhole: true });
    expect(await importQueue(rescuer.store, asJson(exported))).toEqual({ items: 0, isWhole: true });
    const client = await rescuer.start();
    await until(client.status, ({ pending }) => pending['1001'] === undefined);
    const expected = exported?.mutations.map(({ id, captured_at }) => ({ id, employee: '1001', at: captured_at }));
    expect(await ledgerOf(ids)).toEqual(expected);

    // The first phone works again after all.
    const again = await phone.start();
    await until(again.status, ({ pending }) => pending['1001'] === undefined);
    expect(await ledgerOf(ids)).toEqual(expected);
    expect((await node.database.pool.query('select kind from incident')).rows).toEqual([]);
  });

  test('is not imported where the disk is full, and the import says so', async () => {
    const { store } = await phoneWithWork();
    const [exported] = await exportQueues(store);
    const disk = new SmallDisk(0);
    await expect(importQueue(disk, asJson(exported))).rejects.toThrow(DOMException);
    disk.quota = Infinity;
    expect(await importQueue(disk, asJson(exported))).toEqual({ items: 2, isWhole: true });
  });

  test('is handed over again after more changes: the other phone sends those, too, and each counts once', async () => {
    const { phone, store, ids } = await phoneWithWork();
    const rescuer = new Device(node.client.url);
    const [first] = await exportQueues(store);
    expect(await importQueue(rescuer.store, asJson(first))).toEqual({ items: 2, isWhole: true });
    const offline = await phone.start({ url: 'http://127.0.0.1:9' });
    const receipt = offline.updateStop(key, comment(2, 'after the first export'));
    await receipt.saved;
    await phone.kill();
    const [second] = await exportQueues(store);
    expect(second?.mutations).toHaveLength(3);

    expect(await importQueue(rescuer.store, asJson(second))).toEqual({ items: 1, isWhole: true });
    expect(await importQueue(rescuer.store, asJson(first))).toEqual({ items: 0, isWhole: true });
    const client = await rescuer.start();
    await until(client.status, ({ pending }) => pending['1001'] === undefined);
    const expected = second?.mutations.map(({ id, captured_at }) => ({ id, employee: '1001', at: captured_at }));
    expect(await ledgerOf([...ids, receipt.id])).toEqual(expected);
    expect((await node.database.pool.query('select kind from incident')).rows).toEqual([]);
    // The phone that made it has all of it.
    expect(await importQueue(store, asJson(second))).toEqual({ items: 0, isWhole: true });
  });

  test('is accepted after a manual edit, and flagged', async () => {
    const { store } = await phoneWithWork();
    const [exported] = await exportQueues(store);
    const [first, second] = exported?.mutations ?? [];
    const forged = { ...exported, mutations: [{ ...first, captured_at: '2026-11-20T08:00:00.000Z' }, second] };
    expect(await importQueue(new MemoryStore(), asJson(forged))).toEqual({ items: 2, isWhole: false });
    await expect(importQueue(new MemoryStore(), { queue: 'of something else' })).rejects.toThrow(TypeError);
  });

  test('is imported by an operator, also when no server ever answered its phone', async () => {
    const queue = new TestQueue();
    const items = [comment(1, 'by post'), comment(2, 'by post')].map((stop) =>
      queue.seal('stop.update', { route: key, stop }),
    );
    const push = (token: string) =>
      fetch(`${node.client.url}/api/sync/push`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, employee_id: '1001' },
        body: JSON.stringify({ client_id: queue.clientId, mutations: items }),
      });
    expect((await push('a guess')).status).toBe(401);
    const answer = pushAnswer.parse(await (await push(opsToken)).json());
    expect(answer.results.map(({ result }) => result)).toEqual(['applied', 'applied']);
    expect(answer).not.toHaveProperty('queue_key');
    const authored = await ledgerOf(items.map(({ id }) => id));
    expect(authored.map(({ employee, at }) => [employee, at])).toEqual(
      items.map(({ captured_at }) => ['1001', captured_at]),
    );
  });
});
