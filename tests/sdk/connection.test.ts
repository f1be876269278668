import { describe, expect, test } from 'vitest';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';
import { newSqliteStore } from '../support/sqlite-store.ts';

const comment = (id: number, text: string) => ({ id, updates: { driver_comments: text } });

describe('the line to the server', () => {
  // The times of the real thing are the machine's (machine.test.ts).
  test('a half-open socket is found by its silence, and what was pushed into it comes again', async () => {
    const server = await startScriptedServer();
    const timing = { retryBaseMs: 20, retryCapMs: 200, openMs: 300, pingMs: 40, answerMs: 40 };
    const client = await new Device(server.url, { timing, store: await newSqliteStore() }).startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    server.mute = true;
    const receipt = client.updateStop(sampleKey, comment(1, 'into the void'));
    await until(client.status, (status) => status.connection !== 'online');
    server.mute = false;
    await receipt.accepted;
    expect(server.connections).toBeGreaterThan(1);
    expect(server.ledger.taken).toHaveLength(1);
  });

  test('the office sees what is still on the phone: pending and its oldest, in hello and pings', async () => {
    const server = await startScriptedServer();
    const timing = { retryBaseMs: 20, retryCapMs: 200, openMs: 300, pingMs: 30, answerMs: 500 };
    const client = await new Device(server.url, { timing }).startSignedIn();
    await until(client.status, (status) => status.connection === 'online');
    server.holdAcks();
    client.updateStop(sampleKey, comment(1, 'x'));
    await server.until(() => server.heard.some((frame) => frame.type === 'ping' && frame.pending === 1));
    const ping = server.heard.findLast((frame) => frame.type === 'ping');
    expect(ping).toMatchObject({ pending: 1 });
    expect(ping && 'oldest_pending_at' in ping && ping.oldest_pending_at).toMatch(/Z$/);
    expect(ping && 'clock' in ping && ping.clock?.boot_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(client.status.current.oldestPendingAt).toBeGreaterThan(Date.now() - 60_000);
    server.releaseAcks();
  });

  test('the server’s pings are answered; frames of a later protocol are ignored, broken ones are told and survived', async () => {
    const server = await startScriptedServer();
    const client = await new Device(server.url).startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    server.broadcast({ type: 'ping' });
    await server.until(() => server.heard.some((frame) => frame.type === 'pong'));
    server.broadcast('{"type":"hologram","pixels":[1,2]}');
    server.broadcast('{"type":"ping","later":true}');
    await server.until(() => server.heard.filter((frame) => frame.type === 'pong').length === 2);
    expect(client.status.current.lastError).toBeUndefined();
    server.broadcast('{"type":"patch","scope":7}');
    await until(client.status, (status) => status.lastError !== undefined);
    server.broadcast('no json');
    await until(client.status, (status) => status.lastError?.message === 'malformed frame ()');
    await client.updateStop(sampleKey, comment(1, 'still here')).accepted;
    expect(server.connections).toBe(1);
  });

  test('a server that says goodbye is left at once, and met again at the moment that it named', async () => {
    const server = await startScriptedServer();
    const client = await new Device(server.url).startSignedIn();
    await until(client.status, (status) => status.connection === 'online');
    server.broadcast({ type: 'goodbye', retry_after_ms: 30 });
    await until(client.status, (status) => status.connection === 'offline');
    const receipt = client.updateStop(sampleKey, comment(1, 'meanwhile'));
    await until(client.status, (status) => status.connection === 'online');
    await receipt.accepted;
    expect(server.connections).toBe(2);
  });

  // The hint is never the truth.
  test('it comes back by itself, without any hint', async () => {
    const server = await startScriptedServer();
    const client = await new Device(server.url, {
      wakeUps: () => () => {},
      store: await newSqliteStore(),
    }).startSignedIn();
    await until(client.status, (status) => status.connection === 'online');
    server.rejections.push('RATE_LIMITED', 'DATABASE_UNAVAILABLE', 'SOMETHING_NEW');
    server.cut();
    const receipt = client.updateStop(sampleKey, comment(1, 'x'));
    await receipt.accepted;
    expect(client.status.current.connection).toBe('online');
    expect(server.connections).toBe(5);
  });

  test('a hint that the network is back does not wait for the back-off', async () => {
    const server = await startScriptedServer();
    let wake = (): void => {};
    const wakeUps = (listener: () => void) => {
      wake = listener;
      return () => {};
    };
    const timing = { retryBaseMs: 3_600_000, retryCapMs: 3_600_000 };
    const random = { fraction: () => 0.9, bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
    const client = await new Device(server.url, { wakeUps, timing, random }).startSignedIn();
    await until(client.status, (status) => status.connection === 'online');
    server.cut();
    await until(client.status, (status) => status.connection === 'offline');
    wake();
    await until(client.status, (status) => status.connection === 'online');
    expect(server.connections).toBe(2);
  });

  test('a queue that the server refuses is kept, and the reason is told', async () => {
    const server = await startScriptedServer();
    const client = await new Device(server.url).start();
    server.rejections.push('CLIENT_REVOKED');
    await client.signIn({ employeeId: '1001', password: 'secret-of-driver' });
    await until(client.status, (status) => status.connection === 'refused');
    client.updateStop(sampleKey, comment(1, 'x'));
    expect(client.status.current).toMatchObject({ pending: { 1001: 1 }, lastError: { code: 'CLIENT_REVOKED' } });
    expect(server.connections).toBe(1);
  });

  test('a rejection that says nothing of the queue, as behind a proxy that drops headers, is asked again', async () => {
    const server = await startScriptedServer();
    server.rejections.push('MISSING_CREDENTIALS');
    const client = await new Device(server.url, { timing: { retryBaseMs: 1 } }).startSignedIn();
    await client.updateStop(sampleKey, comment(1, 'x')).accepted;
    expect(client.status.current).toMatchObject({ connection: 'online', lastError: { code: 'MISSING_CREDENTIALS' } });
    expect(server.connections).toBe(2);
  });

  test('a server of another protocol is told of, and asked again until it is brought up to date', async () => {
    const server = await startScriptedServer();
    const random = { fraction: () => 0.01, bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
    const client = await new Device(server.url, { random }).start();
    server.rejections.push('UNSUPPORTED_PROTOCOL', 'UNSUPPORTED_PROTOCOL');
    await client.signIn({ employeeId: '1001', password: 'secret-of-driver' });
    await until(client.status, (status) => status.connection === 'update_needed');
    expect(client.status.current.lastError).toMatchObject({ code: 'UNSUPPORTED_PROTOCOL' });
    await client.updateStop(sampleKey, comment(1, 'kept all the while')).accepted;
    expect(client.status.current).toMatchObject({ connection: 'online', pending: {} });
    expect(server.connections).toBe(3);
  });

  test('so is one that was rolled back while plain HTTP carries the traffic', async () => {
    const server = await startScriptedServer();
    server.blocksSockets = true;
    const timing = { retryBaseMs: 1, retryCapMs: 2, pingMs: 20, socketAgainMs: 60_000 };
    const client = await new Device(server.url, { timing }).startSignedIn();
    await until(client.status, (status) => status.connection === 'online');
    server.pushErrors.push('UNSUPPORTED_PROTOCOL');
    const { accepted } = client.updateStop(sampleKey, comment(1, 'kept all the while'));
    await until(client.status, (status) => status.connection === 'update_needed');
    await accepted;
    expect(client.status.current).toMatchObject({ connection: 'online', pending: {} });
  });

  test('a network that blocks sockets: plain HTTP does, and sockets again when they pass', async () => {
    const server = await startScriptedServer();
    server.blocksSockets = true;
    const timing = { retryBaseMs: 1, retryCapMs: 10, pingMs: 20, socketAgainMs: 50 };
    const client = await new Device(server.url, { timing }).startSignedIn();
    await until(client.status, (status) => status.connection === 'online');
    await client.updateStop(sampleKey, comment(1, 'over HTTP')).accepted;
    server.edit(comment(2, 'from another phone'), Date.now());
    await until(client.stop(2, sampleKey), (stop) => stop?.updates.driver_comments === 'from another phone');
    expect(server.heard.some(({ type }) => type === 'hello')).toBe(false);
    server.blocksSockets = false;
    await server.until(() => server.heard.some(({ type }) => type === 'hello'));
    const receipt = client.updateStop(sampleKey, comment(1, 'over a socket'));
    await receipt.accepted;
    server.host();
    await receipt.onHost;
  });
});
