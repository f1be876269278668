import { once } from 'node:events';
import { createServer } from 'node:net';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { listen } from '../../server/src/runtime/listening.ts';

async function resultOf(port: number, listenHost: string, variable?: 'METRICS_PORT'): Promise<string> {
  const http = fastify();
  try {
    return await listen(http, { port, listenHost }, variable);
  } catch (fault) {
    return String(fault);
  } finally {
    await http.close();
  }
}

test('the error for a host name without an address names the setting', async () => {
  // The test needs no name server.
  expect(await resultOf(0, 'not a host')).toMatch(
    /^StartError: cannot listen on not a host port 0: no address .* set LISTEN_HOST to one of this machine/,
  );
});

test('the error for an address of another machine names the setting', async () => {
  expect(await resultOf(0, '192.0.2.1')).toContain('this machine has no such address; set LISTEN_HOST to one');
});

test('the error for a used port names its own setting', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  expect(await resultOf(port, '127.0.0.1', 'METRICS_PORT')).toContain(`METRICS_PORT=${port + 1} npm start`);
  other.close();
  await once(other, 'close');
});
