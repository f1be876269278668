import type { StopValues } from './diary.ts';
import { members } from './members.ts';
import { valuesIn } from './reading.ts';

/** A change on a phone's disk, as far as the model reads it. */
export interface StoredChange {
  readonly key: string;
  readonly id: string;
  readonly clientId: string;
  readonly seq: number;
  readonly values: StopValues;
  /** By the phone's clock; ms. */
  readonly editTime: number;
  /** The phone knows of no answer. */
  readonly isWaiting: boolean;
}

interface Rows {
  readAll(table: 'item'): Promise<readonly { readonly key: string; readonly value: unknown }[]>;
}

/** The changes on a phone's disk. Damaged rows are texts. */
export async function storedChanges(disk: Rows): Promise<StoredChange[]> {
  return (await disk.readAll('item')).flatMap(({ key, value }) => {
    if (typeof value === 'string') return [];
    const { mutation, client_id, progress, edit_time } = members(value, 'a stored item');
    const { id, seq, args } = members(mutation, 'a mutation');
    const isWaiting = members(progress, 'the progress of a change')['at'] === 'waiting';
    const place = { key, id: String(id), clientId: String(client_id), seq: Number(seq) };
    return [{ ...place, values: valuesIn(args), editTime: Number(edit_time), isWaiting }];
  });
}
