import { describe, expect, test } from 'vitest';
import { MemoryStore, Quarantined } from '@tailgate/client-sdk';
import { tables } from '../../client-sdk/src/store/store.ts';
import { sampleKey } from '@tailgate/client-sdk/testing';
import type { ScriptedServer } from '@tailgate/client-sdk/testing';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';
import { newSqliteStore } from '../support/sqlite-store.ts';

const comment = (id: number, text: string) => ({ id, updates: { driver_comments: text } });
const pushes = (server: ScriptedServer) =>
  server.heard.flatMap((frame) => (frame.type === 'push' ? [frame.mutations] : []));
/** Ledger ids in order. The test fails if one is there twice. */
const arrived = (server: ScriptedServer) => server.ledger.taken.map((entry) => entry.id);

describe('lost answers', () => {
  test('the feed delivers a change before its ack', async () => {
    const server = await startScriptedServer();
    const client = await new Device(server.url, { store: await newSqliteStore() }).startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    server.holdAcks();
    const seen: (string | null | undefined)[] = [];
    const receipt = client.updateStop(sampleKey, comment(1, 'A'));
    client.stop(1).subscribe((stop) => seen.push(stop?.updates.driver_comments));
    await server.until(() => server.heldAcks === 1);
    // The host is faster than the ack, too: the feed sends nothing more about this version.
    server.host();
    server.releaseAcks();
    await receipt.onHost;
    expect(new Set(seen)).toEqual(new Set(['A']));
    expect(client.stop(1).current?.pending).toBe(0);
  });

  test('changes that are recorded during a push follow it, sealed in order', async () => {
    const server = await startScriptedServer({ mutationsPerPush: 3, pushesInFlight: 2 });
    const client = await new Device(server.url, { store: await newSqliteStore() }).startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    server.holdAcks();
    const receipts = Array.from({ length: 10 }, (_, n) => client.updateStop(sampleKey, comment((n % 3) + 1, `c${n}`)));
    await server.until(() => server.heldAcks > 0);
    receipts.push(
      ...Array.from({ length: 5 }, (_, n) => client.updateStop(sampleKey, comment(((n + 1) % 3) + 1, `d${n}`))),
    );
    server.releaseAcks();
    await Promise.all(receipts.map((receipt) => receipt.accepted));
    expect(arrived(server)).toEqual(receipts.map((receipt) => receipt.id));
    expect(server.ledger.chainBreaks).toBe(0);
    expect(Math.max(...pushes(server).map((push) => push.length))).toBeLessThanOrEqual(3);
  });

  test('pushes are pipelined, up to the number that the server allows', async () => {
    const server = await startScriptedServer({ mutationsPerPush: 1, pushesInFlight: 4 });
    const client = await new Device(server.url).startSignedIn();
    await until(client.status, (status) => status.connection === 'online');
    server.holdAcks();
    const receipts = Array.from({ length: 9 }, (_, n) => client.updateStop(sampleKey, comment((n % 3) + 1, `c${n}`)));
    await server.until(() => server.heldAcks === 3);
    expect(pushes(server)).toHaveLength(3);
    server.releaseAcks();
    await Promise.all(receipts.map((receipt) => receipt.accepted));
    expect(arrived(server)).toEqual(receipts.map((receipt) => receipt.id));
  });

  test('the client repeats a change after a temporary failure, in order, and loses nothing', async () => {
    const server = await startScriptedServer({ mutationsPerPush: 1 });
    const client = await new Device(server.url, { store: await newSqliteStore() }).startSignedIn();
    await until(client.status, (status) => status.connection === 'online');
    server.pushErrors.push('DATABASE_UNAVAILABLE', 'DATABASE_UNAVAILABLE', 'INTERNAL');
    const receipts = Array.from({ length: 6 }, (_, n) => client.updateStop(sampleKey, comment((n % 3) + 1, `c${n}`)));
    await Promise.all(receipts.map((receipt) => receipt.accepted));
    expect(arrived(server)).toEqual(receipts.map((receipt) => receipt.id));
    expect(server.ledger.chainBreaks).toBe(0);
    expect(server.connections).toBe(1);
    expect(client.status.current.lastError?.code).toBe('INTERNAL');
  });

  test('an invalid change is quarantined and reported; the others pass', async () => {
    const server = await startScriptedServer();
    server.ledger.poisoned.add(2);
    const client = await new Device(server.url).startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    const events: string[] = [];
    client.on('quarantined', ({ id, code }) => events.push(`${id} ${code}`));
    const [accepted, rejected, after] = [1, 2, 3].map((stop) => client.updateStop(sampleKey, comment(stop, 'x')));
    await after!.accepted;
    await expect(rejected!.accepted).rejects.toThrow(Quarantined);
    expect(rejected!.current).toMatchObject({ at: 'quarantined', code: 'INTERNAL', reason: 'poison' });
    expect(events).toEqual([`${rejected!.id} INTERNAL`]);
    // The change is not applied, so the view no longer shows it.
    expect(client.stop(2).current?.updates.driver_comments).toBeNull();
    expect(arrived(server)).toEqual([accepted!.id, after!.id]);
    expect(client.status.current.pending).toEqual({});
  });

  test('no change is sent before its seal is on the disk, although the connection breaks meanwhile', async () => {
    const server = await startScriptedServer({ mutationsPerPush: 1 });
    let disk: Promise<void> = Promise.resolve();
    const store = new (class extends MemoryStore {
      override async write(...args: Parameters<MemoryStore['write']>): Promise<void> {
        await disk;
        return super.write(...args);
      }
    })();
    const client = await new Device(server.url, { store }).startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    const { promise, resolve: diskAnswers } = Promise.withResolvers<void>();
    disk = promise;
    const receipts = [1, 2, 3].map((stop) => client.updateStop(sampleKey, comment(stop, 'x')));
    server.cut();
    const pings = (): number => server.heard.filter((frame) => frame.type === 'ping').length;
    const before = pings();
    await server.until(() => server.connections === 2 && pings() > before);
    receipts.push(client.updateStop(sampleKey, comment(1, 'y')));
    await server.until(() => pings() > before + 1);
    expect(pushes(server)).toEqual([]);
    expect(receipts.map((receipt) => receipt.current.at)).toEqual(Array(4).fill('recorded'));
    diskAnswers();
    await Promise.all(receipts.map((receipt) => receipt.accepted));
    expect(arrived(server)).toEqual(receipts.map((receipt) => receipt.id));
    expect(server.ledger.chainBreaks).toBe(0);
  });

  test('after a kill during sealing, the chain on the disk decides which items are sealed', async () => {
    const server = await startScriptedServer();
    const [store, diskOfThen] = [new MemoryStore(), new MemoryStore()];
    const { promise: killed, resolve: kill } = Promise.withResolvers<void>();
    let hashes = 0;
    const sha256 = async (text: string): Promise<Uint8Array> => {
      // Each item takes two writes. The first one goes alone; of the other two, one is sealed by now.
      if (++hashes === 5) await recordAndDie();
      return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
    };
    const device = new Device(server.url, { store, sha256 });
    const client = await device.startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    const recordAndDie = async (): Promise<void> => {
      await client.updateStop(sampleKey, comment(1, 'B')).saved;
      for (const table of tables)
        await diskOfThen.write(
          (await store.readAll(table)).map((row) => ({ put: table, ...row })),
          'strict',
        );
      kill();
      await new Promise(() => {});
    };
    const receipts = [1, 2, 3].map((stop) => client.updateStop(sampleKey, comment(stop, 'A')));
    await killed;
    await device.kill();
    const again = await new Device(server.url, { store: diskOfThen }).start();
    for (const { id } of receipts) await again.receipt(id)?.accepted;
    await until(again.status, ({ pending }) => Object.keys(pending).length === 0);
    expect(arrived(server)).toHaveLength(4);
    expect(server.ledger.chainBreaks).toBe(0);
  });

  test('a change that is being sealed merges no more: a second edit of the stop is a separate change', async () => {
    const server = await startScriptedServer();
    const { promise: hashed, resolve: hash } = Promise.withResolvers<void>();
    const sha256 = async (text: string): Promise<Uint8Array> => {
      await hashed;
      return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
    };
    const client = await new Device(server.url, { sha256 }).startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    const receipts = ['A', 'B'].map((text) => client.updateStop(sampleKey, comment(1, text)));
    hash();
    await Promise.all(receipts.map((receipt) => receipt.accepted));
    expect(arrived(server)).toEqual(receipts.map((receipt) => receipt.id));
    expect(new Set(arrived(server)).size).toBe(2);
    expect(client.stop(1).current?.updates.driver_comments).toBe('B');
  });

  test('a connected server that answers no push gets a new connection', async () => {
    const server = await startScriptedServer();
    let fire: (() => void) | undefined;
    const clock = {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      after: (ms: number, work: () => void) => {
        if (ms === 30_000) fire = work;
        const timer = setTimeout(work, ms);
        return () => clearTimeout(timer);
      },
    };
    const client = await new Device(server.url, { clock }).startSignedIn();
    await until(client.status, (status) => status.connection === 'online');
    server.holdAcks();
    const receipt = client.updateStop(sampleKey, comment(1, 'A'));
    await server.until(() => server.heldAcks === 1);
    fire?.();
    await server.until(() => server.connections === 2);
    server.releaseAcks();
    await receipt.accepted;
    expect(arrived(server)).toEqual([receipt.id]);
  });
});
