import { MemoryStore, type Store } from '@tailgate/client-sdk';
import { describe, expect, test } from 'vitest';
import { sampleKey, sampleScope } from '@tailgate/client-sdk/testing';
import { startScriptedServer } from '../support/scripted-server.ts';
import type { ScriptedOptions } from '@tailgate/client-sdk/testing';
import { Device, until } from '../support/sdk-device.ts';
import { newSqliteStore } from '../support/sqlite-store.ts';

const comment = (id: number, text: string) => ({ id, updates: { driver_comments: text } });
const minutesAgo = (minutes: number): number => Date.now() - minutes * 60_000;

async function synced(options: ScriptedOptions = {}, store: Store = new MemoryStore()) {
  const server = await startScriptedServer(options);
  const device = new Device(server.url, { store });
  const client = await device.startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  return { server, device, client };
}

describe('the local replica', () => {
  test('fires once for each real change, and unchanged parts keep their identity', async () => {
    const { server, client } = await synced();
    const before = client.route().current;
    const fired = { route: 0, one: 0, two: 0 };
    client.route().subscribe(() => fired.route++);
    client.stop(1).subscribe(() => fired.one++);
    client.stop(2).subscribe(() => fired.two++);
    const receipt = client.updateStop(sampleKey, comment(1, 'A'));
    expect(fired).toEqual({ route: 1, one: 1, two: 0 });
    await receipt.accepted;
    // The echo and the answer together change one visible thing: the number of pending changes becomes 0.
    await until(client.stop(1), (stop) => stop?.pending === 0);
    server.host();
    await receipt.onHost;
    expect(fired).toEqual({ route: 2, one: 2, two: 0 });
    const after = client.route().current;
    expect(after?.stops[1]).toBe(before?.stops[1]);
    expect(after?.stops[0]?.products).toBe(before?.stops[0]?.products);
    expect(after?.drivers).toBe(before?.drivers);
    expect(client.route().current).toBe(after);
  });

  test('contains the edits of both drivers on both phones when they edit different fields of one stop', async () => {
    const { server, client } = await synced({}, await newSqliteStore());
    const other = await new Device(server.url, { store: await newSqliteStore() }).startSignedIn('1002');
    await until(other.route(), (route) => route !== undefined);
    server.holdAcks();
    const receipts = [
      client.updateStop(sampleKey, { id: 1, products: [{ id: 'ITEM1', invoice: 'INV1', updates: { delivered: 4 } }] }),
      other.updateStop(sampleKey, { id: 1, products: [{ id: 'ITEM1', invoice: 'INV1', updates: { returned: 1 } }] }),
    ];
    server.releaseAcks();
    await Promise.all(receipts.map((receipt) => receipt.accepted));
    for (const phone of [client, other]) {
      // The other driver's edit may arrive after the answer to the own one.
      const stop = await until(phone.stop(1), (each) => {
        const { delivered, returned } = each?.products[0]?.updates ?? {};
        return delivered === 4 && returned === 1;
      });
      expect(stop?.products[0]?.updates).toMatchObject({ delivered: 4, returned: 1 });
    }
  });

  test('a watch of a route by its key continues when the route goes and comes back', async () => {
    const { server, client } = await synced();
    const route = client.route(sampleKey);
    const { routes } = server;
    server.broadcast({ type: 'gone', scope: sampleScope, reason: 'NOT_ASSIGNED' });
    server.routes = [];
    server.broadcast({ type: 'routes', routes: [] });
    await until(route, (value) => value === undefined);
    const edits: unknown[] = [];
    client.on('edit', (edit) => edits.push(edit));
    server.routes = routes;
    server.broadcast({ type: 'routes', routes: [...routes] });
    await until(route, (value) => value !== undefined);
    expect(client.route(sampleKey).current).toBe(route.current);
    server.edit(comment(1, 'after the return'), minutesAgo(0));
    await until(route, (value) => value?.stops[0]?.updates.driver_comments === 'after the return');
    // What changed while the route was away is no edit to report.
    expect(edits).toHaveLength(1);
  });

  test('applies a newer server version beneath pending changes', async () => {
    const { server, client } = await synced();
    server.holdAcks();
    client.updateStop(sampleKey, comment(1, 'mine'));
    await server.until(() => server.heldAcks === 1);
    server.edit({ id: 1, updates: { driver_comments: 'older', store_emp_name: 'Kim' } }, minutesAgo(5));
    const stop = await until(client.stop(1), (each) => each?.updates.store_emp_name === 'Kim');
    expect(stop?.updates.driver_comments).toBe('mine');
    server.releaseAcks();
  });

  test('shows a later edit of another driver, and reports the conflict with both values', async () => {
    const { server, client } = await synced();
    const conflicts: unknown[] = [];
    client.on('conflict', (conflict) => conflicts.push(conflict));
    const delivered = (count: number) => [{ id: 'ITEM2', invoice: 'INV1', updates: { delivered: count } }];
    // Both clocks are right. The other phone edits later and pushes first.
    server.pushErrors.push('DATABASE_UNAVAILABLE');
    const receipt = client.updateStop(sampleKey, {
      id: 1,
      updates: { driver_comments: 'mine', status: 'D' },
      products: delivered(3),
    });
    await server.until(() => server.pushErrors.length === 0);
    server.edit({ id: 1, updates: { driver_comments: 'theirs' }, products: delivered(9) }, Date.now() + 60_000);
    await receipt.accepted;
    await until(client.stop(1), (stop) => stop?.updates.driver_comments === 'theirs' && stop.pending === 0);
    expect(conflicts).toEqual([
      { id: receipt.id, route: sampleScope, stop: 1, path: 'updates.driver_comments', mine: 'mine', theirs: 'theirs' },
      { id: receipt.id, route: sampleScope, stop: 1, path: 'products.ITEM2\tINV1\t0.delivered', mine: 3, theirs: 9 },
    ]);
    expect(client.stop(1).current?.updates.status).toBe('D');
    server.host();
    await receipt.onHost;
    expect(conflicts).toHaveLength(2);
  });

  test("shows the changes of a parked stop above the host's values until the repair", async () => {
    const { server, client } = await synced();
    const [parked, fine] = [
      client.updateStop(sampleKey, comment(1, 'x')),
      client.updateStop(sampleKey, comment(2, 'x')),
    ];
    await Promise.all([parked.accepted, fine.accepted]);
    server.ledger.parked = [{ stop: 1, reason: 'no such row' }];
    server.host();
    await fine.onHost;
    expect(parked.current.at).toBe('accepted');
    server.ledger.parked = [];
    server.publish();
    await parked.onHost;
  });

  test.each([{ snapshots: false }, { snapshots: true }])(
    'fetches inconsistent documents anew and reverts no pending change ($snapshots)',
    async (options) => {
      const { server, client } = await synced(options, await newSqliteStore());
      server.holdAcks();
      client.updateStop(sampleKey, comment(1, 'mine'));
      await server.until(() => server.heldAcks === 1);
      // The patch and the first snapshot are damaged; the second snapshot is not.
      server.corrupt = 2;
      server.edit(comment(2, 'theirs'), Date.now());
      await until(client.stop(2), (stop) => stop?.updates.driver_comments === 'theirs');
      expect(client.stop(1).current).toMatchObject({ updates: { driver_comments: 'mine' } });
      expect(client.status.current.lastError?.code).toBe('REFETCH');
      server.releaseAcks();
      await until(client.status, (status) => Object.keys(status.pending).length === 0);
    },
  );

  test('fetches a reloaded route as a whole, because its epoch is new, and retains pending changes', async () => {
    const { server, client } = await synced({ snapshots: true });
    const receipt = client.updateStop(sampleKey, comment(1, 'mine'));
    await receipt.accepted;
    server.ledger.epoch = 7;
    server.ledger.version = 1;
    server.publish();
    await until(client.status, (status) => status.lastError?.code === 'REFETCH');
    server.host();
    await receipt.onHost;
    expect(client.stop(1).current?.updates.driver_comments).toBe('mine');
  });

  test('detects a missing patch and requests it', async () => {
    const { server, client } = await synced();
    server.ledger.edit(comment(1, 'missed'), { at: Date.now(), client: 'z', seq: 1, by: '1002' });
    const missed = server.ledger.version;
    server.ledger.edit(comment(2, 'next'), { at: Date.now(), client: 'z', seq: 2, by: '1002' });
    server.broadcast(server.ledger.patch(missed));
    await until(client.stop(1), (stop) => stop?.updates.driver_comments === 'missed');
    expect(client.stop(2).current?.updates.driver_comments).toBe('next');
    expect(client.status.current.lastError).toBeUndefined();
  });

  test('drops a route without access as soon as none of its changes is pending', async () => {
    const { server, device, client } = await synced();
    server.holdAcks();
    const receipt = client.updateStop(sampleKey, comment(1, 'mine'));
    await server.until(() => server.heldAcks === 1);
    server.broadcast({ type: 'gone', scope: sampleScope, reason: 'NOT_ASSIGNED' });
    server.broadcast({ type: 'routes', routes: [] });
    server.releaseAcks();
    await receipt.accepted;
    expect(client.route(sampleKey).current?.stops[0]?.updates.driver_comments).toBe('mine');
    server.host();
    await receipt.onHost;
    server.broadcast({ type: 'gone', scope: sampleScope, reason: 'NOT_ASSIGNED' });
    await until(client.route(sampleKey), (route) => route === undefined);
    await device.kill();
    expect(await device.store.readAll('document')).toEqual([]);
  });
});
