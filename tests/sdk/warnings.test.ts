import type { ChangeWarning } from '@tailgate/client-sdk';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { expect, test } from 'vitest';
import { insertRoutes, plan } from '../support/mirror.ts';
import { password, signUp } from '../support/people.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';
import { startSyncNode } from '../support/sync-node.ts';

const key = { facility: 'F01', id: 'R1', week_end: '20261121' };

test("the server's warnings are on the receipt and on the stop, in a sentence, also after a restart", async () => {
  const { database, client: rest } = await startSyncNode();
  await insertRoutes(database.pool, [{ ...key, weekEnd: key.week_end, drivers: ['1001'], stops: [plan(1)] }]);
  await signUp(rest, '1001');
  const device = new Device(rest.url);
  const app = await device.start();
  await app.signIn({ employeeId: '1001', password });
  await until(app.route(key), (route) => route !== undefined);
  const receipt = app.updateStop(key, {
    id: 1,
    updates: { status: 'D', skip_refuse_timestamp: 'noon' },
    products: [{ id: 'NOSUCH', invoice: 'INV', updates: { delivered: 1 } }],
  });
  await receipt.accepted;
  const isSame = (warnings: readonly ChangeWarning[] | undefined): void => {
    expect(warnings?.map(({ code }) => code).sort()).toEqual(['unknown_product', 'unreadable_time']);
    const product = warnings?.find(({ code }) => code === 'unknown_product');
    expect(product?.path).toContain('products.0');
    expect(product?.message).toBe('item NOSUCH is not on the manifest of this stop; it was kept');
  };
  isSame(receipt.warnings);
  isSame(app.stop(1, key).current?.warnings);
  expect(app.stop(1, key).current?.warnings[0]?.id).toBe(receipt.id);
  await device.kill();

  const next = await device.start();
  isSame(next.receipt(receipt.id)?.warnings);
  isSame(next.stop(1, key).current?.warnings);
  await next.acknowledge(receipt.id);
  expect(next.stop(1, key).current?.warnings).toEqual([]);
  isSame(next.receipt(receipt.id)?.warnings);
});

test('a lost field is a conflict of its stop, and a warning of its receipt only', async () => {
  const server = await startScriptedServer();
  const client = await new Device(server.url).startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  server.edit({ id: 1, updates: { driver_comments: 'theirs' } }, Date.now() + 60_000);
  const receipt = client.updateStop(sampleKey, { id: 1, updates: { driver_comments: 'mine' } });
  await receipt.accepted;
  expect(receipt.warnings.map(({ code }) => code)).toEqual(['superseded']);
  await until(client.stop(1), (stop) => stop?.conflicts.length === 1);
  expect(client.stop(1).current?.warnings).toEqual([]);
});
