import type { AssignedRoute, LocalRoute, ReferenceCode } from '@tailgate/client-sdk';
import { MemoryStore } from '@tailgate/client-sdk';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { filesOf, MemoryFiles, openUploads } from '@tailgate/client-sdk/uploads';
import { expect, expectTypeOf, test } from 'vitest';
import { startAppRun } from '../support/app-run.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

async function onTheRoad() {
  const server = await startScriptedServer();
  const device = new Device(server.url);
  const client = await device.startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  return { server, device, client };
}

test('a receipt has the time of each step, also after a restart', async () => {
  const { server, device, client } = await onTheRoad();
  const started = Date.now();
  const receipt = client.stop(1).deliver({ asPlanned: true });
  await receipt.saved;
  expect(receipt.current).toMatchObject({ at: 'saved' });
  await receipt.accepted;
  server.host();
  await receipt.onHost;
  const state = receipt.current;
  if (state.at !== 'on_host') throw new Error(`the receipt is ${state.at}`);
  const times = [started, state.recordedAt, state.acceptedAt, state.hostedAt, Date.now()].map(Number);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  await device.kill();
  expect((await device.start()).receipt(receipt.id)?.current).toEqual(state);
});

test('a saved change has its time at once and after a restart without a network', async () => {
  const { server, device, client } = await onTheRoad();
  server.refuse = true;
  server.cut();
  const receipt = client.stop(1).skip();
  await receipt.saved;
  const saved = receipt.current;
  expect(saved.at === 'saved' && saved.recordedAt).toBeGreaterThan(Date.now() - 60_000);
  await device.kill();
  expect((await device.start()).receipt(receipt.id)?.current).toEqual(saved);
});

test('the status counts changes that are in memory only, until the disk has them', async () => {
  class Disk extends MemoryStore {
    isFull = false;
    override async write(...changes: Parameters<MemoryStore['write']>): Promise<void> {
      if (this.isFull) throw new Error('QuotaExceededError');
      await super.write(...changes);
    }
  }
  const server = await startScriptedServer();
  const disk = new Disk();
  const client = await new Device(server.url, { store: disk }).startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  const receipt = client.stop(1).skip();
  expect(client.status.current.unsaved).toBe(1);
  await until(client.status, ({ unsaved }) => unsaved === 0);
  expect(receipt.current.at).not.toBe('recorded');
  disk.isFull = true;
  client.stop(2).skip();
  client.stop(3).skip();
  await until(client.status, ({ storage }) => storage === 'failing');
  expect(client.status.current.unsaved).toBe(2);
  disk.isFull = false;
  client.syncNow();
  await until(client.status, ({ unsaved }) => unsaved === 0);
});

test('the status names the drivers of the device; the diagnostics do not', async () => {
  const { client } = await onTheRoad();
  await client.signIn({ employeeId: '1002', password: 'secret-of-driver' });
  expect(client.status.current.names).toEqual({ '1001': 'Driver 1001', '1002': 'Driver 1002' });
  expect(JSON.stringify(await client.diagnostics())).not.toContain('Driver 1001');
});

test('the status shows since when there is no connection, also after a restart in a dead zone', async () => {
  const { server, device, client } = await onTheRoad();
  await until(client.status, ({ offlineSince }) => offlineSince === undefined);
  const cut = Date.now();
  server.refuse = true;
  server.cut();
  const { offlineSince } = await until(client.status, ({ connection }) => connection === 'offline');
  expect(Number(offlineSince)).toBeGreaterThanOrEqual(cut);
  await client.stop(1).skip().saved;
  await device.kill();
  const { environment } = startAppRun({ ms: 60_000, wallMs: 0 });
  const again = await device.start(environment);
  expect(again.status.current).toMatchObject({ offlineSince });
  server.refuse = false;
  again.syncNow();
  await until(again.status, ({ connection }) => connection === 'online');
  expect(again.status.current.offlineSince).toBeUndefined();
});

test('a stop shows that the host refuses it, until it is repaired', async () => {
  const { server, client } = await onTheRoad();
  await client.stop(1).skip().accepted;
  expect(client.stop(1).current?.parked).toBe(false);
  server.ledger.parked = [{ stop: 1, reason: 'no such item' }];
  server.host();
  await until(client.stop(1), (stop) => stop?.parked === true);
  expect(client.stop(2).current?.parked).toBe(false);
  server.ledger.parked = [];
  server.host();
  await until(client.stop(1), (stop) => stop?.parked === false);
});

test('a line shows the area of the trailer', async () => {
  const { client } = await onTheRoad();
  expect(client.stop(1).current?.products[0]).toHaveProperty('trailer_area');
});

test('every file that a stop names is listed once, the signature first', async () => {
  const server = await startScriptedServer();
  const uploads = await openUploads({ store: new MemoryFiles() });
  const client = await new Device(server.url, { uploads }).startSignedIn();
  const route = await until(client.route(), (value) => value !== undefined);
  const [first, second] = route?.stops[0]?.products ?? [];
  const photos = await Promise.all(
    [1, 2, 3, 4].map((n) => uploads.add(new Uint8Array([n]), { kind: 'photo', name: `${n}.jpg` })),
  );
  const [a, b, c, d] = photos.map(({ id }) => id);
  const { id: signature } = await uploads.add(new Uint8Array([9]), { kind: 'signature', name: 'signature.png' });
  const receipt = client.updateStop(sampleKey, {
    id: 1,
    products: [
      { id: first?.id ?? '', invoice: first?.invoice ?? '', updates: { image_ids: [a ?? '', b ?? ''] } },
      {
        ...{ id: second?.id ?? '', invoice: second?.invoice ?? '' },
        updates: { osd_data: [{ osd_code: '10', data: [{ quantity: 1, images_id: c ?? null }] }] },
      },
    ],
    updates: {
      signature_id: signature,
      overage_items: [{ barcode: '123', osd_code: '85', quantity: 1, images_id: d ?? null }],
    },
  });
  const stop = client.stop(1).current;
  if (!stop) throw new Error('no stop 1');
  expect(filesOf(stop)).toEqual([signature, a, b, c, d]);
  await receipt.complete;
});

test('the type of a view lets no app write into it', () => {
  type Stop = LocalRoute['stops'][number];
  expectTypeOf<Stop['customer']>().toEqualTypeOf<Readonly<Stop['customer']>>();
  expectTypeOf<Stop['customer']['contact']>().toEqualTypeOf<Readonly<Stop['customer']['contact']>>();
  expectTypeOf<LocalRoute['drivers']>().not.toExtend<unknown[]>();
  expectTypeOf<Stop['updates']['overage_items']>().not.toExtend<unknown[]>();
  expectTypeOf<Stop['products'][number]['updates']['osd_data'][number]['data']>().not.toExtend<unknown[]>();
  expectTypeOf<AssignedRoute>().toEqualTypeOf<Readonly<AssignedRoute>>();
  expectTypeOf<ReferenceCode>().toEqualTypeOf<Readonly<ReferenceCode>>();
});
