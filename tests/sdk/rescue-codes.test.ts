import { gzipSync } from 'node:zlib';
import { MemoryStore } from '@tailgate/client-sdk';
import {
  CodeReader,
  codesOf,
  importQueue,
  newPassphrase,
  packQueues,
  ParcelTooLarge,
  unpackQueues,
  WrongPassphrase,
} from '@tailgate/client-sdk/rescue';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { expect, test } from 'vitest';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

/** A phone in a dead zone with two unsent stops; its client runs. */
async function phoneWithWork(undoWindow = 0) {
  const server = await startScriptedServer();
  const device = new Device(server.url, { store: new MemoryStore(), undoWindow });
  const client = await device.startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  await until(client.status, ({ connection }) => connection === 'online');
  server.refuse = true;
  server.cut();
  await until(client.status, ({ connection }) => connection !== 'online');
  const receipts = [client.stop(1).deliver({ asPlanned: true }), client.stop(2).skip()];
  await Promise.all(receipts.map(({ saved }) => saved));
  return { server, device, client, ids: receipts.map(({ id }) => id) };
}

test('a running phone passes its queue to another one by a chain of codes and a passphrase; all of it counts once', async () => {
  const { server, client, ids } = await phoneWithWork();
  const passphrase = newPassphrase();
  expect(passphrase).toMatch(/^\d{4} \d{4} \d{4}$/);
  const codes = codesOf(await packQueues(await client.exportQueues(), passphrase));
  expect(codes.length).toBeGreaterThan(1);
  // A camera reads codes again, and begins anywhere.
  const reader = new CodeReader();
  expect(reader.add('https://example.com')).toBeUndefined();
  for (const code of [...codes.slice(1), ...codes.slice(1)]) reader.add(code);
  expect(reader.parcel).toBeUndefined();
  expect(reader.add(codes[0] ?? '')).toEqual({ have: codes.length, of: codes.length, missing: [] });

  const other = new Device(server.url);
  const [queue] = await unpackQueues(reader.parcel ?? new Uint8Array(), passphrase.replaceAll(' ', '-'));
  expect(await importQueue(other.store, queue)).toEqual({ items: 2, isWhole: true });
  server.refuse = false;
  const rescuer = await other.start();
  await until(rescuer.status, ({ pending }) => pending['1001'] === undefined);
  client.syncNow();
  await until(client.status, ({ pending }) => pending['1001'] === undefined);
  expect(server.ledger.taken.map(({ id }) => id)).toEqual(ids);
  expect(server.ledger.chainBreaks).toBe(0);
});

test('an export ends undo windows, and the phone goes on', async () => {
  const { server, client, ids } = await phoneWithWork(600_000);
  const [queue] = await client.exportQueues();
  expect(queue?.mutations.map(({ id }) => id)).toEqual(ids);
  expect(await client.withdraw(ids[0] ?? '')).toBe('sent');
  const later = client.updateStop(sampleKey, { id: 3, updates: { driver_comments: 'after the export' } });
  server.refuse = false;
  client.syncNow();
  await later.accepted;
  expect(server.ledger.taken.map(({ id }) => id)).toEqual([...ids, later.id]);
});

test('the codes contain nothing that can be read, and open with their passphrase only', async () => {
  const { client } = await phoneWithWork();
  const queues = await client.exportQueues();
  const parcel = await packQueues(queues, '1234 5678 9012');
  const text = codesOf(parcel).join('') + new TextDecoder('latin1').decode(parcel);
  expect(text).not.toContain(queues[0]?.queue_key ?? 'key');
  expect(text).not.toContain('1001');
  expect(await unpackQueues(parcel, '123456789012')).toEqual(queues);
  await expect(unpackQueues(parcel, '1234 5678 9013')).rejects.toThrow(WrongPassphrase);
  const damaged = parcel.map((byte, i) => (i === parcel.length - 1 ? byte ^ 1 : byte));
  await expect(unpackQueues(damaged, '1234 5678 9012')).rejects.toThrow(WrongPassphrase);
  await expect(unpackQueues(new Uint8Array(100), '1234 5678 9012')).rejects.toThrow(TypeError);
});

test('a parcel that is too large, or that opens to too much, is refused by name', async () => {
  const passphrase = '1234 5678 9012';
  const [queue] = await (await phoneWithWork()).client.exportQueues();
  if (!queue) throw new Error('no queue');
  const endless = [{ ...queue, employee_id: 'x'.repeat(65 * 1024 * 1024) }];
  await expect(packQueues(endless, passphrase)).rejects.toThrow('queues: more than 67108864 bytes');
  const bomb = await sealedBytes(new Uint8Array(65 * 1024 * 1024), passphrase);
  expect(bomb.length).toBeLessThan(100_000);
  await expect(unpackQueues(bomb, passphrase)).rejects.toThrow(new ParcelTooLarge('queues: more than 67108864 bytes'));
  const long = new Uint8Array(9 * 1024 * 1024);
  long.set(bomb);
  await expect(unpackQueues(long, passphrase)).rejects.toThrow('parcel: 9437184 bytes, at most 8388608');
});

/** A parcel of any bytes, as a hostile program makes it: docs describe the format. */
async function sealedBytes(plain: Uint8Array<ArrayBuffer>, passphrase: string): Promise<Uint8Array<ArrayBuffer>> {
  const magic = new Uint8Array([0x54, 0x47, 0x52, 1]);
  const [salt, iv] = [crypto.getRandomValues(new Uint8Array(16)), crypto.getRandomValues(new Uint8Array(12))];
  const secret = new TextEncoder().encode(passphrase.replaceAll(' ', ''));
  const base = await crypto.subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveKey']);
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: 600_000 };
  const key = await crypto.subtle.deriveKey(derivation, base, { name: 'AES-GCM', length: 256 }, false, ['encrypt']);
  const zipped = new Uint8Array(gzipSync(plain));
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: magic }, key, zipped);
  return new Uint8Array([...magic, ...salt, ...iv, ...new Uint8Array(sealed)]);
}

test('a reader begins anew at a code of another chain, and names what is missing', async () => {
  const [first, second] = [codesOf(new Uint8Array(700).fill(1), 300), codesOf(new Uint8Array(650).fill(2), 300)];
  const reader = new CodeReader();
  expect(reader.add(first[2] ?? '')).toEqual({ have: 1, of: 3, missing: [1, 2] });
  expect(reader.add(second[1] ?? '')).toEqual({ have: 1, of: 3, missing: [1, 3] });
  for (const code of second) reader.add(code);
  expect(reader.parcel).toEqual(new Uint8Array(650).fill(2));
  for (const bad of ['TGR1:abcdef:0/3:AAAA', 'TGR1:abcdef:4/3:AAAA', 'TGR1:abcdef:1/3:A', 'TGR2:abcdef:1/3:AAAA', ''])
    expect(reader.add(bad)).toBeUndefined();
  expect(() => codesOf(new Uint8Array(300 * 201), 300)).toThrow('share it as a file');
});
