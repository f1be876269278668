import { sampleKey } from '@tailgate/client-sdk/testing';
import { describe, expect, test } from 'vitest';
import type { Progress } from '../../client-sdk/src/queue/item.ts';
import { progressAt } from '../../client-sdk/src/replica/progress.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

const target = { scope: 'route:F01:R100:20261121', stop: 3 } as const;
const head = { epoch: '1.1', version: 9, hosted_through: 4, parked: [], awaited: [] };
const accepted = (version: number): Progress => ({
  at: 'accepted',
  version,
  epoch: '1.1',
  since: 5,
  superseded: [],
  evidence: undefined,
});

describe('a route in shadow', () => {
  test('ends the receipt with its files as “shadow”, and never as “on the host”', () => {
    expect(progressAt(accepted(6), target, { ...head, shadow_through: 7 }, 8)).toEqual({
      at: 'shadow',
      version: 6,
      since: 8,
      accepted_at: 5,
      evidence: 'complete',
    });
    const hosted = { ...head, hosted_through: 9, shadow_through: 7 };
    expect(progressAt(accepted(6), target, hosted, 8)).toMatchObject({ at: 'shadow' });
    expect(progressAt(accepted(8), target, hosted, 8)).toMatchObject({ at: 'on_host' });
  });

  test('waits for files that the server lacks', () => {
    const shadow = { ...head, shadow_through: 7, awaited: [3] };
    const ended = progressAt(accepted(6), target, shadow, 8);
    expect(ended).toMatchObject({ at: 'shadow', evidence: 'awaited' });
    expect(ended && progressAt(ended, target, { ...shadow, awaited: [] }, 9)).toMatchObject({
      at: 'shadow',
      since: 8,
      evidence: 'complete',
    });
  });

  test('completes the day without the host, also after a restart of the app', async () => {
    const server = await startScriptedServer();
    const device = new Device(server.url);
    const client = await device.startSignedIn();
    await until(client.route(), (route) => route !== undefined);
    const first = client.updateStop(sampleKey, { id: 1, updates: { driver_comments: 'in shadow' } });
    const second = client.updateStop(sampleKey, { id: 2, updates: { driver_comments: 'later' } });
    await Promise.all([first.accepted, second.accepted]);
    expect([client.canSignOut(), client.dayComplete()]).toEqual([true, false]);
    expect(client.status.current.unhosted).toEqual({ 1001: 2 });

    server.ledger.shadowThrough = server.ledger.version - 1;
    server.publish();
    await until(first, ({ at }) => at === 'shadow');
    expect(second.current).toMatchObject({ at: 'accepted' });
    expect(client.dayComplete()).toBe(false);

    server.ledger.shadowThrough = server.ledger.version;
    server.publish();
    await until(client.status, () => client.dayComplete());
    expect(client.status.current).toMatchObject({ pending: {}, unhosted: {} });
    expect(second.current).toMatchObject({ at: 'shadow', evidence: 'complete' });
    expect(server.ledger.hostedThrough).toBeLessThan(server.ledger.version);

    await device.kill();
    const again = await device.start();
    expect(again.dayComplete()).toBe(true);
    expect(again.receipt(second.id)?.current).toMatchObject({ at: 'shadow' });
  });
});
