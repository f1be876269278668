import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { reservePort } from './reserved-port.ts';

test('a free port is given once', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, reservePort));
  expect(new Set(ports).size).toBe(200);
});

test('a server on it has it alone', async () => {
  const port = await reservePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
  await expect(reservePort()).resolves.not.toBe(port);
});
