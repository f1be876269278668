import { expect, test } from 'vitest';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

test('a tap shows at once, and becomes saved, accepted and hosted', async () => {
  const server = await startScriptedServer();
  const client = await new Device(server.url).startSignedIn();
  await until(client.route(), (route) => route !== undefined);

  const stop = client.stop(1);
  const receipt = client.updateStop(sampleKey, { id: 1, updates: { status: 'D', driver_comments: 'Tür links' } });
  expect(stop.current?.updates).toMatchObject({
    status: 'D',
    driver_comments: 'Tür links',
    delivered_by_driver_id: '1001',
  });
  expect(receipt.current).toEqual({ at: 'recorded' });

  await receipt.saved;
  const version = await receipt.accepted;
  expect(version).toBe(server.ledger.version);
  expect(client.status.current.pending).toEqual({});
  server.host();
  await receipt.onHost;
  expect(receipt.current).toMatchObject({ at: 'on_host', version, evidence: 'complete' });
});
