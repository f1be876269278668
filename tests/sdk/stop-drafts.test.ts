import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { describe, expect, test, vi } from 'vitest';
import type { Client, Store, StoreChange } from '@tailgate/client-sdk';
import { createClient, InvalidChange, MemoryStore, NotSignedIn, openIndexedDb } from '@tailgate/client-sdk';
import { encrypted } from '@tailgate/client-sdk/encrypted';
import { sampleKey, sampleScope } from '@tailgate/client-sdk/testing';
import { startAppRun, storeOfRun } from '../support/app-run.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';
import { newSqliteStore } from '../support/sqlite-store.ts';

vi.stubGlobal('IDBKeyRange', IDBKeyRange);

const half = { lines: { ITEM1: 4 }, name: 'Ana', note: 'half filled' };
const long = 600_000;
const day = 86_400_000;

/** A store that lists its writes, and fails while it is full. */
class Disk extends MemoryStore {
  readonly writes: (readonly StoreChange[])[] = [];
  isFull = false;
  override async write(changes: readonly StoreChange[], durability: 'strict' | 'relaxed'): Promise<void> {
    if (this.isFull) throw new Error('QuotaExceededError');
    // A copy: the disk has the values of this moment.
    this.writes.push(structuredClone(changes));
    await super.write(changes, durability);
  }
}

/** The disk of a phone that was killed after the first writes. */
async function diskAfter(writes: readonly (readonly StoreChange[])[]): Promise<Store> {
  const store = new MemoryStore();
  for (const changes of writes) await store.write(changes, 'strict');
  return store;
}

async function onTheRoad(store: Store = new MemoryStore(), undoWindow = 0) {
  const server = await startScriptedServer();
  const device = new Device(server.url, { store, undoWindow });
  const client = await device.startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  return { server, device, client };
}

const results: readonly (readonly [string, (client: Client) => unknown])[] = [
  ['a delivery', (client) => client.stop(1).deliver({ asPlanned: true })],
  ['a skip', (client) => client.stop(1).skip({ skip_refuse_reason_code: '101' })],
  ['a refusal', (client) => client.stop(1).refuse({ skip_refuse_reason_code: '101' })],
];

describe.each<[string, () => Promise<Store>]>([
  ['memory', async () => new MemoryStore()],
  ['SQLite', newSqliteStore],
  ['IndexedDB', () => openIndexedDb('phone', { indexedDB: new IDBFactory() })],
  [
    'an encrypted store',
    async () =>
      encrypted(
        new MemoryStore(),
        await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']),
      ),
  ],
])('in %s', (_name, open) => {
  test('a draft is shown at once, and after a kill', async () => {
    const store = await open();
    const { server } = await onTheRoad();
    const run = startAppRun();
    // Never closed: it is killed.
    const client = await createClient({ url: server.url, ...run.environment, store: storeOfRun(store, run) });
    await client.signIn({ employeeId: '1001', password: 'secret-of-driver' });
    await until(client.route(), (route) => route !== undefined);
    const { draft } = client.stop(1);
    expect(draft.current).toBeUndefined();
    const saved = draft.set(half);
    expect(draft.current).toEqual(half);
    expect(client.route().current?.stops[0]?.draft).toEqual(half);
    await saved;
    run.end();
    const again = await new Device(server.url, { store }).start();
    expect(again.stop(1).draft.current).toEqual(half);
    expect(again.stop(2).draft.current).toBeUndefined();
  });
});

test.each(results)(
  '%s ends the draft in the write that records it: no kill shows both, or neither',
  async (_, record) => {
    const disk = new Disk();
    const { server, client } = await onTheRoad(disk);
    const { draft } = client.stop(1);
    await draft.set(half);
    const before = disk.writes.length;
    // The last value is not on the disk yet when the driver records the result.
    const set = draft.set({ ...half, note: 'full' });
    record(client);
    expect(draft.current).toBeUndefined();
    await set;
    await until(client.status, ({ pending }) => Object.keys(pending).length === 0);
    expect(client.stop(1).current?.updates.status).not.toBe('P');
    for (let n = before; n <= disk.writes.length; n++) {
      const again = await new Device(server.url, { store: await diskAfter(disk.writes.slice(0, n)) }).start();
      const stop = again.stop(1).current;
      expect([n, stop?.draft !== undefined]).toEqual([n, stop?.receipts.length === 0]);
      await again.close();
    }
  },
);

