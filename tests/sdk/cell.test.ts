import { MemoryStore, Unreachable } from '@tailgate/client-sdk';
import { askForCell, findCell, mayBeElsewhere } from '@tailgate/client-sdk/cell';
import { encrypted } from '@tailgate/client-sdk/encrypted';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../support/mirror.ts';
import { password, signUp } from '../support/people.ts';
import type { RestServer } from '../support/rest-server.ts';
import { startRestServer } from '../support/rest-server.ts';
import { Device, until } from '../support/sdk-device.ts';
import type { SyncNode } from '../support/sync-node.ts';
import { startSyncNode } from '../support/sync-node.ts';

const key = { facility: 'F02', id: 'R1', week_end: '20261121' };

let north: SyncNode;
let south: SyncNode;
let directory: RestServer;
/** CELLS of the directory; a test moves a depot by it. */
const facilities = new Map<string, string>();
let questions: string[] = [];

const asking = (store: MemoryStore) => ({
  directory: `${directory.client.url}/`,
  facility: 'F02',
  store,
  fetch: (input: string | URL | Request, init?: RequestInit) => {
    if (typeof input === 'string') questions.push(input);
    return fetch(input, init);
  },
});

beforeAll(async () => {
  north = await startSyncNode();
  south = await startSyncNode();
  directory = await startRestServer({ cells: { otherwise: north.client.url, facilities } });
  await insertRoutes(north.database.pool, [{ ...key, weekEnd: key.week_end, drivers: ['1001'], stops: [plan(1)] }]);
  await signUp(north.client, '1001');
});

beforeEach(() => {
  facilities.clear();
  questions = [];
});

describe('the cell of a phone', () => {
  test('is asked for once and kept in the store, also where the directory is away later', async () => {
    const store = new MemoryStore();
    facilities.set('F02', south.client.url);
    expect(await findCell(asking(store))).toBe(south.client.url);
    expect(await findCell(asking(store))).toBe(south.client.url);
    expect(questions).toEqual([`${directory.client.url}/api/cell?facility=F02`]);
    expect(await findCell({ ...asking(store), fetch: () => Promise.reject(new TypeError('no network')) })).toBe(
      south.client.url,
    );
    expect(await findCell({ ...asking(store), facility: 'F01' })).toBe(north.client.url);
  });

  test('is the directory itself where that is the only cell', async () => {
    expect(await findCell({ ...asking(new MemoryStore()), directory: south.client.url })).toBe(south.client.url);
  });

  test('an answer that is none keeps nothing', async () => {
    const store = new MemoryStore();
    const hotel = () => Promise.resolve(new Response('<html>Room number?</html>'));
    await expect(findCell({ ...asking(store), fetch: hotel })).rejects.toThrow(Unreachable);
    await expect(findCell({ ...asking(store), facility: '123456' })).rejects.toThrow(RangeError);
    expect(await store.readAll('setting')).toEqual([]);
  });

  test('moves where the kept cell does not know the driver: the store is empty and the new cell signs the driver in', async () => {
    const store = new MemoryStore();
    const phone = new Device(await findCell(asking(store)), { store });
    const refused = await (await phone.start()).signIn({ employeeId: '1002', password });
    expect(mayBeElsewhere(refused)).toBe(true);
    await phone.kill();
    expect(await askForCell(asking(store))).toEqual({ kind: 'same', url: north.client.url });

    facilities.set('F02', south.client.url);
    await insertRoutes(south.database.pool, [{ ...key, weekEnd: key.week_end, drivers: ['1002'], stops: [plan(1)] }]);
    await signUp(south.client, '1002');
    expect(await askForCell(asking(store))).toEqual({ kind: 'moved', url: south.client.url });
    expect((await store.readAll('setting')).map((row) => row.key)).toEqual(['cell']);
    const moved = await new Device(await findCell(asking(store)), { store }).start();
    expect(await moved.signIn({ employeeId: '1002', password })).toMatchObject({ kind: 'signed_in' });
    await until(moved.route(key), (route) => route !== undefined);
  });

  test('stays where changes of the store belong to the present cell', async () => {
    const store = new MemoryStore();
    const phone = new Device(await findCell(asking(store)), { store });
    const client = await phone.start();
    await client.signIn({ employeeId: '1001', password });
    await until(client.route(key), (route) => route !== undefined);
    await client.updateStop(key, { id: 1, updates: { driver_comments: 'of the old cell' } }).saved;
    await phone.kill();
    facilities.set('F02', south.client.url);
    expect(await askForCell(asking(store))).toEqual({ kind: 'owed', url: north.client.url });
    expect(await findCell(asking(store))).toBe(north.client.url);
    expect(await store.readAll('item')).toHaveLength(1);
  });

  test('of an app that had one address: its changes go on to that, the directory', async () => {
    const store = new MemoryStore();
    const phone = new Device(north.client.url, { store });
    const client = await phone.start();
    await client.signIn({ employeeId: '1001', password });
    await until(client.route(key), (route) => route !== undefined);
    await client.updateStop(key, { id: 1, updates: { driver_comments: 'before cells' } }).saved;
    await phone.kill();
    facilities.set('F02', south.client.url);
    expect(await findCell(asking(store))).toBe(directory.client.url);
    expect(questions).toHaveLength(1);
  });

  test('leaves the rows of an encrypting store: its key still opens it', async () => {
    const inner = new MemoryStore();
    const secret = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
    const options = { directory: directory.client.url, facility: 'F02' };
    expect(await findCell({ ...options, store: await encrypted(inner, secret) })).toBe(north.client.url);
    facilities.set('F02', south.client.url);
    const answer = await askForCell({ ...options, store: await encrypted(inner, secret) });
    expect(answer).toEqual({ kind: 'moved', url: south.client.url });
    expect((await inner.readAll('setting')).map((row) => row.key).sort()).toEqual(['cell', 'encryption']);
    expect(await findCell({ ...options, store: await encrypted(inner, secret) })).toBe(south.client.url);
  });
});
