import { sampleKey } from '@tailgate/client-sdk/testing';
import { expect, test } from 'vitest';
import { lastRecorded, recorded, undo } from '../../server/web/driver/recorded.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device } from '../support/sdk-device.ts';

async function tapped(undoWindow: number) {
  const server = await startScriptedServer();
  const client = await new Device(server.url, { undoWindow }).startSignedIn();
  const receipt = client.updateStop(sampleKey, { id: 1, updates: { driver_comments: 'tapped' } });
  recorded({ receipt, stop: 1, kind: 'corrected' });
  const { current: last } = lastRecorded;
  if (!last) throw new Error('nothing to undo');
  return { client, receipt, last };
}

test('an undo in time takes the change back, and its bar goes', async () => {
  const { client, last } = await tapped(600_000);
  expect(await undo(client, last)).toBe('withdrawn');
  expect(lastRecorded.current).toBeUndefined();
});

test('an undo that comes too late leaves a bar that says so', async () => {
  const { client, receipt, last } = await tapped(0);
  await receipt.accepted;
  expect(await undo(client, last)).toBe('sent');
  expect(lastRecorded.current).toMatchObject({ stop: 1, isSent: true });
});