test('an arrival, a comment and a change of another stop leave the draft', async () => {
  const { client } = await onTheRoad();
  const stop = client.stop(1);
  await stop.draft.set(half);
  stop.arrive(new Date());
  stop.update({ updates: { driver_comments: 'dock 4' } });
  client.stop(2).deliver({ asPlanned: true });
  expect(stop.draft.current).toEqual(half);
});

test('the withdrawal of a delivery returns its draft, in one write, unless the driver has begun another', async () => {
  const disk = new Disk();
  const { server, device, client } = await onTheRoad(disk, long);
  const stop = client.stop(1);
  await stop.draft.set(half);
  const receipt = stop.deliver({ asPlanned: true });
  await receipt.saved;
  const before = disk.writes.length;
  const withdrawal = client.withdraw(receipt.id);
  expect(stop.draft.current).toEqual(half);
  await withdrawal;
  expect(disk.writes.length).toBe(before + 1);

  const again = stop.deliver({ asPlanned: true });
  await stop.draft.set('another one');
  await client.withdraw(again.id);
  expect(stop.draft.current).toBe('another one');
  await device.kill();
  expect((await new Device(server.url, { store: disk }).start()).stop(1).draft.current).toBe('another one');
});

test('a draft belongs to its driver, and is back at their next sign-in', async () => {
  const { device, client } = await onTheRoad();
  const { draft } = client.stop(1);
  await draft.set(half);
  const seen: unknown[] = [];
  draft.subscribe((value) => seen.push(value));
  await client.signOut();
  await expect(client.setDraft(sampleKey, 1, 'without a driver')).rejects.toThrow(NotSignedIn);
  await client.signIn({ employeeId: '1002', password: 'secret-of-driver' });
  await until(client.route(), (route) => route !== undefined);
  expect(draft.current).toBeUndefined();
  await draft.set('of the second driver');
  await client.signIn({ employeeId: '1001', password: 'secret-of-driver' });
  await until(draft, (value) => value !== undefined);
  expect(draft.current).toEqual(half);
  expect(seen).toEqual([undefined, 'of the second driver', half]);
  await device.kill();
  const again = await device.start();
  expect(again.stop(1).draft.current).toEqual(half);
  await again.signIn({ employeeId: '1002', password: 'secret-of-driver' });
  await until(again.stop(1).draft, (value) => value === 'of the second driver');
});

test('a draft is a copy, and goes with `undefined`', async () => {
  const { device, client } = await onTheRoad();
  const { draft } = client.stop(1);
  const value = { note: 'first' };
  const saved = draft.set(value);
  value.note = 'changed later';
  await saved;
  expect(draft.current).toEqual({ note: 'first' });
  const fired: unknown[] = [];
  draft.subscribe((next) => fired.push(next));
  await draft.set({ note: 'first' });
  expect(fired).toEqual([]);
  await draft.set(undefined);
  expect(draft.current).toBeUndefined();
  await device.kill();
  expect((await device.start()).stop(1).draft.current).toBeUndefined();
});

test('a draft that is too large is refused, and the one before it stays', async () => {
  const { client } = await onTheRoad();
  const { draft } = client.stop(1);
  await draft.set(half);
  await draft.set('x'.repeat(65_000));
  await expect(draft.set('x'.repeat(65_536))).rejects.toThrow(InvalidChange);
  await expect(draft.set('x'.repeat(65_536))).rejects.toThrow('draft must not exceed 65536 characters of JSON');
  expect(draft.current).toHaveLength(65_000);
});

test('a burst of values shares two writes, and the last one is on the disk', async () => {
  const disk = new Disk();
  const { server, client } = await onTheRoad(disk);
  const before = disk.writes.length;
  const { draft } = client.stop(1);
  const first = draft.set('a');
  // The first write is in progress.
  await Promise.resolve();
  await Promise.resolve();
  await Promise.all([first, ...Array.from({ length: 200 }, (_, n) => draft.set(n))]);
  expect(disk.writes.length - before).toBeLessThanOrEqual(2);
  const again = await new Device(server.url, { store: await diskAfter(disk.writes) }).start();
  expect(again.stop(1).draft.current).toBe(199);
});

