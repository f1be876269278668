import type { DataOf } from '../api/operations.ts';

type StopRecord = DataOf<'readStopHistory'>;
export type Mutation = StopRecord['mutations'][number];

/** A field of the stop, by its place: the stop's own, or one of a line. */
export interface FieldChange {
  readonly field: string;
  /** Undefined: no entry has set it before; the plan's value is not in the history. */
  readonly before: string | undefined;
  readonly after: string;
}

export interface HistoryEntry {
  readonly mutation: Mutation;
  readonly changes: readonly FieldChange[];
}

/** The entries, oldest first, each with what it changed. */
export function entriesOf(mutations: readonly Mutation[]): HistoryEntry[] {
  const present = new Map<string, string>();
  return mutations.map((mutation) => {
    const changes = [...valuesOf(mutation.body)].map(([field, after]) => {
      const change = { field, before: present.get(field), after };
      present.set(field, after);
      return change;
    });
    return { mutation, changes };
  });
}

/** The values that were set up to an entry and with it: the stop as it was then, as far as the history says. */
export function stateAt(mutations: readonly Mutation[], id: string): ReadonlyMap<string, string> {
  const last = mutations.findIndex((mutation) => mutation.id === id);
  return stateOf(last === -1 ? mutations : mutations.slice(0, last + 1));
}

/** The same up to a version of the route. */
export const stateAtVersion = (mutations: readonly Mutation[], most: number): ReadonlyMap<string, string> =>
  stateOf(mutations.filter(({ version }) => version <= most));

const stateOf = (mutations: readonly Mutation[]): ReadonlyMap<string, string> =>
  new Map(mutations.flatMap(({ body }) => [...valuesOf(body)]));

/** The fields that a mutation sets: `driver_comments`, `110020 delivered`. */
export function valuesOf(body: string): Map<string, string> {
  const found = new Map<string, string>();
  const stop = objectAt(objectAt(parsed(body), 'args'), 'stop');
  const { updates, products, collections, ...own } = stop;
  for (const [name, value] of Object.entries(own)) if (name !== 'id') found.set(name, textOf(value));
  for (const [name, value] of Object.entries(objectOf(updates))) found.set(name, textOf(value));
  for (const line of [...listOf(products), ...listOf(collections)]) {
    const { id, updates: set, action } = objectOf(line);
    for (const [name, value] of Object.entries(objectOf(set))) found.set(`${textOf(id)} ${name}`, textOf(value));
    if (action !== undefined && action !== null) found.set(`${textOf(id)} action`, textOf(action));
  }
  return found;
}

type Fields = Readonly<Record<string, unknown>>;

function parsed(text: string): Fields {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

const objectOf = (value: unknown): Fields =>
  value instanceof Object && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {};
const objectAt = (fields: Fields, name: string): Fields => objectOf(fields[name]);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
