import type { Client } from '@tailgate/client-sdk';
import { newPassphrase, packQueues } from '@tailgate/client-sdk/rescue';
import type { HandOver } from './model/rescue.ts';
import { codesFor, contentOf, fileText, handOverOf } from './model/rescue.ts';

/** The data for the other phone, and the passphrase that opens it. */
export interface Prepared extends HandOver {
  readonly passphrase: string;
  /** Undefined: too many changes for codes. */
  readonly codes: readonly string[] | undefined;
  readonly file: string;
}

let last: { readonly content: string; readonly prepared: Prepared } | undefined;

/**
 * Packs the unsent changes of this phone; undefined without any. The same changes keep their codes and passphrase in
 * this run, so that a way back to the codes is no new beginning for the other phone.
 */
export async function prepare(client: Client): Promise<Prepared | undefined> {
  const queues = await client.exportQueues();
  if (queues.length === 0) return undefined;
  const content = contentOf(queues);
  if (last?.content === content) return last.prepared;
  const passphrase = newPassphrase();
  const parcel = await packQueues(queues, passphrase);
  const prepared = { ...handOverOf(queues), passphrase, codes: codesFor(parcel), file: fileText(parcel) };
  last = { content, prepared };
  return prepared;
}
