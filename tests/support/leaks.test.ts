import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { atFileEnd, endFile } from './file-end.ts';
import { activeResources, leakedSince } from './leaks.ts';

test('the check finds resources that a file leaves open; closed ones pass, even if closing takes a moment', async () => {
  const before = activeResources();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  expect(await leakedSince(before, 20)).toEqual(['1 × TCPServerWrap']);
  server.close();
  expect(await leakedSince(before)).toEqual([]);
});

test('the check finds a running timer', async () => {
  const timer = setInterval(() => undefined, 60_000);
  const leaked = await leakedSince(new Map(), 20);
  clearInterval(timer);
  expect(leaked).toEqual([expect.stringContaining('× Timeout')]);
});

test('endings run latest first, all of them, and their errors are not lost', async () => {
  const ran: string[] = [];
  atFileEnd(async (failed) => {
    ran.push(`first opened, failed: ${failed}`);
  });
  atFileEnd(() => Promise.reject(new Error('stuck')));
  atFileEnd(async () => {
    ran.push('last opened');
  });
  await expect(endFile(true)).rejects.toThrow('stuck');
  expect(ran).toEqual(['last opened', 'first opened, failed: true']);
});
