import { contentText, linkText } from '@tailgate/sync-protocol';
import type { Environment } from '../platform/environment.ts';
import { base64url, platform } from '../platform/environment.ts';
import { putItem, toItem } from '../queue/item.ts';
import { Outbox } from '../queue/outbox.ts';
import { isQueueHead, putQueue } from '../queue/queue.ts';
import { Journal } from '../store/journal.ts';
import { alone, type SharedStore } from '../tabs/shared-store.ts';
import type { ExportedQueue } from './exported-queue.ts';
import { isExportedQueue } from './exported-queue.ts';
import { exportOf } from './export-of.ts';

export type { ChainProgress } from './codes.ts';
export { CodeReader, codesOf } from './codes.ts';
export type { ExportedQueue } from './exported-queue.ts';
export { isExportedQueue } from './exported-queue.ts';
export { newPassphrase, packQueues, ParcelTooLarge, unpackQueues, WrongPassphrase } from './parcel.ts';

/** The result of an import. */
export interface Imported {
  /** Changes that this device sends from now on; none where it already has all of them. */
  readonly items: number;
  /** Whether the chain is unbroken. A broken chain is imported all the same: the server flags it, too. */
  readonly isWhole: boolean;
}

/** Replacements for missing platform functions, as `createClient` takes them. */
export type RescueOptions = Partial<Pick<Environment, 'sha256'>>;

/**
 * Exports a phone's unsent changes, for example before it is replaced. It first seals them in the store, where they
 * stay. A change that arrives twice counts once. No client may use the store meanwhile: while one runs, use its
 * `exportQueues`.
 *
 * @returns a queue for each driver with unsent changes
 * @throws StoreInUse where another page runs a client
 */
export async function exportQueues(
  store: SharedStore,
  { sha256 = platform.sha256 }: RescueOptions = {},
): Promise<ExportedQueue[]> {
  return alone(store, async () => {
    const journal = new Journal(store, platform.clock);
    const [queues, items] = await Promise.all([store.readAll('queue'), store.readAll('item')]);
    const outbox = new Outbox(queues, items, {
      journal,
      environment: { ...platform, sha256 },
      time: { id: '', elapsed: 0, stamp: 0 },
    });
    return exportOf(outbox.queues, platform.clock.now());
  });
}

/**
 * Imports an exported queue into another phone's store. The next client of that store sends its changes in their
 * author's name, even if another driver is signed in. A later export of the same queue adds its later changes. No
 * client may use the store meanwhile.
 *
 * @param exported the result of `exportQueues`, parsed from JSON
 * @throws TypeError where it is no export; StoreInUse where another page runs a client; the store's error, such as of a
 * full disk: nothing was imported
 */
export async function importQueue(
  store: SharedStore,
  exported: unknown,
  { sha256 = platform.sha256 }: RescueOptions = {},
): Promise<Imported> {
  if (!isExportedQueue(exported)) throw new TypeError('this is no queue that exportQueues has made');
  const isWhole = await isChain(exported, sha256);
  return alone(store, async () => {
    const { client_id, employee_id, queue_key, sealed_seq, sealed_link, mutations } = exported;
    const row = (await store.readAll('queue')).find(({ key }) => key === client_id)?.value;
    const known = isQueueHead(row) ? row : undefined;
    // Only the phone of a queue continues it: this one already has each of its changes.
    if (known?.retired === false) return { items: 0, isWhole };
    const later = mutations.filter(({ seq }) => seq > (known?.sealed_seq ?? 0));
    if (known && later.length === 0) return { items: 0, isWhole };
    // Retired: the phone of this queue may still be in use, so no new change may enter it here.
    const head = {
      client_id,
      employee: employee_id,
      retired: true,
      queue_key: queue_key ?? known?.queue_key ?? null,
      sealed_seq,
      sealed_link,
      epoch: known?.epoch ?? null,
    };
    const items = later.map((mutation) =>
      toItem({
        client_id,
        employee: employee_id,
        form: 'sealed',
        edit_time: Date.parse(mutation.captured_at) || 0,
        mutation,
        progress: { at: 'waiting' },
      }),
    );
    // Without a journal, which would try a full disk for ever: no page could run its client meanwhile.
    await store.write([putQueue({ head }), ...items.map(putItem)], 'strict');
    return { items: items.length, isWhole };
  });
}

/** Each item carries the link of the one before it, and the head that of the last one. */
async function isChain(
  { mutations, sealed_seq, sealed_link }: ExportedQueue,
  sha256: Environment['sha256'],
): Promise<boolean> {
  let before: { readonly seq: number; readonly link: string } | undefined;
  for (const { prev_hash, seq, ...rest } of mutations) {
    if (before && before.seq + 1 === seq && before.link !== prev_hash) return false;
    const hash = base64url(await sha256(contentText(rest)));
    before = { seq, link: base64url(await sha256(linkText(hash, prev_hash, seq))) };
  }
  return before?.seq !== sealed_seq || before.link === sealed_link;
}
