import { listOf, objectOf, parsed } from '../../../verify/src/json.ts';

/** A field that a change sets. */
export interface FieldChange {
  /** The stop's own, such as `driver_comments`, or one of a line, such as `110020 INV1 delivered`. */
  readonly field: string;
  /** The value that an earlier change has set; null where none has. */
  readonly before: string | null;
  readonly after: string;
}

/** The values that each change sets, and those that it replaces. @param bodies the changes, the oldest first */
export function changesOf(bodies: readonly string[]): FieldChange[][] {
  const present = new Map<string, string>();
  return bodies.map((body) =>
    [...valuesOf(body)].map(([field, after]) => {
      const before = present.get(field) ?? null;
      present.set(field, after);
      return { field, before, after };
    }),
  );
}

/** The fields of the arguments. `stop.update` has them in `stop`, `stop.skip_refuse` beside its key. */
function valuesOf(body: string): Map<string, string> {
  const found = new Map<string, string>();
  const {
    route: _route,
    stop_id: _stop,
    device_times: _times,
    stop,
    ...args
  } = objectOf(objectOf(parsed(body))['args']);
  const { id: _id, updates, products, collections, ...own } = objectOf(stop);
  for (const fields of [args, own, objectOf(updates)])
    for (const [name, value] of Object.entries(fields)) found.set(name, textOf(value));
  for (const line of [...listOf(products), ...listOf(collections)]) {
    const { id, invoice, updates: set, action } = objectOf(line);
    const name = [textOf(id), textOf(invoice)].filter(Boolean).join(' ');
    for (const [field, value] of Object.entries(objectOf(set))) found.set(`${name} ${field}`, textOf(value));
    if (action !== undefined && action !== null) found.set(`${name} action`, textOf(action));
  }
  return found;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
