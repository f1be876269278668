import type { FileStore } from '@tailgate/client-sdk/uploads';
import { MemoryFiles, openUploads } from '@tailgate/client-sdk/uploads';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { expect, test } from 'vitest';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';
import { SmallDisk } from '../support/small-disk.ts';

const comment = (id: number, text: string) => ({ id, updates: { driver_comments: text } });

async function openClient() {
  const server = await startScriptedServer();
  const disk = new SmallDisk();
  const device = new Device(server.url, { store: disk });
  const client = await device.startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  return { server, disk, device, client };
}

test('changes on the disk are sent while the disk is full; the others wait and report it', async () => {
  const { server, disk, device, client } = await openClient();
  server.refuse = true;
  server.cut();
  const saved = [1, 2].map((stop) => client.updateStop(sampleKey, comment(stop, 'before')));
  await Promise.all(saved.map((receipt) => receipt.saved));
  disk.fill();
  const unsaved = client.updateStop(sampleKey, comment(3, 'after'));
  await until(client.status, ({ storage }) => storage === 'failing');
  expect(client.status.current.lastError?.message).toBe('cannot store yet: QuotaExceededError');
  server.refuse = false;
  await Promise.all(saved.map((receipt) => receipt.accepted));
  expect(unsaved.current.at).toBe('recorded');
  expect(server.ledger.taken.map(({ id }) => id)).toEqual(saved.map(({ id }) => id));

  // A kill: a sent change is on the disk without its seal, and is sent again unchanged.
  await device.kill();
  disk.quota = Infinity;
  const again = await device.start();
  await until(again.status, ({ pending, connection }) => connection === 'online' && Object.keys(pending).length === 0);
  const next = again.updateStop(sampleKey, comment(3, 'after the kill'));
  await next.accepted;
  expect(server.ledger.taken.map(({ id }) => id)).toEqual([...saved, next].map(({ id }) => id));
  expect(saved.map(({ id }) => again.receipt(id)?.current.at)).toEqual(['accepted', 'accepted']);
});

test('a change that merged with a later tap is sent when the disk has both', async () => {
  const { server, disk, client } = await openClient();
  server.refuse = true;
  server.cut();
  await until(client.status, ({ connection }) => connection !== 'online');
  const first = client.updateStop(sampleKey, comment(1, 'one'));
  await first.saved;
  disk.fill();
  const merged = client.updateStop(sampleKey, { id: 1, updates: { store_emp_name: 'two' } });
  expect(merged.id).toBe(first.id);
  await until(client.status, ({ storage }) => storage === 'failing');
  server.refuse = false;
  await until(client.status, ({ connection }) => connection === 'online');
  expect(server.ledger.taken).toEqual([]);
  disk.quota = Infinity;
  await merged.accepted;
  expect(server.ledger.taken[0]?.mutation).toMatchObject({
    args: { stop: { updates: { driver_comments: 'one', store_emp_name: 'two' } } },
  });
});

test('the client keeps a reserve and gives it to a change when nothing else fits', async () => {
  const { server, disk, client } = await openClient();
  await client.updateStop(sampleKey, comment(1, 'fits')).accepted;
  await expect.poll(() => disk.used).toBeGreaterThan(128 * 1024);
  server.refuse = true;
  server.cut();
  disk.quota = disk.used + 100;
  const receipts = Array.from({ length: 50 }, (_, n) => client.updateStop(sampleKey, comment((n % 3) + 1, `${n}`)));
  await Promise.all(receipts.map((receipt) => receipt.saved));
  expect(disk.refused).toBe(1);
  expect(client.status.current).toMatchObject({ storage: 'ok', lastError: undefined });
});

test('files that the server has are deleted to make room for changes', async () => {
  const server = await startScriptedServer();
  const files = new MemoryFiles();
  const facts = { id: '0123456789ABCDEF', employee: '1001', kind: 'photo', name: '', size: 3, pieces: 1 };
  const here = { at: 'here', epoch: '1', since: Date.now() };
  await files.put(facts.id, { ...facts, sha256: '', salt: '', added: 0, state: here }, [new Uint8Array(3)]);
  const disk = new SmallDisk();
  const uploads = await openUploads({ store: files });
  const client = await new Device(server.url, { store: disk, uploads }).startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  disk.fill();
  const receipt = client.updateStop(sampleKey, comment(1, 'x'));
  await expect.poll(() => files.files()).toEqual([]);
  disk.quota = Infinity;
  await receipt.accepted;
});

test('a driver signs in on a full disk', async () => {
  const server = await startScriptedServer();
  const disk = new SmallDisk();
  disk.fill();
  const client = await new Device(server.url, { store: disk }).startSignedIn();
  const route = await until(client.route(), (seen) => seen !== undefined);
  expect(route?.stops).toHaveLength(3);
});

test('a continuing problem is reported once', async () => {
  const { disk, client } = await openClient();
  disk.fill();
  client.updateStop(sampleKey, comment(1, 'x'));
  await expect.poll(() => disk.refused, { timeout: 60_000 }).toBeGreaterThan(4);
  const { troubles } = await client.diagnostics();
  expect(troubles.map(({ code }) => code)).toEqual(['STORAGE']);
});

test('two alternating problems are reported once each, and neither hides another one', async () => {
  const server = await startScriptedServer();
  const [disk, files] = [new SmallDisk(), new MemoryFiles()];
  const reads = { count: 0 };
  const isFull = (): Promise<never> => Promise.reject(new DOMException('', 'QuotaExceededError'));
  const store: FileStore = {
    files: () => files.files(),
    piece: () => {
      reads.count++;
      return isFull();
    },
    put: (id, facts, pieces) => files.put(id, facts, pieces),
    remove: (id) => files.remove(id),
    close: () => files.close(),
  };
  const uploads = await openUploads({ store, photos: false });
  const client = await new Device(server.url, { store: disk, uploads }).startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  // Without a network, no file is deleted for changes.
  server.refuse = true;
  server.cut();
  await until(client.status, ({ connection }) => connection !== 'online');
  disk.fill();
  client.updateStop(sampleKey, comment(1, 'x'));
  await uploads.add(new Uint8Array(3), { kind: 'document' });
  await expect.poll(() => Math.min(disk.refused, reads.count), { timeout: 60_000 }).toBeGreaterThan(3);
  const { troubles } = await client.diagnostics();
  expect(troubles.map(({ code }) => code).toSorted()).toEqual(['FILES', 'STORAGE']);
});
