// Reads the recorded changes of a stop for people: a body may be of a later app, or of none, so nothing trusts its form.

/** A value that a change sets. */
export interface RecordedValue {
  /** The item of a line; blank for a field of the stop itself. */
  readonly item: string;
  /** Blank where the line names none. */
  readonly invoice: string;
  /** The field, such as `driver_comments` or `delivered`. */
  readonly name: string;
  /** A text as it is, another value as JSON, null as a blank. */
  readonly value: string;
}

/** A value that a change sets, and the one that it replaces. */
export interface RecordedChange extends Omit<RecordedValue, 'value'> {
  /** The value that an earlier change has set; null where none has. */
  readonly before: string | null;
  readonly after: string;
}

/** The whole name of a field within its stop: `driver_comments`, `110020 INV1 delivered`. */
export const recordedField = ({ item, invoice, name }: Omit<RecordedValue, 'value'>): string =>
  [item, invoice, name].filter(Boolean).join(' ');

/** The values that each change sets, and those that it replaces. @param bodies the changes, the oldest first */
export function changesOf(bodies: readonly string[]): RecordedChange[][] {
  const present = new Map<string, string>();
  return bodies.map((body) =>
    recordedValues(body).map(({ value: after, ...where }) => {
      const field = recordedField(where);
      const before = present.get(field) ?? null;
      present.set(field, after);
      return { ...where, before, after };
    }),
  );
}

/**
 * The values of a recorded change, each field once. `stop.update` has them in `stop`, `stop.skip_refuse` beside its key.
 * A body of another form has none.
 *
 * @param body the recorded JSON
 */
export function recordedValues(body: string): RecordedValue[] {
  const found = new Map<string, RecordedValue>();
  const add = (item: string, invoice: string, name: string, value: unknown): void => {
    const where = { item, invoice, name };
    found.set(recordedField(where), { ...where, value: textOf(value) });
  };
  const args = membersOf(membersOf(parsed(body))['args']);
  const { route: _route, stop_id: _stop, device_times: _times, stop, ...beside } = args;
  const { id: _id, updates, products, collections, ...own } = membersOf(stop);
  for (const fields of [beside, own, membersOf(updates)])
    for (const [name, value] of Object.entries(fields)) add('', '', name, value);
  for (const line of [...entriesOf(products), ...entriesOf(collections)]) {
    const { id, invoice, updates: set, action } = membersOf(line);
    const [item, on] = [textOf(id), textOf(invoice)];
    for (const [name, value] of Object.entries(membersOf(set))) add(item, on, name, value);
    if (action !== undefined && action !== null) add(item, on, 'action', action);
  }
  return [...found.values()];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  value instanceof Object && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {};

const entriesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
