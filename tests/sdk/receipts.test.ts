import type { ClientEvents } from '@tailgate/client-sdk';
import { Quarantined } from '@tailgate/client-sdk';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { describe, expect, test } from 'vitest';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

const comment = (id: number, text: string) => ({ id, updates: { driver_comments: text } });

async function synced() {
  const server = await startScriptedServer();
  const device = new Device(server.url);
  const client = await device.startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  return { server, device, client };
}

describe('the receipt of a change whose stop names files', () => {
  test('is complete when the server has all of them, hosted or not', async () => {
    const { server, client } = await synced();
    server.ledger.awaited = [1];
    const [photo, none] = [
      client.updateStop(sampleKey, comment(1, 'with a photo')),
      client.updateStop(sampleKey, comment(2, 'without')),
    ];
    await none.complete;
    expect(none.current).toMatchObject({ at: 'accepted', evidence: 'complete' });
    server.host();
    await Promise.all([photo.onHost, none.onHost]);
    expect(photo.current).toMatchObject({ at: 'on_host', evidence: 'awaited' });
    server.ledger.awaited = [];
    server.publish();
    await photo.complete;
    expect(photo.current).toMatchObject({ at: 'on_host', evidence: 'complete' });
  });

  test('shows the server’s last state after a restart of the app, and receives the next states', async () => {
    const { server, device, client } = await synced();
    server.ledger.awaited = [1];
    const { id, onHost } = client.updateStop(sampleKey, comment(1, 'with a photo'));
    await client.receipt(id)?.accepted;
    server.host();
    await onHost;
    server.refuse = true;
    await device.kill();
    const again = await device.start();
    expect(again.receipt(id)?.current).toMatchObject({ at: 'on_host', evidence: 'awaited' });
    server.ledger.awaited = [];
    server.refuse = false;
    await again.receipt(id)?.complete;
    await device.kill();
    const last = await device.start({ url: 'http://127.0.0.1:9' });
    expect(last.receipt(id)?.current).toMatchObject({ at: 'on_host', evidence: 'complete' });
  });

  test('stays complete when a later change of the stop names another file', async () => {
    const { server, client } = await synced();
    const first = client.updateStop(sampleKey, comment(1, 'first'));
    await first.complete;
    server.ledger.awaited = [1];
    const second = client.updateStop(sampleKey, { id: 1, updates: { status: 'D' } });
    await until(second, (state) => state.at === 'accepted' && state.evidence === 'awaited');
    expect(first.current).toMatchObject({ at: 'accepted', evidence: 'complete' });
  });
});

describe('the receipt of a change in quarantine', () => {
  /** A recorded change that the server quarantined. */
  async function quarantined() {
    const deps = await synced();
    const { server, client } = deps;
    server.ledger.poisoned.add(1);
    const events: ClientEvents['quarantined'][] = [];
    client.on('quarantined', (event) => events.push(event));
    const receipt = client.updateStop(sampleKey, comment(1, 'kept'));
    await expect(receipt.accepted).rejects.toThrow(Quarantined);
    return { ...deps, receipt, events };
  }

  test('becomes accepted and hosted after a release', async () => {
    const { server, client, receipt } = await quarantined();
    server.review(receipt.id);
    await until(receipt, ({ at }) => at === 'accepted');
    expect(await receipt.accepted).toBe(server.ledger.version);
    await until(client.stop(1), (stop) => stop?.updates.driver_comments === 'kept');
    server.host();
    await receipt.onHost;
  });

  test('shows a dismissal with the office’s reason, and a later release', async () => {
    const { server, receipt, events } = await quarantined();
    server.review(receipt.id, 'recorded twice');
    await until(receipt, (state) => state.at === 'quarantined' && state.dismissed !== undefined);
    expect(receipt.current).toMatchObject({ at: 'quarantined', code: 'INTERNAL', dismissed: 'recorded twice' });
    expect(events.map(({ dismissed }) => dismissed)).toEqual([undefined, 'recorded twice']);
    server.review(receipt.id);
    await until(receipt, ({ at }) => at === 'accepted');
  });

  test('becomes accepted at the next connection, if the release came while the phone was away', async () => {
    const { server, device, receipt } = await quarantined();
    await device.kill();
    server.review(receipt.id);
    const again = await device.start();
    const same = again.receipt(receipt.id);
    expect(same?.current.at).toBe('quarantined');
    await until(same ?? receipt, ({ at }) => at === 'accepted');
  });

  test('becomes accepted, if the release comes before the answer to its push', async () => {
    const { server, client } = await synced();
    server.ledger.poisoned.add(1);
    server.holdAcks();
    const receipt = client.updateStop(sampleKey, comment(1, 'kept'));
    await server.until(() => server.heldAcks === 1);
    server.review(receipt.id);
    // The document of the change follows the review on the same connection.
    await until(client.stop(1), (stop) => stop?.updates.driver_comments === 'kept');
    server.releaseAcks();
    expect(await until(receipt, ({ at }) => at === 'accepted')).toMatchObject({ version: server.ledger.version });
  });
});
