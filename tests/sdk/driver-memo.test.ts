import { describe, expect, test } from 'vitest';
import { createClient, driverMemo, InvalidChange, MemoryStore, NotSignedIn } from '@tailgate/client-sdk';
import { startAppRun, storeOfRun } from '../support/app-run.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device } from '../support/sdk-device.ts';

const names = { C1001: ['Ana', 'Rosa'] };

describe('what an app remembers for a driver', () => {
  test('is shown at once, and after a kill', async () => {
    const server = await startScriptedServer();
    const store = new MemoryStore();
    const run = startAppRun();
    // Never closed: it is killed.
    const client = await createClient({ url: server.url, ...run.environment, store: storeOfRun(store, run) });
    await client.signIn({ employeeId: '1001', password: 'secret-of-driver' });
    const memo = driverMemo(client);
    expect(memo.current).toBeUndefined();
    const saved = memo.set(names);
    await Promise.resolve();
    expect(memo.current).toEqual(names);
    await saved;
    run.end();
    const again = await new Device(server.url, { store }).start();
    expect(driverMemo(again).current).toEqual(names);
  });

  test('belongs to the driver, and is back at the next sign-in', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url, { store: new MemoryStore() });
    const client = await device.startSignedIn();
    const memo = driverMemo(client);
    await memo.set(names);
    await client.signOut();
    expect(memo.current).toBeUndefined();
    await expect(memo.set({})).rejects.toThrow(NotSignedIn);
    await client.signIn({ employeeId: '1002', password: 'secret-of-driver' });
    expect(memo.current).toBeUndefined();
    await memo.set({ C1001: [] });
    await client.signIn({ employeeId: '1001', password: 'secret-of-driver' });
    expect(memo.current).toEqual(names);
    await memo.set(undefined);
    expect(memo.current).toBeUndefined();
  });

  test('is a copy, and no longer than a draft', async () => {
    const server = await startScriptedServer();
    const client = await new Device(server.url, { store: new MemoryStore() }).startSignedIn();
    const memo = driverMemo(client);
    const mine = { C1001: ['Ana'] };
    await memo.set(mine);
    mine.C1001.push('Rosa');
    expect(memo.current).toEqual({ C1001: ['Ana'] });
    await expect(memo.set('x'.repeat(65_536))).rejects.toThrow(InvalidChange);
    expect(memo.current).toEqual({ C1001: ['Ana'] });
  });
});
