import { keyedLines, lineKinds } from '../schema/stops.ts';

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

/** A recorded change, with the warnings of the server about it. */
export interface Recorded {
  readonly body: string;
  readonly warnings: readonly Remarked[];
}
type Remarked = { readonly code: string; readonly path: string };

/** The values that each change sets, and those that it replaces. @param recorded the changes, the oldest first */
export function changesOf(recorded: readonly Recorded[]): RecordedChange[][] {
  const present = new Map<string, string>();
  return recorded.map(({ body, warnings }) =>
    recordedValues(body, warnings).map(({ value: after, ...where }) => {
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
 * @param warnings values that they name as not applied are left out
 */
export function recordedValues(body: string, warnings: readonly Remarked[] = []): RecordedValue[] {
  const found = new Map<string, RecordedValue>();
  const add = (item: string, invoice: string, name: string, value: unknown): void => {
    const where = { item, invoice, name };
    found.set(recordedField(where), { ...where, value: textOf(value) });
  };
  const dropped = new Set(warnings.filter(({ code }) => notApplied.has(code)).map(({ path }) => path));
  const args = membersOf(membersOf(parsed(body))['args']);
  const { route: _route, stop_id: _stop, device_times: _times, stop, ...beside } = args;
  const { id: _id, updates, products, collections, ...own } = membersOf(stop);
  for (const fields of [beside, own, membersOf(updates)])
    for (const [name, value] of Object.entries(fields))
      if (!ownPaths(name).some((path) => dropped.has(path))) add('', '', name, value);
  for (const [kind, lines] of [entriesOf(products), entriesOf(collections)].entries())
    for (const { item, invoice, fields } of appliedLines(lineKinds[kind] ?? 'products', lines, dropped))
      for (const [name, value] of Object.entries(fields)) add(item, invoice, name, value);
  return [...found.values()];
}

const notApplied = new Set(['superseded', 'status_ignored', 'too_many_lines']);

/** The paths of a stop's own field in a warning. A skip may have its status as `type` alone. */
const ownPaths = (name: string): string[] =>
  name === 'type' ? ['status', 'updates.status'] : [name, `updates.${name}`];

interface AppliedLine {
  readonly item: string;
  readonly invoice: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The lines of an update without the fields that a warning names. An action is one value: it was applied as a whole. */
function appliedLines(kind: string, entries: readonly unknown[], dropped: ReadonlySet<string>): AppliedLine[] {
  const lines = entries.map((entry) => {
    const { id, invoice, updates, action } = membersOf(entry);
    return { id: textOf(id), invoice: textOf(invoice), updates: membersOf(updates), action };
  });
  const byLine = fieldsByLine(kind, dropped);
  const ofItem = new Map<string, number>();
  for (const { id } of lines) ofItem.set(id, (ofItem.get(id) ?? 0) + 1);
  return keyedLines(lines).map(({ line: { id, invoice, updates, action }, key }, i) => {
    if (dropped.has(`${kind}.${i}`)) return { item: id, invoice, fields: {} };
    // The server replaces an invoice that the app cannot know. A line that is alone with its item is the one that is meant.
    const own = byLine.get(ofItem.get(id) === 1 ? id : key) ?? [];
    const names = new Set(dropped.has(`${kind}.${i}.updates`) ? [...own, ...lineDetails] : own);
    const counts = Object.entries(updates).filter(([name]) => !names.has(name));
    const hasAction = action !== undefined && action !== null && ![...names].some((name) => ofAction.test(name));
    return { item: id, invoice, fields: { ...Object.fromEntries(counts), ...(hasAction && { action }) } };
  });
}

/** The dropped fields of lines, by the key of the line and by its item. */
function fieldsByLine(kind: string, dropped: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const path of dropped) {
    const end = path.lastIndexOf('.');
    const key = path.slice(kind.length + 1, end);
    const item = key.slice(0, key.indexOf('\t'));
    if (!path.startsWith(`${kind}.`) || item === '') continue;
    for (const name of [key, item]) {
      const fields = found.get(name) ?? [];
      found.set(name, fields);
      fields.push(path.slice(end + 1));
    }
  }
  return found;
}

/** Fields of a line beside its counts, which too much detail leaves out together. */
const lineDetails = ['osd_data', 'action_osd_data', 'image_ids', 'open_action'];
const ofAction = /^(?:action_.*|open|open_action|item_name)$/;

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
