import { sampleKey } from '@tailgate/client-sdk/testing';
import type { ClientOptions } from '@tailgate/client-sdk';
import { expect, test } from 'vitest';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

const timing = { retryBaseMs: 5, retryCapMs: 20, openMs: 2_000, pingMs: 1_000, answerMs: 1_000 };

/** A phone that loses its network and fails to reconnect this many times. Counts its requests over plain HTTP. */
async function inDeadZone(failures: number, options: Partial<ClientOptions> = {}) {
  const server = await startScriptedServer();
  const pushes: string[] = [];
  const client = await new Device(server.url, {
    timing,
    fetch: (input, init) => {
      const url = input instanceof Request ? input.url : input.toString();
      if (!server.refuse && url.endsWith('/api/sync/push')) pushes.push(url);
      return fetch(input, init);
    },
    ...options,
  }).startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  server.refuse = true;
  server.cut();
  const receipt = client.updateStop(sampleKey, { id: 1, updates: { driver_comments: 'in the dead zone' } });
  for (let n = 0; n < failures; n++) {
    await until(client.status, ({ connection }) => connection === 'connecting');
    await until(client.status, ({ connection }) => connection === 'offline');
  }
  server.refuse = false;
  return { server, client, receipt, pushes };
}

test.each([1, 2, 3, 4, 5, 6, 7])(
  'a phone that failed %i times in a dead zone drains over its socket',
  async (failures) => {
    const { receipt, pushes } = await inDeadZone(failures);
    await receipt.accepted;
    expect(pushes).toEqual([]);
  },
);

test('a hint that the network is back discards the failures in a dead zone', async () => {
  let hint = (): void => undefined;
  const wakeUps = (listener: () => void) => {
    hint = listener;
    return () => undefined;
  };
  const { server, receipt, pushes } = await inDeadZone(3, { wakeUps });
  const before = server.heard.length;
  hint();
  await receipt.accepted;
  expect(pushes).toEqual([]);
  // No trial: the first frame on the socket is the hello.
  expect(server.heard[before]?.type).toBe('hello');
});
