import type { LineKind } from '../schema/stops.ts';
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

function readLines(kind: LineKind, entries: readonly unknown[], dropped: ReadonlySet<string>): RecordedLine[] {
  const sent = entries.map((entry) => {
    const { id, invoice, updates, action } = membersOf(entry);
    return { id: textOf(id), invoice: textOf(invoice), updates: membersOf(updates), action: membersOf(action) };
  });
  const lines = keyedLines(sent).map(({ line, key }, at) => ({ ...line, key, at }));
  /** By key of the update and field. */
  const found = new Map<string, Fate>();
  for (const [item, warned] of fieldsByLine(kind, dropped)) {
    // The server warns of no field of other lines.
    const merged = lines.filter((line) => line.id === item && hasValue(line) && !dropped.has(`${kind}.${line.at}`));
    for (const { key, meant } of linesMeant(kind, merged, [...warned.keys()]))
      for (const line of meant)
        for (const name of warned.get(key) ?? [])
          found.set(`${line.key}.${name}`, meant.length === 1 ? 'lost' : 'unclear');
  }
  return lines.map(({ id, invoice, updates, action, key, at }) => {
    const hasTooMuch = dropped.has(`${kind}.${at}.updates`);
    const fateOf = (name: string): Fate => {
      if (dropped.has(`${kind}.${at}`) || (hasTooMuch && lineDetails.includes(name))) return 'lost';
      return found.get(`${key}.${name}`) ?? 'applied';
    };
    return { item: id, invoice, counts: updates, action, fateOf };
  });
}

const hasValue = ({ updates, action }: { readonly updates: Members; readonly action: Members }): boolean =>
  Object.keys(updates).length > 0 || Object.keys(partOf(action, () => true)).length > 0;

interface KeyedLine {
  readonly invoice: string;
  readonly key: string;
  /** The place in the update. */
  readonly at: number;
}

/**
 * The lines that each warned key may mean. The server replaces an invoice that the app cannot know, so a key can have
 * another invoice than its line, or another occurrence. A product that names an invoice keeps it, save in v20: a record
 * does not name its path set, so all lines count where nothing else fits. Not considered: a plan that has an item twice
 * under one invoice, with an update that names this invoice in one line only.
 *
 * @param lines of one item
 * @param keys in the order of the warnings
 */
function linesMeant(kind: LineKind, lines: readonly KeyedLine[], keys: readonly string[]) {
  const isGuess = ({ invoice }: KeyedLine): boolean => kind === 'collections' || invoice === '';
  const guesses = lines.filter(isGuess);
  const found = inOrder(
    keys.map((key) => {
      const invoice = key.split('\t')[1];
      const equal = lines.filter((line) => line.key === key || (isGuess(line) && line.invoice === invoice));
      return { key, meant: equal.length > 0 ? equal : guesses };
    }),
  );
  if (found.every(({ meant }) => meant.length > 0)) return found;
  return inOrder(keys.map((key) => ({ key, meant: lines })));
}

type Meaning = { readonly key: string; readonly meant: readonly KeyedLine[] };

/** Warnings come in the order of lines: each key means a line behind that of the key before it. */
function inOrder(keys: readonly Meaning[]): readonly Meaning[] {
  let first = -1;
  const behind = keys.map(({ key, meant }) => {
    const left = meant.filter(({ at }) => at > first);
    first = left[0]?.at ?? first;
    return { key, meant: left };
  });
  let last = Infinity;
  return behind
    .toReversed()
    .map(({ key, meant }) => {
      const left = meant.filter(({ at }) => at < last);
      last = left.at(-1)?.at ?? last;
      return { key, meant: left };
    })
    .toReversed();
}

type FieldsByKey = ReadonlyMap<string, readonly string[]>;

/** The dropped fields of lines, by item and key. */
function fieldsByLine(kind: LineKind, dropped: ReadonlySet<string>): ReadonlyMap<string, FieldsByKey> {
  const found = new Map<string, Map<string, string[]>>();
  for (const path of dropped) {
    const end = path.lastIndexOf('.');
    const key = path.slice(kind.length + 1, end);
    // A warning by place has no key.
    if (!path.startsWith(`${kind}.`) || !key.includes('\t')) continue;
    const item = key.slice(0, key.indexOf('\t'));
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
