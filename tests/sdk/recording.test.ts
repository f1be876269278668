import { describe, expect, onTestFinished, test } from 'vitest';
import { config } from 'zod/v4/core';
import { InvalidChange, MemoryStore, NotSignedIn } from '@tailgate/client-sdk';
import type { Store } from '@tailgate/client-sdk';
import { assigned, sampleKey } from '@tailgate/client-sdk/testing';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

/** A device that synced once and has had no network since. */
async function offlineDevice(options: { store?: Store } = {}, keys = [sampleKey]) {
  const server = await startScriptedServer();
  server.routes = keys.map((key) => assigned(key));
  const device = new Device(server.url, options);
  const client = await device.startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  await server.stop();
  await until(client.status, (status) => status.connection !== 'online');
  return { device, client };
}

const faultOf = (work: () => unknown): InvalidChange => {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidChange) return error;
  }
  throw new Error('nothing was refused');
};

describe('recording a change', () => {
  test('without a sign-in raises a clear error and stores nothing', async () => {
    const client = await new Device('http://127.0.0.1:9').start();
    expect(() => client.updateStop(sampleKey, { id: 1 })).toThrow(NotSignedIn);
    expect(client.status.current).toMatchObject({ connection: 'signed_out', pending: {} });
  });

  test('refuses an invalid change at once, names each invalid field, and stores nothing', async () => {
    const { client } = await offlineDevice();
    const fault = faultOf(() =>
      client.updateStop(sampleKey, {
        id: 1,
        updates: { status: 'D', driver_comments: 'x'.repeat(2_001) },
        products: [{ id: 'ITEM1', updates: { delivered: 10_000_000 } }, { id: ' ' }],
      }),
    );
    expect(fault.details).toEqual([
      { path: 'updates.driver_comments', message: 'must not exceed 2000 characters' },
      { path: 'products.0.updates.delivered', message: 'must not exceed 9999999' },
      { path: 'products.1.id', message: 'must not be blank' },
    ]);
    expect(fault.message).toContain('products.0.updates.delivered');
    expect(faultOf(() => client.updateStop(sampleKey, { id: 1, updates: { status: 'C' } })).details).toEqual([
      { path: 'updates.status', message: 'status C is for stop 999 only' },
    ]);
    expect(faultOf(() => client.updateStop({ ...sampleKey, week_end: '20261399' }, { id: 1 })).details[0]?.path).toBe(
      'route.week_end',
    );
    expect(client.status.current.pending).toEqual({});
    expect(client.stop(1).current?.updates.status).toBe('P');
  });

  test('describes a fault in the same words where the app has given zod a dictionary', async () => {
    const { client } = await offlineDevice();
    const { localeError } = config();
    onTestFinished(() => void config({ localeError }));
    config({ localeError: () => 'by the dictionary of the app' });
    const updates = { driver_comments: 'x'.repeat(2_001) };
    expect(faultOf(() => client.updateStop(sampleKey, { id: 1, updates })).details).toEqual([
      { path: 'updates.driver_comments', message: 'must not exceed 2000 characters' },
    ]);
  });

  test('refuses a change that exceeds the frame size, and names its size', async () => {
    const { client } = await offlineDevice();
    const entry = { comment: 'x'.repeat(2_000), quantity: 1 };
    const products = Array.from({ length: 2 }, (_, i) => ({
      id: `ITEM${i}`,
      updates: { osd_data: [{ osd_code: '10', data: Array.from({ length: 300 }, () => entry) }] },
    }));
    expect(faultOf(() => client.updateStop(sampleKey, { id: 1, products })).message).toMatch(
      /must not exceed \d+ bytes, is \d+/,
    );
  });

  test('works without a network, also after a restart: the route is readable and editable', async () => {
    const { device, client } = await offlineDevice();
    const receipt = client.updateStop(sampleKey, { id: 2, updates: { status: 'D' } });
    await receipt.saved;
    await device.kill();

    const again = await device.start();
    expect(again.driver.current).toEqual({
      employeeId: '1001',
      name: 'Driver 1001',
      routesKnown: true,
      signedIn: true,
    });
    expect(again.route().current?.stops.map((stop) => [stop.id, stop.updates.status, stop.pending])).toEqual([
      [1, 'P', 0],
      [2, 'D', 1],
      [3, 'P', 0],
    ]);
    expect(again.status.current.pending).toEqual({ 1001: 1 });
    expect(again.receipt(receipt.id)?.current).toMatchObject({ at: 'saved' });
    expect(again.receipt('00000000-0000-7000-8000-000000000000')).toBeUndefined();
  });

  test('merges edits of one stop within a minute into one change with one receipt', async () => {
    const { client } = await offlineDevice();
    const first = client.updateStop(sampleKey, { id: 1, updates: { status: 'D' } });
    const second = client.updateStop(sampleKey, { id: 1, updates: { driver_comments: 'dock 4' } });
    const other = client.updateStop(sampleKey, { id: 2, updates: { status: 'D' } });
    const later = client.updateStop(sampleKey, { id: 1, updates: { driver_comments: 'dock 5' } });
    expect(second).toBe(first);
    expect(new Set([first.id, other.id, later.id]).size).toBe(3);
    expect(client.stop(1).current?.updates).toMatchObject({ status: 'D', driver_comments: 'dock 5' });
    expect(client.status.current.pending).toEqual({ 1001: 3 });
    expect(client.stop(1).current?.pending).toBe(2);
  });

  test('does not merge edits of stops with equal numbers on two routes', async () => {
    const other = { ...sampleKey, id: 'R200' };
    const { client } = await offlineDevice({}, [sampleKey, other]);
    const first = client.updateStop(sampleKey, { id: 1, updates: { status: 'D' } });
    const second = client.updateStop(other, { id: 1, updates: { driver_comments: 'dock 4' } });
    expect(second.id).not.toBe(first.id);
    expect(client.stop(1).current?.updates).toMatchObject({ status: 'D', driver_comments: null });
    expect(client.status.current.pending).toEqual({ 1001: 2 });
  });

  test('takes the status of a skip from the reason code of the synced list', async () => {
    const server = await startScriptedServer();
    const code = (name: string, stop_type: string) => ({
      key: `code/stop-exception/${name}`,
      version: 1,
      value: {
        type: 'stop-exception',
        code: name,
        description: '',
        category: '',
        driver_visible: true,
        stop_type,
        requires_photo: false,
        requires_comment: false,
        sort: 1,
      },
    });
    server.codes = [code('10', 'R'), code('01', 'S')];
    const client = await new Device(server.url).startSignedIn();
    await until(client.codes('stop-exception'), (codes) => codes.length === 2);
    await until(client.route(), (route) => route !== undefined);
    server.holdAcks();
    client.skipStop(sampleKey, 1, { skip_refuse_reason_code: '10' });
    client.skipStop(sampleKey, 2, { skip_refuse_reason_code: '01', skip_refuse_driver_comment: 'closed' });
    client.skipStop(sampleKey, 3, { status: 'R' });
    expect(client.route().current?.stops.map((stop) => stop.updates.status)).toEqual(['R', 'S', 'R']);
    expect(client.stop(2).current?.updates).toMatchObject({
      skip_refuse_reason_code: '01',
      skip_refuse_driver_comment: 'closed',
    });
    server.releaseAcks();
  });

  // Field case 18.
  test('keeps the change in memory on a full disk, reports it, and saves it as soon as there is room', async () => {
    let full = false;
    const store = new (class extends MemoryStore {
      override async write(...args: Parameters<MemoryStore['write']>): Promise<void> {
        if (full) throw new DOMException('no room', 'QuotaExceededError');
        return super.write(...args);
      }
    })();
    const { client, device } = await offlineDevice({ store });
    full = true;
    const receipt = client.updateStop(sampleKey, { id: 1, updates: { status: 'D' } });
    await until(client.status, (status) => status.storage === 'failing');
    expect(client.status.current.lastError?.message).toContain('no room');
    expect(receipt.current).toEqual({ at: 'recorded' });
    expect(client.stop(1).current?.updates.status).toBe('D');
    full = false;
    await receipt.saved;
    expect(client.status.current.storage).toBe('ok');
    await device.kill();
    expect((await device.start()).stop(1).current?.updates.status).toBe('D');
  });

  // Field cases 4 and 5.
  test('leaves a stored change of an unknown type out of the view and sends it unchanged', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.startSignedIn();
    await until(client.status, (status) => status.connection === 'online');
    await server.until(() => server.heard.some((frame) => frame.type === 'hello'));
    const clientId = server.heard.flatMap((frame) => (frame.type === 'hello' ? [frame.client_id] : []))[0]!;
    await device.kill();
    const mutation = {
      id: '019ab000-0000-7000-8000-000000000001',
      seq: 1,
      name: 'stop.teleport',
      version: 9,
      args: { to: 'moon' },
      captured_at: '2026-11-21T10:00:00.000Z',
      boot_id: 'b',
      monotonic_ms: 1,
      prev_hash: null,
    };
    const value = {
      client_id: clientId,
      employee: '1001',
      form: 'open',
      edit_time: 1,
      mutation,
      progress: { at: 'waiting' },
    };
    await device.store.write([{ put: 'item', key: `${clientId}/0000000001`, value }], 'strict');
    await device.store.write([{ put: 'item', key: `${clientId}/0000000002`, value: 'damaged' }], 'strict');

    server.ledger.push = (_client, items) => ({
      last_seq: 1,
      results: items.map(() => ({
        seq: 1,
        id: mutation.id,
        result: 'quarantined',
        code: 'UNKNOWN_MUTATION',
        reason: 'unknown',
      })),
    });
    const again = await device.start();
    expect(again.status.current.lastError?.code).toBe('DAMAGED');
    await again.receipt(mutation.id)?.accepted.catch(() => {});
    expect(again.receipt(mutation.id)?.current).toMatchObject({ at: 'quarantined', code: 'UNKNOWN_MUTATION' });
    expect(server.heard.filter((frame) => frame.type === 'push')).toEqual([{ type: 'push', mutations: [mutation] }]);
    expect(await device.store.readAll('item')).toHaveLength(2);
  });

  test('never writes over a damaged change: the next one gets another number, and the damaged one is declared lost', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.startSignedIn();
    await until(client.status, (status) => status.connection === 'online');
    await server.until(() => server.heard.some((frame) => frame.type === 'hello'));
    const clientId = server.heard.flatMap((frame) => (frame.type === 'hello' ? [frame.client_id] : []))[0]!;
    await device.kill();
    const damaged = { key: `${clientId}/0000000001`, value: 'damaged' };
    await device.store.write([{ put: 'item', ...damaged }], 'strict');
    const again = await device.start();
    const receipt = again.updateStop(sampleKey, { id: 1, updates: { status: 'D' } });
    await receipt.accepted;
    expect(server.ledger.gone).toEqual([{ from: 1, to: 1 }]);
    expect(server.ledger.taken.map(({ mutation }) => mutation.seq)).toEqual([2]);
    expect(await device.store.readAll('item')).toContainEqual(damaged);
    // The server's watermark was above all sealed changes for a moment: no reason for another queue.
    expect(server.ledger.queues.size).toBe(1);
  });
});
