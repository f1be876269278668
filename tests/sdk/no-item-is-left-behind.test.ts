import { expect, test } from 'vitest';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

/** More turns than the sender needs from a change to its rest. */
const TURNS = 40;

test('a change that is recorded at any moment of the sender’s round is sent', async () => {
  const server = await startScriptedServer();
  const device = new Device(server.url);
  const client = await device.startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  for (let turns = 0; turns < TURNS; turns++) {
    const first = client.updateStop(sampleKey, { id: 1, updates: { driver_comments: `${turns} turns` } });
    await first.accepted;
    // This many turns after the answer. One of the counts falls between the sender's last check and its end.
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    await client.updateStop(sampleKey, { id: 2, updates: { driver_comments: `${turns} turns later` } }).accepted;
  }
  expect(server.ledger.taken).toHaveLength(2 * TURNS);
});
