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
 * @param warnings values that they name as not applied are left out, also where it is unclear which line they mean
 */
export const recordedValues = (body: string, warnings: readonly Remarked[] = []): RecordedValue[] =>
  valuesByFate(body, warnings).applied;

/** A value that a change set in vain: another one overruled it, or it had no room. */
export interface LostValue extends RecordedValue {
  /** False where the warning may mean another line of the same item. */
  readonly isSure: boolean;
}

/** The values of a recorded change that its warnings name as not applied. */
export function lostValues(body: string, warnings: readonly Remarked[]): LostValue[] {
  const { lost, unclear } = valuesByFate(body, warnings);
  return [
    ...lost.map((value) => ({ ...value, isSure: true })),
    ...unclear.map((value) => ({ ...value, isSure: false })),
  ];
}

const fates = ['applied', 'lost', 'unclear'] as const;
type Fate = (typeof fates)[number];

function valuesByFate(body: string, warnings: readonly Remarked[]): Record<Fate, RecordedValue[]> {
  const found: Record<Fate, Map<string, RecordedValue>> = { applied: new Map(), lost: new Map(), unclear: new Map() };
  const add = (fate: Fate, item: string, invoice: string, name: string, value: unknown): void => {
    const where = { item, invoice, name };
    const text = textOf(value);
    // Equal lines share a field: of applied values the last one counts, but each lost one is to be seen.
    found[fate].set([recordedField(where), fate === 'applied' ? '' : text].join('\t'), { ...where, value: text });
  };
  const dropped = new Set(warnings.filter(({ code }) => notApplied.has(code)).map(({ path }) => path));
  const args = membersOf(membersOf(parsed(body))['args']);
  const { route: _route, stop_id: _stop, device_times: _times, stop, ...beside } = args;
  const { id: _id, updates, products, collections, ...own } = membersOf(stop);
  for (const fields of [beside, own, membersOf(updates)])
    for (const [name, value] of Object.entries(fields))
      add(ownPaths(name).some((path) => dropped.has(path)) ? 'lost' : 'applied', '', '', name, value);
  for (const [kind, lines] of [entriesOf(products), entriesOf(collections)].entries())
    for (const { item, invoice, counts, action, fateOf } of readLines(lineKinds[kind] ?? 'products', lines, dropped)) {
      for (const [name, value] of Object.entries(counts)) add(fateOf(name), item, invoice, name, value);
      for (const fate of fates) {
        const part = partOf(action, (name) => fateOf(name) === fate);
        if (Object.keys(part).length > 0) add(fate, item, invoice, 'action', part);
      }
    }
  return { applied: [...found.applied.values()], lost: [...found.lost.values()], unclear: [...found.unclear.values()] };
}

const notApplied = new Set(['superseded', 'status_ignored', 'too_many_lines']);

/** The paths of a stop's own field in a warning. A skip may have its status as `type` alone. */
const ownPaths = (name: string): string[] =>
  name === 'type' ? ['status', 'updates.status'] : [name, `updates.${name}`];

type Members = Readonly<Record<string, unknown>>;

interface RecordedLine {
  readonly item: string;
  readonly invoice: string;
  readonly counts: Members;
  readonly action: Members;
  /** @param name of the field, as in a warning */
  readonly fateOf: (name: string) => Fate;
}

function readLines(kind: string, entries: readonly unknown[], dropped: ReadonlySet<string>): RecordedLine[] {
  const lines = entries.map((entry) => {
    const { id, invoice, updates, action } = membersOf(entry);
    return { id: textOf(id), invoice: textOf(invoice), updates: membersOf(updates), action: membersOf(action) };
  });
  const keyed = keyedLines(lines);
  const warned = fieldsByLine(kind, dropped);
  return keyed.map(({ line: { id, invoice, updates, action }, key }, i) => {
    const { lost, unclear } = warnedOf(
      key,
      keyed.flatMap(({ line, key: each }) => (line.id === id ? each : [])),
      warned.get(id) ?? new Map(),
    );
    const hasTooMuch = dropped.has(`${kind}.${i}.updates`);
    const fateOf = (name: string): Fate => {
      if (dropped.has(`${kind}.${i}`) || lost.includes(name) || (hasTooMuch && lineDetails.includes(name)))
        return 'lost';
      return unclear.includes(name) ? 'unclear' : 'applied';
    };
    return { item: id, invoice, counts: updates, action, fateOf };
  });
}

/**
 * The dropped fields of a line. The server replaces an invoice that the app cannot know: warnings then name the line by
 * a key that the update does not have.
 *
 * @param keys of all lines of its item in the update
 * @param warned the dropped fields of the item, by key
 */
function warnedOf(
  key: string,
  keys: readonly string[],
  warned: FieldsByKey,
): Record<'lost' | 'unclear', readonly string[]> {
  const own = warned.get(key);
  if (own) return { lost: own, unclear: [] };
  const others = [...warned.keys()].filter((each) => !keys.includes(each));
  const lines = keys.filter((each) => !warned.has(each));
  // Warnings come in the order of lines.
  const at = others.length === lines.length ? others[lines.indexOf(key)] : undefined;
  if (at !== undefined) return { lost: warned.get(at) ?? [], unclear: [] };
  return { lost: [], unclear: others.flatMap((each) => warned.get(each) ?? []) };
}

type FieldsByKey = ReadonlyMap<string, readonly string[]>;

/** The dropped fields of lines, by item and key. */
function fieldsByLine(kind: string, dropped: ReadonlySet<string>): ReadonlyMap<string, FieldsByKey> {
  const found = new Map<string, Map<string, string[]>>();
  for (const path of dropped) {
    const end = path.lastIndexOf('.');
    const key = path.slice(kind.length + 1, end);
    const item = key.slice(0, key.indexOf('\t'));
    if (!path.startsWith(`${kind}.`) || item === '') continue;
    const ofItem = found.get(item) ?? new Map<string, string[]>();
    found.set(item, ofItem);
    ofItem.set(key, [...(ofItem.get(key) ?? []), path.slice(end + 1)]);
  }
  return found;
}

/** Fields of a line beside its counts, which too much detail leaves out together. */
const lineDetails = ['osd_data', 'action_osd_data', 'image_ids', 'open_action'];

/** The members of an action that are wanted. The server applies each by itself, as a field of the line. */
function partOf(action: Members, isWanted: (name: string) => boolean): Members {
  const { updates, ...own } = action;
  const members = Object.entries(own).filter(([name]) =>
    isWanted(name === 'type' || name === 'quantity' ? `action_${name}` : name),
  );
  const counts = Object.entries(membersOf(updates)).filter(([name]) => isWanted(`action_${name}`));
  return Object.fromEntries(counts.length > 0 ? [...members, ['updates', Object.fromEntries(counts)]] : members);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const membersOf = (value: unknown): Members =>
  value instanceof Object && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {};

const entriesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