test('a full disk delays a draft; the latest value is written when there is space', async () => {
  const disk = new Disk();
  const { client } = await onTheRoad(disk);
  disk.isFull = true;
  const { draft } = client.stop(1);
  const sets = [draft.set('first'), draft.set('second')];
  await until(client.status, ({ storage }) => storage === 'failing');
  sets.push(draft.set('third'));
  expect(draft.current).toBe('third');
  disk.isFull = false;
  client.syncNow();
  await Promise.all(sets);
  const stored = (await disk.readAll('setting')).filter(({ key }) => key.startsWith('draft/'));
  expect(stored).toMatchObject([{ value: { draft: 'third' } }]);
});

test('a closing client writes the latest draft', async () => {
  const { device, client } = await onTheRoad();
  void client.stop(1).draft.set('first');
  void client.stop(1).draft.set('second');
  await device.kill();
  expect((await device.start()).stop(1).draft.current).toBe('second');
});

test('no server receives a draft, and the diagnostics count drafts without their content', async () => {
  const { server, client } = await onTheRoad();
  await client.stop(1).draft.set({ note: 'only for this phone' });
  await client.stop(2).draft.set({ note: 'only for this phone' });
  await client.stop(3).deliver({ asPlanned: true }).accepted;
  expect(JSON.stringify(server.heard)).not.toContain('only for this phone');
  const diagnostics = await client.diagnostics();
  expect(diagnostics.accounts).toMatchObject([{ employee: '1001', drafts: 2 }]);
  expect(JSON.stringify(diagnostics)).not.toContain('only for this phone');
});

test('a draft stays while its route is the driver’s, and goes a week after both have ended', async () => {
  const { server, device, client } = await onTheRoad();
  await client.stop(1).draft.set(half);
  await client.setDraft({ ...sampleKey, id: 'R900' }, 1, 'of a former route');
  await device.kill();
  const drafts = async () => (await device.store.readAll('setting')).filter(({ key }) => key.startsWith('draft/'));
  /** @param age of the drafts. @param ahead of the phone's clock */
  const start = async (age: number, ahead = 0) => {
    const rows = (await drafts()).map(({ key, value }) => ({ put: 'setting' as const, key, value }));
    const aged = rows.map((row) => ({ ...row, value: Object.assign({}, row.value, { at: Date.now() - age }) }));
    await device.store.write(aged, 'strict');
    const { environment } = startAppRun({ ms: 0, wallMs: ahead });
    const again = await new Device(server.url, { ...environment, store: device.store }).start();
    await until(again.status, ({ connection }) => connection === 'online');
    await again.close();
    return (await drafts()).map(({ key }) => key);
  };
  expect(await start(6 * day)).toHaveLength(2);
  // A clock that jumps makes no draft old.
  expect(await start(0, 8 * day)).toHaveLength(2);
  expect(await start(8 * day)).toEqual([`draft/1001/${sampleScope}/1`]);
});

test('a draft that was set before the server’s time is known ages from the first welcome on', async () => {
  const server = await startScriptedServer();
  const device = new Device(server.url);
  const former = { ...sampleKey, id: 'R900' };
  const client = await device.startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  await device.kill();
  // The battery was empty, and there is no network.
  const { environment } = startAppRun({ ms: 0, wallMs: -9_000 * day });
  const dead = await new Device('http://127.0.0.1:9', { ...environment, store: device.store }).start();
  await dead.setDraft(former, 1, half);
  await dead.close();
  const again = await device.start();
  await until(again.status, ({ connection }) => connection === 'online');
  await device.kill();
  const drafts = (await device.store.readAll('setting')).filter(({ key }) => key.startsWith('draft/'));
  expect(drafts).toMatchObject([{ value: { draft: half } }]);
  expect(drafts).not.toMatchObject([{ value: { at: 0 } }]);
});

test('a form for the whole route outlives a kill and a delivery, and belongs to its driver', async () => {
  const { device, client } = await onTheRoad();
  const form = client.routeDraft();
  expect(form.current).toBeUndefined();
  const saved = form.set({ stacking: 2 });
  expect(client.route().current?.draft).toEqual({ stacking: 2 });
  await saved;
  await client.stop(1).deliver({ asPlanned: true }).accepted;
  await device.kill();
  const again = await device.start();
  expect(again.routeDraft(sampleKey).current).toEqual({ stacking: 2 });
  expect(again.stop(1).draft.current).toBeUndefined();
  await again.routeDraft().set(undefined);
  expect(again.route().current?.draft).toBeUndefined();
  await again.close();
});
