/** A recorded value as people read it. */
export type ShownValue =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'moment'; readonly at: string }
  | { readonly is: 'status'; readonly status: 'P' | 'D' | 'S' | 'R' | 'C' }
  | { readonly is: 'truth'; readonly truth: 'yes' | 'no' }
  | { readonly is: 'exceptions'; readonly exceptions: readonly ShownException[] }
  /** What was scanned for a line: its count, blank where it has none, and its exceptions. */
  | { readonly is: 'scanned'; readonly delivered: string; readonly exceptions: readonly ShownException[] };

/** An exception of a line, or a surplus item of a stop. A member that the record lacks is blank. */
export interface ShownException {
  readonly code: string;
  readonly quantity: string;
  readonly barcode: string;
  readonly comment: string;
}

/** The list in the protocol comes with schemas that the console does not need. */
const isTime = (name: string): boolean => /_(time|timestamp)$/.test(name);
const statuses = ['P', 'D', 'S', 'R', 'C'] as const;

/** @param name of the field. @param value its recorded text; a value of another form stays as it is */
export function shownValue(name: string, value: string): ShownValue {
  if (isTime(name) && !Number.isNaN(Date.parse(value))) return { is: 'moment', at: value };
  const status = name === 'status' ? statuses.find((each) => each === value) : undefined;
  if (status) return { is: 'status', status };
  if (value === 'true' || value === 'false') return { is: 'truth', truth: value === 'true' ? 'yes' : 'no' };
  const list = value.startsWith('[') ? listOf(parsed(value)) : undefined;
  if (list?.every((each) => typeof each === 'string')) return { is: 'text', text: list.join(', ') };
  if (list && isExceptions(name) && list.every(isObject))
    return { is: 'exceptions', exceptions: list.flatMap(exceptionsIn) };
  return (name === 'action' ? scannedIn(value) : undefined) ?? { is: 'text', text: value };
}

function scannedIn(value: string): ShownValue | undefined {
  const action = parsed(value);
  const updates = isObject(action) ? action['updates'] : undefined;
  if (!isObject(updates)) return undefined;
  const groups = (listOf(updates['osd_data']) ?? []).filter(isObject);
  return { is: 'scanned', delivered: shortText(updates['delivered']), exceptions: groups.flatMap(exceptionsIn) };
}

const isExceptions = (name: string): boolean => /(^|_)osd_data$|^overage_items$/.test(name);

/** A group has a code and its exceptions; a surplus item is one exception with its code. */
function exceptionsIn(group: Record<string, unknown>): ShownException[] {
  const parts = Array.isArray(group['data']) ? group['data'].filter(isObject) : [group];
  return parts.map((part) => ({
    code: shortText(group['osd_code']),
    quantity: shortText(part['quantity']),
    barcode: shortText(part['barcodes'] ?? part['barcode']),
    comment: shortText(part['comment']),
  }));
}

const shortText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
