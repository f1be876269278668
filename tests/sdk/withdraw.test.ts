import { Withdrawn } from '@tailgate/client-sdk';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { expect, test } from 'vitest';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

const comment = (id: number, text: string) => ({ id, updates: { driver_comments: text } });
const long = 600_000;

async function openClient(undoWindow: number) {
  const server = await startScriptedServer();
  const device = new Device(server.url, { undoWindow });
  const client = await device.startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  await until(client.status, ({ connection }) => connection === 'online');
  return { server, device, client };
}

test('a withdrawn change leaves the view at once and is never sent; the others are sent in order', async () => {
  const { server, device, client } = await openClient(long);
  const receipts = [1, 2, 3].map((stop) => client.updateStop(sampleKey, comment(stop, 'tapped')));
  const [first, second, third] = receipts;
  const withdrawal = client.withdraw(second?.id ?? '');
  expect(client.stop(2).current).toMatchObject({ pending: 0, updates: {} });
  expect(second?.current).toEqual({ at: 'withdrawn' });
  expect(await withdrawal).toBe('withdrawn');
  await expect(second?.accepted).rejects.toThrow(Withdrawn);
  expect(await client.withdraw(second?.id ?? '')).toBe('withdrawn');
  expect(server.heard.filter(({ type }) => type === 'push')).toEqual([]);
  client.syncNow();
  await Promise.all([first?.accepted, third?.accepted]);
  await device.kill();
  const again = await device.start();
  await again.updateStop(sampleKey, comment(1, 'after the restart')).saved;
  again.syncNow();
  await until(again.status, ({ pending }) => Object.keys(pending).length === 0);
  expect(server.ledger.taken.map(({ stop }) => stop)).toEqual([1, 3, 1]);
  expect(server.ledger.chainBreaks).toBe(0);
  expect(again.receipt(second?.id ?? '')).toBeUndefined();
  expect(await again.withdraw(second?.id ?? '')).toBe('unknown');
});

test('a change is sent after its window; its undo is then a correction', async () => {
  const { client } = await openClient(20);
  const receipt = client.updateStop(sampleKey, comment(1, 'tapped'));
  await receipt.accepted;
  expect(await client.withdraw(receipt.id)).toBe('sent');
  expect(client.stop(1).current?.updates.driver_comments).toBe('tapped');
});

test('a change whose window a kill interrupts is sent', async () => {
  const { server, device, client } = await openClient(long);
  const receipt = client.updateStop(sampleKey, comment(1, 'tapped'));
  await receipt.saved;
  await device.kill();
  expect(server.ledger.taken).toEqual([]);
  const again = await device.start();
  await again.receipt(receipt.id)?.accepted;
  expect(await again.withdraw(receipt.id)).toBe('sent');
});

test('each tap of a stop within a window is withdrawn separately', async () => {
  const { client } = await openClient(long);
  client.updateStop(sampleKey, { id: 1, updates: { status: 'D' } });
  const second = client.updateStop(sampleKey, comment(1, 'by mistake'));
  expect(await client.withdraw(second.id)).toBe('withdrawn');
  expect(client.stop(1).current?.updates).toMatchObject({ status: 'D' });
  expect(client.stop(1).current?.updates.driver_comments).not.toBe('by mistake');
});

test('without a window, a change can be withdrawn until a transport has it', async () => {
  const { server, client } = await openClient(0);
  server.refuse = true;
  server.cut();
  await until(client.status, ({ connection }) => connection !== 'online');
  const receipt = client.updateStop(sampleKey, comment(1, 'offline'));
  const next = client.updateStop(sampleKey, comment(2, 'stays'));
  expect(await client.withdraw(receipt.id)).toBe('withdrawn');
  server.refuse = false;
  await next.accepted;
  expect(server.ledger.taken.map(({ id }) => id)).toEqual([next.id]);
  expect(server.ledger.taken[0]?.mutation.seq).toBe(1);
});

test('an undo window that is not a valid time is refused', async () => {
  await expect(new Device('http://127.0.0.1:9', { undoWindow: -1 }).start()).rejects.toThrow('undoWindow');
});

test('an address that no server has is refused when the app is built', async () => {
  for (const url of ['', '127.0.0.1:9', 'localhost:9', 'http://127.0.0.1:9/api', 'http://127.0.0.1:9/api/'])
    await expect(new Device(url).start()).rejects.toThrow('url must be');
});
