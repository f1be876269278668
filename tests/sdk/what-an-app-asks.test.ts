import { MemoryStore } from '@tailgate/client-sdk';
import { driverPassword, sampleKey } from '@tailgate/client-sdk/testing';
import { describe, expect, test } from 'vitest';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

const comment = (id: number, text: string) => ({ id, updates: { driver_comments: text } });
const isEmpty = (counts: object): boolean => Object.keys(counts).length === 0;

describe('the end of a day', () => {
  test('a driver can sign out when the server has all changes, and the day is complete when the host has them', async () => {
    const server = await startScriptedServer();
    const client = await new Device(server.url).startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    expect([client.canSignOut(), client.dayComplete()]).toEqual([true, true]);

    server.holdAcks();
    const receipt = client.updateStop(sampleKey, comment(1, 'x'));
    expect([client.canSignOut(), client.dayComplete()]).toEqual([false, false]);
    expect(client.status.current).toMatchObject({ pending: { 1001: 1 }, unhosted: {} });

    server.releaseAcks();
    await receipt.accepted;
    expect([client.canSignOut(), client.dayComplete()]).toEqual([true, false]);
    expect(client.status.current).toMatchObject({ pending: {}, unhosted: { 1001: 1 } });

    server.host();
    await until(client.status, ({ unhosted }) => isEmpty(unhosted));
    expect(client.dayComplete()).toBe(true);
  });

  test('a change in quarantine is not hosted, and neither is a parked one', async () => {
    const server = await startScriptedServer();
    server.ledger.poisoned.add(2);
    const client = await new Device(server.url).startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    const parked = client.updateStop(sampleKey, comment(1, 'x'));
    const poison = client.updateStop(sampleKey, comment(2, 'x'));
    const other = client.updateStop(sampleKey, comment(3, 'x'));
    await other.accepted;
    expect(poison.current.at).toBe('quarantined');
    server.ledger.parked = [{ stop: 1, reason: 'SQL0407' }];
    server.host();
    await other.onHost;
    expect([client.canSignOut(), client.dayComplete()]).toEqual([true, false]);
    expect(client.status.current.unhosted).toEqual({ 1001: 2 });
    server.ledger.parked = [];
    server.host();
    await parked.onHost;
    expect(client.status.current.unhosted).toEqual({ 1001: 1 });
  });

  test('the state survives a restart and is per driver: the backlog of one does not block another', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.startSignedIn('1001');
    await until(client.route(), (route) => route !== undefined);
    server.pushErrors.push(...Array.from({ length: 100 }, () => 'DATABASE_UNAVAILABLE'));
    const receipt = client.updateStop(sampleKey, comment(1, 'of A'));
    await receipt.saved;
    await device.kill();

    const again = await device.start();
    expect(again.canSignOut()).toBe(false);
    await again.signOut();
    // Without a driver, the question is whether the phone may be handed in.
    expect(again.canSignOut()).toBe(false);
    await again.signIn({ employeeId: '1002', password: driverPassword });
    expect([again.canSignOut(), again.dayComplete()]).toEqual([true, true]);
    expect(again.status.current.pending).toEqual({ 1001: 1 });
    server.pushErrors.length = 0;
    await again.receipt(receipt.id)?.accepted;
    await until(again.status, ({ pending }) => isEmpty(pending));
  });
});

describe('a session that ends by itself', () => {
  test('raises one event before it ends, and the next sign-in clears it', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.startSignedIn();
    await until(client.status, ({ connection }) => connection === 'online');
    const events: { employee: string; at: number }[] = [];
    client.on('expires', (event) => events.push(event));
    expect(client.driver.current?.sessionEndsAt).toBeUndefined();
    const [token = ''] = server.tokens.keys();
    const before = Date.now();
    server.expire(token, 7_200);
    await until(client.driver, (driver) => driver?.sessionEndsAt !== undefined);
    const endsAt = client.driver.current?.sessionEndsAt;
    expect(endsAt).toBeGreaterThanOrEqual(before + 7_200_000);
    server.expire(token, 7_140);
    // Later frames on the connection are read after it.
    await client.updateStop(sampleKey, comment(1, 'x')).accepted;
    expect(events).toEqual([{ employee: '1001', at: endsAt }]);
    expect(client.driver.current).toMatchObject({ signedIn: true });

    await device.kill();
    const again = await device.start();
    expect(again.driver.current?.sessionEndsAt).toBe(endsAt);
    await again.signIn({ employeeId: '1001', password: driverPassword });
    expect(again.driver.current?.sessionEndsAt).toBeUndefined();
  });
});

describe('diagnostics', () => {
  test("describe the device's state without secrets and customer data", async () => {
    const server = await startScriptedServer();
    const device = new Device(`${server.url.replace('//', '//proxy:hunter2@')}/?key=hunter3`, {
      app: 'pod/4.2',
      device: 'Tab 7',
    });
    // Browsers refuse credentials in such an address. The offline run uses it, and its data is in the check, too.
    const client = await device.start();
    const before = await client.diagnostics();
    expect(before).toMatchObject({ server: `${server.url}/`, app: 'pod/4.2', device: 'Tab 7', epoch: undefined });

    const online = await new Device(server.url, { store: new MemoryStore() }).startSignedIn();
    await until(online.route(), (route) => route !== undefined);
    const receipt = online.updateStop(sampleKey, {
      id: 1,
      updates: { status: 'D', driver_comments: 'gate code 4711', store_emp_name: 'Ana Weber' },
    });
    await receipt.accepted;
    const seen = await online.diagnostics();
    expect(seen).toMatchObject({
      protocol: 1,
      epoch: '1',
      status: { connection: 'online', pending: {}, unhosted: { 1001: 1 } },
      accounts: [{ employee: '1001', signedIn: true, leaving: false }],
      queues: [
        { employee: '1001', retired: false, hasKey: true, connection: 'live', sealedSeq: 1, waiting: 0, unhosted: 1 },
      ],
      damaged: [],
      troubles: [],
    });
    expect(seen.scopes.map(({ scope }) => scope.split(':')[0])).toEqual(expect.arrayContaining(['route', 'codes']));
    expect(Math.abs(seen.clock.offset?.ms ?? Infinity)).toBeLessThanOrEqual((seen.clock.offset?.errorMs ?? 0) + 1);

    const customers = online.route().current?.stops.map(({ customer }) => customer.name) ?? [];
    const secrets = [...server.tokens.keys(), ...server.queueKeys.values(), driverPassword];
    for (const word of [...secrets, ...customers, 'Driver 1001', '4711', 'Ana', 'hunter'])
      expect(JSON.stringify([before, seen])).not.toContain(word);
  });
});
