import { sampleKey } from '@tailgate/client-sdk/testing';
import type { Client } from '@tailgate/client-sdk';
import { expect, test } from 'vitest';
import { deliveryOf } from '../../server/web/driver/model/deliver.ts';
import type { StopDraft } from '../../server/web/driver/model/draft.ts';
import { draftOf, emptyDraft, storedDraft } from '../../server/web/driver/model/draft.ts';
import { photosInput, wholePhotos } from '../../server/web/driver/model/stop-photos.ts';
import { lastRecorded, record, recorded, recordedLate, undo } from '../../server/web/driver/recorded.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

const long = 600_000;
const [door, dock, late] = ['DDDDDDDDDDDDDDDD', 'KKKKKKKKKKKKKKKK', 'AAAAAAAAAAAAAAAA'] as const;
const filled: StopDraft = { ...emptyDraft, signer: 'Rosa', photos: [door] };

async function openPhone(undoWindow: number) {
  const server = await startScriptedServer();
  const client = await new Device(server.url, { undoWindow }).startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  return { server, client };
}

/** The latest change, as the undo bar has it. */
function latest() {
  const { current: last } = lastRecorded;
  if (!last) throw new Error('nothing to undo');
  return last;
}

async function tapped(undoWindow: number) {
  const { client } = await openPhone(undoWindow);
  const receipt = client.updateStop(sampleKey, { id: 1, updates: { driver_comments: 'tapped' } });
  recorded({ receipt, stop: 1, kind: 'corrected' });
  return { client, receipt, last: latest() };
}

/** Records stop 1 from its draft. */
function finish(client: Client, kind: 'delivered' | 'skipped'): void {
  const handle = client.stop(1);
  const stop = handle.current;
  if (!stop) throw new Error('the route lacks its stop');
  const at = new Date('2026-11-23T12:00:00Z');
  const make = () =>
    kind === 'delivered' ? handle.deliver(deliveryOf(stop, draftOf(handle.draft.current), at)) : handle.skip();
  expect(record({ stop: 1, kind }, make)).toBe(true);
}

test('an undo in time takes the change back, and its bar goes', async () => {
  const { client, last } = await tapped(long);
  expect(await undo(client, last)).toBe('withdrawn');
  expect(lastRecorded.current).toBeUndefined();
});

test('an undo that comes too late leaves a bar that says so', async () => {
  const { client, receipt, last } = await tapped(0);
  await receipt.accepted;
  expect(await undo(client, last)).toBe('sent');
  expect(lastRecorded.current).toMatchObject({ stop: 1, isSent: true });
});

test('a name that was entered at the delivered stop does not keep the draft of the delivery from returning', async () => {
  const { client } = await openPhone(long);
  const { draft } = client.stop(1);
  await draft.set(filled);
  finish(client, 'delivered');
  await draft.set({ ...emptyDraft, signer: 'Ana' });
  expect(await undo(client, latest())).toBe('withdrawn');
  expect(draft.current).toEqual(filled);
});

test('a second tap on the undo joins the first one, and the draft of the delivery returns', async () => {
  const { client } = await openPhone(long);
  const { draft } = client.stop(1);
  await draft.set(filled);
  finish(client, 'delivered');
  const last = latest();
  expect(await Promise.all([undo(client, last), undo(client, last)])).toEqual(['withdrawn', 'withdrawn']);
  expect(draft.current).toEqual(filled);
});

test('an undo that comes too late leaves what was entered at the delivered stop', async () => {
  const { client } = await openPhone(0);
  const { draft } = client.stop(1);
  await draft.set(filled);
  finish(client, 'delivered');
  await latest().receipt.accepted;
  await draft.set({ ...emptyDraft, signer: 'Ana' });
  expect(await undo(client, latest())).toBe('sent');
  expect(draft.current).toMatchObject({ signer: 'Ana' });
});

test('a line that was opened at the skipped stop and closed again leaves no draft that is in the way', async () => {
  const { client } = await openPhone(long);
  const { draft } = client.stop(1);
  await draft.set(filled);
  finish(client, 'skipped');
  await draft.set(storedDraft({ ...emptyDraft, lines: {} }));
  await undo(client, latest());
  expect(draft.current).toEqual(filled);
});

test('a delivery that was begun at the skipped stop stays', async () => {
  const { client } = await openPhone(long);
  const { draft } = client.stop(1);
  await draft.set(filled);
  finish(client, 'skipped');
  await draft.set(storedDraft({ ...emptyDraft, photos: [dock] }));
  await undo(client, latest());
  expect(draft.current).toMatchObject({ signer: '', photos: [dock] });
});

test('a photo that was stored late goes back to the draft with the undo of its stop, and is recorded once', async () => {
  const { client } = await openPhone(long);
  const handle = client.stop(1);
  await handle.draft.set(filled);
  finish(client, 'delivered');
  const stop = handle.current;
  if (!stop) throw new Error('the route lacks its stop');
  const both = [...wholePhotos(stop, emptyDraft), late];
  recordedLate(1, handle.update(photosInput(stop, both)), late);
  await undo(client, latest());
  expect(handle.draft.current).toMatchObject({ signer: 'Rosa', photos: [door, late] });
  expect(Object.keys(client.status.current.pending)).toEqual([]);
  finish(client, 'delivered');
  expect(handle.current?.products[0]?.updates.image_ids).toEqual([door, late]);
});
