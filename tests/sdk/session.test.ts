import { describe, expect, test } from 'vitest';
import { Unreachable } from '@tailgate/client-sdk';
import { sampleKey } from '@tailgate/client-sdk/testing';
import type { ScriptedServer } from '@tailgate/client-sdk/testing';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';
import { newSqliteStore } from '../support/sqlite-store.ts';

const password = 'secret-of-driver';
const comment = (id: number, text: string) => ({ id, updates: { driver_comments: text } });
const isCredential = (name: string): boolean => ['api_token', 'queue_key', 'wants_queue_key'].includes(name);
const tokenOf = (server: ScriptedServer, employee: string): string =>
  [...server.tokens].find(([, who]) => who === employee)?.[0] ?? '';

/** Employee 1001 has recorded a change, and the server withholds its answer. */
async function unansweredTap() {
  const server = await startScriptedServer();
  const device = new Device(server.url);
  const client = await device.startSignedIn('1001');
  await until(client.route(), (route) => route !== undefined);
  server.holdAcks();
  const { id } = client.updateStop(sampleKey, comment(1, 'of A'));
  await server.until(() => server.heldAcks > 0);
  return { server, device, client, id };
}

describe('signing in and out', () => {
  test('a wrong password and a conflict are results, and a confirmation resolves the conflict', async () => {
    const server = await startScriptedServer();
    server.otherDrivers = [{ id: '1002', name: 'Driver 1002' }];
    const client = await new Device(server.url).start();
    expect(await client.signIn({ employeeId: '1001', password: 'wrong' })).toMatchObject({
      kind: 'refused',
      code: 'INVALID_CREDENTIALS',
    });
    expect(await client.signIn({ employeeId: '1001', password })).toEqual({
      kind: 'conflict',
      drivers: server.otherDrivers,
    });
    expect(client.driver.current).toBeUndefined();
    expect(await client.signIn({ employeeId: '1001', password, confirmLogin: true })).toMatchObject({
      kind: 'signed_in',
      name: 'Driver 1001',
    });
    await until(client.status, (status) => status.connection === 'online');
  });

  test('a sign-in without a network throws `Unreachable`', async () => {
    const server = await startScriptedServer();
    await server.stop();
    const client = await new Device('http://127.0.0.1:9').start();
    await expect(client.signIn({ employeeId: '1001', password })).rejects.toThrow(Unreachable);
  });

  test('a token that ends during a drain: the queue drains by its key, and the driver is asked to sign in', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url, { store: await newSqliteStore() });
    const client = await device.startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    const token = tokenOf(server, '1001');
    const sessions: string[] = [];
    client.on('session', ({ employee }) => sessions.push(employee));
    server.pushErrors.push('DATABASE_UNAVAILABLE');
    const receipts = [1, 2, 3].map((stop) => client.updateStop(sampleKey, comment(stop, 'x')));
    server.revoke(token);
    await Promise.all(receipts.map((receipt) => receipt.accepted));
    expect(sessions).toEqual(['1001']);
    expect(client.status.current).toMatchObject({ connection: 'signed_out', pending: {} });
    expect(client.driver.current).toMatchObject({ employeeId: '1001', signedIn: false });
    // The driver continues to work: the data is readable and editable, and the queue drains.
    const more = client.updateStop(sampleKey, comment(1, 'evicted, still working'));
    await more.accepted;
    expect(client.stop(1).current?.updates.driver_comments).toBe('evicted, still working');
    const last = server.heard.findLast((frame) => frame.type === 'hello');
    expect(last).toMatchObject({ employee_id: '1001', cursors: {} });
    expect(last && 'queue_key' in last && last.queue_key).toMatch(/^key-/);
    // The host's confirmation follows after the next sign-in.
    server.host();
    await client.signIn({ employeeId: '1001', password });
    await more.onHost;
  });

  test('a token that has expired at a reconnect without a queue key pauses the queue until the next sign-in', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.start();
    const ended = new Promise((resolve) => client.on('session', resolve));
    server.rejections.push('INVALID_TOKEN');
    await client.signIn({ employeeId: '1001', password });
    const receipt = client.updateStop(sampleKey, comment(1, 'x'));
    await until(client.status, (status) => status.connection === 'signed_out');
    expect(await ended).toEqual({ employee: '1001', reason: 'expired' });
    expect(client.status.current.pending).toEqual({ 1001: 1 });
    await device.kill();
    const again = await device.start();
    expect(again.status.current).toMatchObject({
      connection: 'signed_out',
      pending: { 1001: 1 },
      awaitsSignIn: { 1001: 1 },
    });
    await again.signIn({ employeeId: '1001', password });
    await again.receipt(receipt.id)?.accepted;
    expect(again.status.current.awaitsSignIn).toEqual({});
  });

  test('a second driver on the same phone has a separate queue; the first one’s queue drains with its own author', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url, { store: await newSqliteStore() });
    const client = await device.startSignedIn('1001');
    await until(client.route(), (route) => route !== undefined);
    const tokenA = tokenOf(server, '1001');
    server.holdAcks();
    const ofA = [1, 2].map((stop) => client.updateStop(sampleKey, comment(stop, 'of A')));
    await server.until(() => server.heldAcks > 0);
    server.tokens.delete(tokenA);
    server.cut();
    server.releaseAcks();
    await client.signIn({ employeeId: '1002', password });
    const ofB = client.updateStop(sampleKey, { id: 3, updates: { store_emp_name: 'of B' } });
    await Promise.all([...ofA, ofB].map((receipt) => receipt.accepted));
    const queues = [...server.ledger.queues.values()].map(({ employee, lastSeq }) => ({ employee, lastSeq }));
    expect(queues.sort((a, b) => a.employee.localeCompare(b.employee))).toEqual([
      { employee: '1001', lastSeq: 2 },
      { employee: '1002', lastSeq: 1 },
    ]);
    const authors = server.ledger.taken.map(({ stop, employee }) => `${stop} by ${employee}`);
    expect(authors.sort()).toEqual(['1 by 1001', '2 by 1001', '3 by 1002']);
    expect(client.status.current).toMatchObject({ connection: 'online', employeeId: '1002', pending: {} });
  });

  test('the client replaces a key that a hello with a lost answer invalidated, by means of the token', async () => {
    const { server, device, id } = await unansweredTap();
    await device.kill();
    for (const queue of server.queueKeys.keys()) server.queueKeys.set(queue, 'key that no phone has');
    server.releaseAcks();
    // Another driver is at work now: the queue of A uses its key.
    const next = await device.start({ employeeId: '1002' });
    await next.receipt(id)?.accepted;
    expect(server.ledger.taken.map(({ employee }) => employee)).toEqual(['1001']);
    const shown = server.heard.flatMap((frame) =>
      frame.type === 'hello' && frame.employee_id === '1001' ? [Object.keys(frame).filter(isCredential)] : [],
    );
    expect(shown).toEqual([['api_token', 'wants_queue_key'], ['queue_key'], ['api_token', 'wants_queue_key']]);
    expect([...server.queueKeys.values()]).toEqual([expect.stringMatching(/^key-/)]);
  });

  test('without a valid key and token, the client reports which driver must sign in, even while another one is at work', async () => {
    const { server, client, id } = await unansweredTap();
    server.tokens.delete(tokenOf(server, '1001'));
    for (const queue of server.queueKeys.keys()) server.queueKeys.set(queue, 'key that no phone has');
    server.cut();
    server.releaseAcks();
    await client.signIn({ employeeId: '1002', password });
    await until(client.status, ({ awaitsSignIn }) => awaitsSignIn['1001'] === 1);
    await until(client.status, ({ connection }) => connection === 'online');
    expect(client.status.current.pending).toEqual({ 1001: 1 });

    await client.signIn({ employeeId: '1001', password });
    await client.receipt(id)?.accepted;
    expect(client.status.current).toMatchObject({ pending: {}, awaitsSignIn: {} });
  });

  test('a sign-out works without a network: later the queue drains, and the server ends the session', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    let online = true;
    const fetchWhenOnline: typeof fetch = (input, init) =>
      online ? fetch(input, init) : Promise.reject(new TypeError('offline'));
    class Tunnel extends WebSocket {
      constructor(url: string) {
        super(online ? url : 'ws://127.0.0.1:9');
      }
    }
    let wake = (): void => {};
    const wakeUps = (listener: () => void) => {
      wake = listener;
      return () => {};
    };
    const client = await device.start({ fetch: fetchWhenOnline, WebSocket: Tunnel, wakeUps });
    await client.signIn({ employeeId: '1001', password });
    await until(client.route(), (route) => route !== undefined);
    online = false;
    server.cut();
    const receipt = client.updateStop(sampleKey, comment(1, 'in the tunnel'));
    expect(await client.signOut()).toBe(false);
    expect(client.driver.current).toBeUndefined();
    expect(client.route().current).toBeUndefined();
    expect(client.status.current).toMatchObject({ connection: 'signed_out', pending: { 1001: 1 } });
    expect(server.tokens.size).toBe(1);
    online = true;
    wake();
    await receipt.accepted;
    await server.until(() => server.tokens.size === 0);
    const last = server.heard.findLast((frame) => frame.type === 'hello');
    expect(last && 'queue_key' in last && last.queue_key).toMatch(/^key-/);
  });

  test('after a lost welcome the client sends hello again until its queue has a key', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.startSignedIn();
    await until(client.status, (status) => status.connection === 'online');
    await device.kill();
    await device.start();
    await server.until(() => server.heard.filter((frame) => frame.type === 'hello').length === 2);
    const asked = server.heard.flatMap((frame) => (frame.type === 'hello' ? [frame.wants_queue_key] : []));
    expect(asked).toEqual([true, undefined]);
  });
});
