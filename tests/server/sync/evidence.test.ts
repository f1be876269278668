import type { PatchFrame, StopObjectInput } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { insertEmployees, signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import type { Signed } from '../../support/rest-client.ts';
import { TestQueue } from '../../support/sealing.ts';
import { askSnapshot, readSnapshot } from '../../support/snapshot.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';
import { TestBytes } from '../../support/test-bytes.ts';
import { deviceAssetId, deviceMetadata, TusPhone } from '../../support/tus-phone.ts';

const salt = 'a-salt-of-this-queue';
const random = new TestBytes('evidence of stops');

let node: SyncNode;
let driver: Signed;
let routes = 0;

beforeAll(async () => {
  // The sweep for lost hints runs so seldom that every arrival comes from a push.
  node = await startSyncNode({ limits: { sweep_ms: 60_000 } });
  await insertEmployees(node.database.pool, ['1001']);
  driver = await signUp(node.client, '1001');
});

interface Deps {
  readonly scope: string;
  readonly phone: Phone;
  /** Pushes a change of a stop, and returns the patch that contains it. */
  readonly update: (stop: StopObjectInput) => Promise<PatchFrame>;
  readonly file: () => { readonly id: string; readonly send: () => Promise<void> };
}

/** A driver on a route of their own who follows it. */
async function onTheRoad(): Promise<Deps> {
  const key = { facility: 'F01', id: `R${++routes}`, week_end: '20261121' };
  await insertRoutes(node.database.pool, [
    { ...key, weekEnd: key.week_end, drivers: ['1001'], stops: [plan(1), plan(2), plan(3)] },
  ]);
  const scope = routeScope(key);
  const queue = new TestQueue();
  const phone = await Phone.connect(node.socketUrl, queue.clientId);
  await phone.signOn(driver, { cursors: { [scope]: { epoch: '1.1', version: 1 } } });
  await phone.next('patch');
  const update = async (stop: StopObjectInput): Promise<PatchFrame> => {
    phone.push(queue.seal('stop.update', { route: key, stop }));
    return phone.next('patch', ({ docs }) => docs.some((doc) => doc.key === `result/${stop.id}`));
  };
  const file = () => {
    const bytes = random.take(1_000);
    const id = deviceAssetId(salt, bytes);
    const tus = new TusPhone(node.client.url, { ...driver });
    const send = async (): Promise<void> => {
      expect((await tus.create(bytes.length, deviceMetadata(salt, bytes))).status).toBe(201);
      expect((await tus.patch(id, 0, bytes)).status).toBe(204);
    };
    return { id, send };
  };
  return { scope, phone, update, file };
}

const delivered = (id: number, signature_id?: string): StopObjectInput => ({
  id,
  updates: { status: 'D', ...(signature_id !== undefined && { signature_id }) },
});

describe('the evidence of a stop', () => {
  test('is pending until its last file arrives, and all followers of the route are notified', async () => {
    const { phone, update, file } = await onTheRoad();
    const [signature, photo, overage] = [file(), file(), file()];
    const first = await update({
      id: 1,
      updates: {
        status: 'D',
        signature_id: signature.id,
        overage_items: [{ osd_code: '001', quantity: 1, images_id: overage.id }],
      },
      products: [{ id: 'ITEM1', invoice: 'INV1', updates: { image_ids: [photo.id] } }],
    });
    expect(first.awaited).toEqual([1]);
    await signature.send();
    await overage.send();
    await photo.send();
    const complete = await phone.next('patch', ({ awaited }) => awaited?.length === 0);
    expect(complete).toMatchObject({ from: first.to, to: first.to, docs: [], awaited: [] });
  });

  test('is complete from the start if the files arrived before the stop', async () => {
    const { update, file } = await onTheRoad();
    const signature = file();
    await signature.send();
    expect((await update(delivered(1, signature.id))).awaited).toEqual([]);
    expect((await update(delivered(2))).awaited).toEqual([]);
  });

  test('is reported for each stop, by patches and by the snapshot', async () => {
    const { scope, phone, update, file } = await onTheRoad();
    const [first, third] = [file(), file()];
    await update(delivered(3, third.id));
    expect((await update(delivered(1, first.id))).awaited).toEqual([1, 3]);
    const { headers } = await askSnapshot(node, driver, scope);
    expect((await readSnapshot(node, driver, scope)).awaited).toEqual([1, 3]);
    await third.send();
    await phone.next('patch', ({ awaited }) => awaited?.length === 1);
    expect((await readSnapshot(node, driver, scope)).awaited).toEqual([1]);
    expect((await askSnapshot(node, driver, scope)).headers.get('etag')).not.toBe(headers.get('etag'));
  });

  test('is the stop’s current list of files: a removed file is no longer pending', async () => {
    const { update, file } = await onTheRoad();
    const [taken, again] = [file(), file()];
    expect((await update(delivered(1, taken.id))).awaited).toEqual([1]);
    await again.send();
    expect((await update({ id: 1, updates: { signature_id: again.id } })).awaited).toEqual([]);
    await taken.send();
    expect((await update({ id: 1, updates: { driver_comments: 'at the dock' } })).awaited).toEqual([]);
  });

  test('is pending for each stop that names the file', async () => {
    const { phone, update, file } = await onTheRoad();
    const shared = file();
    await update(delivered(1, shared.id));
    expect((await update(delivered(2, shared.id))).awaited).toEqual([1, 2]);
    await shared.send();
    await phone.next('patch', ({ awaited }) => awaited?.length === 0);
  });

  test('is complete in either order where stop and file commit at the same moment', async () => {
    const grounds = await Promise.all(Array.from({ length: 6 }, onTheRoad));
    await Promise.all(
      grounds.map(async ({ phone, update, file }) => {
        const signature = file();
        const [patch] = await Promise.all([update(delivered(1, signature.id)), signature.send()]);
        if (patch.awaited?.length !== 0) await phone.next('patch', ({ awaited }) => awaited?.length === 0);
      }),
    );
  });
});
