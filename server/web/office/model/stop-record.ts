import type { LostValue, RecordedChange, RecordedValue } from '@tailgate/sync-protocol';
import { changesOf, lostValues, recordedField, recordedValues } from '@tailgate/sync-protocol';
import type { DataOf } from '../api/operations.ts';

type StopRecord = DataOf<'readStopHistory'>;
export type Mutation = StopRecord['mutations'][number];

export interface HistoryEntry {
  readonly mutation: Mutation;
  readonly changes: readonly RecordedChange[];
  /** Values that its warnings name as not applied, such as those that a later edit overruled. */
  readonly lost: readonly LostValue[];
}

/** The entries, oldest first, each with what it changed. */
export function entriesOf(mutations: readonly Mutation[]): HistoryEntry[] {
  const changes = changesOf(mutations);
  return mutations.map((mutation, at) => ({
    mutation,
    changes: changes[at] ?? [],
    lost: lostValues(mutation.body, mutation.warnings),
  }));
}

/** The values that were set up to an entry and with it: the stop as it was then, as far as the history says. */
export function stateAt(mutations: readonly Mutation[], id: string): RecordedValue[] {
  const last = mutations.findIndex((mutation) => mutation.id === id);
  return stateOf(last === -1 ? mutations : mutations.slice(0, last + 1));
}

/** The latest value of each field. */
function stateOf(mutations: readonly Mutation[]): RecordedValue[] {
  const values = mutations.flatMap(({ body, warnings }) => recordedValues(body, warnings));
  return [...new Map(values.map((value) => [recordedField(value), value])).values()];
}

/** A stop as it was, for a clerk. */
export interface StopThen {
  readonly status: 'P' | 'D' | 'S' | 'R' | 'C';
  readonly receivedBy: string;
  readonly comment: string;
}

/** The stop at a version of its route. */
export function stopAtVersion(mutations: readonly Mutation[], most: number): StopThen {
  const then = new Map<string, string>();
  for (const { body, warnings, version } of mutations)
    if (version <= most)
      for (const { item, name, value } of withStatus(recordedValues(body, warnings)))
        if (item === '') then.set(name, value);
  return {
    status: statuses.find((each) => each === then.get('status')) ?? 'P',
    receivedBy: then.get('store_emp_name') ?? '',
    comment: then.get('driver_comments') ?? '',
  };
}

const statuses = ['D', 'S', 'R', 'C'] as const;

/** A skip or a refusal may have its status as `type` alone. */
function withStatus(values: readonly RecordedValue[]): readonly RecordedValue[] {
  const type = values.find(({ item, name }) => item === '' && name === 'type')?.value;
  if (type === undefined || values.some(({ item, name }) => item === '' && name === 'status')) return values;
  return [...values, { item: '', invoice: '', name: 'status', value: type === 'refuse' ? 'R' : 'S' }];
}
