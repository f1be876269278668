import { MemoryFiles, openUploads } from '@tailgate/client-sdk/uploads';
import type { HttpStack } from 'tus-js-client';
import { describe, expect, test } from 'vitest';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';
import { newSqliteStore } from '../support/sqlite-store.ts';

const comment = (id: number, text: string) => ({ id, updates: { driver_comments: text } });

describe('the connection to the server', () => {
  // machine.test.ts covers the default times.
  test('silence reveals a half-open socket, and the client sends the pushes of that socket again', async () => {
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

  test('hello and pings report the number of pending changes and the oldest one to the office', async () => {
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

  test('hello and pings report the files that wait on the phone, and none without uploads', async () => {
    const server = await startScriptedServer();
    const timing = { retryBaseMs: 20, retryCapMs: 200, openMs: 300, pingMs: 30, answerMs: 500 };
    const httpStack: HttpStack = {
      getName: () => 'without a network',
      createRequest: () => {
        throw new Error('no network for files');
      },
    };
    const uploads = await openUploads({ store: new MemoryFiles(), photos: false, httpStack });
    const client = await new Device(server.url, { timing, uploads }).startSignedIn();
    await until(client.status, (status) => status.connection === 'online');
    const reported = () => {
      const ping = server.heard.findLast((frame) => frame.type === 'ping');
      return ping?.type === 'ping' && 'files' in ping ? ping.files : undefined;
    };
    await server.until(() => reported()?.count === 0);
    for (const size of [10, 20]) await uploads.add(new Blob([new Uint8Array(size).fill(size)]), { kind: 'photo' });
    await server.until(() => reported()?.count === 2);
    expect(reported()).toMatchObject({ bytes: 30 });
    expect(Date.parse(reported()?.oldest_at ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(server.heard.find((frame) => frame.type === 'hello')).toMatchObject({ files: { count: 0, bytes: 0 } });

    const older = await startScriptedServer();
    await new Device(older.url, { timing }).startSignedIn();
    await older.until(() => older.heard.some((frame) => frame.type === 'ping'));
    expect(older.heard.find((frame) => frame.type === 'ping')).not.toHaveProperty('files');
  });

  test('the client answers the server’s pings, ignores frames of a later protocol, and reports and survives broken ones', async () => {
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

  test('the client leaves a server that announces its shutdown at once, and reconnects at the moment that it named', async () => {
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

  // The hint is never decisive.
  test('the client reconnects without any hint', async () => {
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

  test('a hint that the network is back ends the back-off', async () => {
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

  test('the client keeps a queue that the server refuses, and reports the reason', async () => {
    const server = await startScriptedServer();
    const client = await new Device(server.url).start();
    server.rejections.push('CLIENT_REVOKED');
    await client.signIn({ employeeId: '1001', password: 'secret-of-driver' });
    await until(client.status, (status) => status.connection === 'refused');
    client.updateStop(sampleKey, comment(1, 'x'));
    expect(client.status.current).toMatchObject({ pending: { 1001: 1 }, lastError: { code: 'CLIENT_REVOKED' } });
    expect(server.connections).toBe(1);
  });

  test('the client retries after a rejection without queue details, as from a proxy that drops headers', async () => {
    const server = await startScriptedServer();
    server.rejections.push('MISSING_CREDENTIALS');
    const client = await new Device(server.url, { timing: { retryBaseMs: 1 } }).startSignedIn();
    await client.updateStop(sampleKey, comment(1, 'x')).accepted;
    expect(client.status.current).toMatchObject({ connection: 'online', lastError: { code: 'MISSING_CREDENTIALS' } });
    expect(server.connections).toBe(2);
  });

  test('the client reports a server of another protocol, and asks it again until it is upgraded', async () => {
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

  test('the client reports a server that is rolled back while plain HTTP carries the traffic', async () => {
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

  test('a server that is restored between the two answers of a hello over plain HTTP gets a second hello', async () => {
    const server = await startScriptedServer();
    server.blocksSockets = true;
    let isRestored = false;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const answer = await globalThis.fetch(input, init);
      if (!isRestored && init?.method === 'POST' && answer.url.endsWith('/push')) {
        isRestored = true;
        server.ledger.epoch++;
      }
      return answer;
    };
    const timing = { retryBaseMs: 1, retryCapMs: 10, pingMs: 20, socketAgainMs: 60_000 };
    const client = await new Device(server.url, { timing, fetch }).startSignedIn();
    await until(client.status, (status) => status.connection === 'online');
    expect(await client.diagnostics()).toMatchObject({ epoch: '2' });
  });

  test('on a network that blocks sockets the client uses plain HTTP, and sockets again as soon as they pass', async () => {
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
