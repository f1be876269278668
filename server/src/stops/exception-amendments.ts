import type { OsdEntry, OsdGroup, OverageItem, StopResult } from '@tailgate/sync-protocol';
import { lineKey, osdGroup } from '@tailgate/sync-protocol';
import type { ServicePart } from '../host/files/tables.ts';
import type { RecordedStop } from './host-stop.ts';
import type { LineAmendments, LineName } from './line-amendments.ts';
import { touchedLines } from './line-rows.ts';
import { numberedEntries, numberOf, type OsdPlace } from './osd-rows.ts';

type OsdRow = ServicePart<'RTOSDP'>;
type OsdStop = Pick<RecordedStop, 'key' | 'stop' | 'result' | 'sequence'>;

/** An exception in the mirror: its entry and its group's fields. */
interface Exception {
  /** The number of its row on the host; undefined without a row. */
  readonly number: string | undefined;
  /** Entries of one group stay together. */
  readonly group: number;
  osd_id: string | null;
  osd_code: string;
  entry: OsdEntry;
}

/** The exceptions of one list: of a line, of a line's action, or the stop's overage. */
interface ExceptionList {
  readonly line: LineName | undefined;
  readonly itemized: boolean;
  exceptions: Exception[];
  isAmended: boolean;
}

/** Columns that move an exception to another line. */
const lineColumns = ['OSITM', 'OSINV', 'OSITMF'] as const;
/** Columns with its content. */
const contentColumns = ['OSBAR', 'OSOID', 'OSPAR', 'OSCOD', 'OSQTY', 'OSQTYP', 'OSCMT', 'OSIMG'] as const;
/** The host has no line for an exception that belongs to none. */
const NEW_GROUP = -1;

/** RTOSDP as confirmed and as it is now, and the new photos of overage items (`amendPhotos`). */
interface ExceptionRows {
  readonly shadow: readonly OsdRow[];
  readonly host: readonly OsdRow[];
  /** `OSTYP OSSEQ` of rows that the back office has credited. */
  readonly credited: ReadonlySet<string>;
  readonly photos: ReadonlyMap<string, string>;
  /** Each list is the host's as a whole, so its rows give the order. */
  readonly isWhole: boolean;
}

/**
 * Applies the office's changes of a stop's exceptions to the mirror's present ones. Texts that the host cut or
 * respelled keep their original. A driver's later additions stay.
 *
 * @param lines receives the changed lists
 * @param unmapped collects changes that no stop object can express, such as a deleted row: the office removes an
 *   exception by its flag OSDELF, and clean-ups delete rows as well
 * @returns the stop's overage where it has changed
 */
export function amendExceptions(
  stop: OsdStop,
  { shadow, host, credited, photos, isWhole }: ExceptionRows,
  lines: LineAmendments,
  unmapped: string[],
): OverageItem[] | undefined {
  const before = new Map(shadow.map((row) => [numberOf(row), row]));
  const there = new Set(host.map(numberOf));
  const lists = new ExceptionLists(stop, shadow, credited);
  let isMapped = shadow.every((row) => row.OSDELF === 'Y' || there.has(numberOf(row)));
  for (const row of host) {
    const unmappedColumns = mapRow(lists, before.get(numberOf(row)), row);
    if (unmappedColumns === 'row') isMapped = false;
    else unmapped.push(...unmappedColumns.map((column) => `RTOSDP.${column} of ${numberOf(row)}`));
  }
  for (const [number, asset] of photos) if (!lists.changePhoto(number, asset)) isMapped = false;
  if (!isMapped) unmapped.push('RTOSDP');
  if (isWhole) lists.arrange(host);
  return lists.addTo(lines);
}

/** The columns of a row that no stop object can express; `row` where the row as a whole cannot be. */
type Unmapped = readonly (keyof OsdRow)[] | 'row';

function mapRow(lists: ExceptionLists, was: OsdRow | undefined, row: OsdRow): Unmapped {
  const differs = (column: keyof OsdRow): boolean => row[column] !== was?.[column];
  if (row.OSDELF === 'Y') {
    if (was && was.OSDELF !== 'Y') lists.remove(numberOf(row));
    return [];
  }
  const impossible = contentColumns.filter((column) => !isPossible(row, column));
  const isNew = !was || was.OSDELF === 'Y';
  if (isNew || lineColumns.some(differs)) {
    // Without these columns the exception would mean something else.
    if (impossible.length > 0) return impossible;
    if (!isNew) lists.remove(numberOf(row));
    return lists.add(row) ? [] : 'row';
  }
  const columns = contentColumns.filter(differs);
  // A photo is evidence: a blank does not remove it.
  const mapped = columns.filter((column) => !impossible.includes(column) && (column !== 'OSIMG' || row.OSIMG !== ''));
  if (mapped.length > 0 && !lists.change(row, mapped)) return 'row';
  return [...columns.filter((column) => !mapped.includes(column)), ...(differs('OSREV') ? (['OSREV'] as const) : [])];
}

/** Whether a column alone is valid in some exception. */
function isPossible(row: OsdRow, column: (typeof contentColumns)[number]): boolean {
  if (column === 'OSQTYP') return ['', 'U', 'C'].includes(row.OSQTYP);
  return validContent(contentOf({ ...row, ...neutralValues, [column]: row[column] })) !== undefined;
}

/** Values that are valid in every exception. */
const neutralValues = { OSBAR: '', OSOID: '', OSPAR: '', OSCOD: '0', OSQTY: '0', OSCMT: '', OSIMG: '' } as const;

class ExceptionLists {
  readonly #lists = new Map<string, ExceptionList>();
  readonly #result: StopResult;

  constructor(stop: OsdStop, shadow: readonly OsdRow[], credited: ReadonlySet<string>) {
    this.#result = stop.result;
    for (const { place, number } of numberedEntries(stop, shadow, credited)) {
      const found = contentAt(stop.result, place);
      if (found) this.#listAt(place).exceptions.push({ ...found, number, group: place.group });
    }
  }

  remove(number: string): void {
    for (const list of this.#lists.values()) {
      const rest = list.exceptions.filter((exception) => exception.number !== number);
      list.isAmended ||= rest.length < list.exceptions.length;
      list.exceptions = rest;
    }
  }

  /** False where the row is no valid exception of a stop. */
  add(row: OsdRow): boolean {
    const content = validContent(contentOf(row));
    const list = content && this.#listOf(row);
    if (!list) return false;
    const sibling = list.exceptions.findLastIndex(
      ({ osd_id, osd_code }) => osd_id === content.osd_id && osd_code === content.osd_code,
    );
    const group = list.exceptions[sibling]?.group ?? NEW_GROUP;
    const at = sibling < 0 ? list.exceptions.length : sibling + 1;
    list.exceptions.splice(at, 0, { ...content, number: numberOf(row), group });
    list.isAmended = true;
    return true;
  }

  /** False where the mirror no longer has this exception, or the row is no valid exception. */
  change(row: OsdRow, columns: readonly (typeof contentColumns)[number][]): boolean {
    const content = contentOf(row);
    const fields = columns.map((column) => fieldOf[column]);
    return this.#amend(numberOf(row), (exception) => ({
      osd_id: columns.includes('OSOID') ? content.osd_id : exception.osd_id,
      osd_code: columns.includes('OSCOD') ? content.osd_code : exception.osd_code,
      entry: { ...exception.entry, ...pick(content.entry, fields) },
    }));
  }

  /** False where the mirror no longer has this exception. */
  changePhoto(number: string, asset: string): boolean {
    return this.#amend(number, ({ osd_id, osd_code, entry }) => ({
      osd_id,
      osd_code,
      entry: { ...entry, images_id: asset },
    }));
  }

  /** Puts each list in the order and the groups of its rows. */
  arrange(rows: readonly OsdRow[]): void {
    const order = new Map(
      rows.toSorted(byPlace).map((row, index) => [numberOf(row), { index, group: Number(row.OSGRP) }]),
    );
    const placeOf = ({ number = '' }: Exception) => order.get(number) ?? { index: order.size, group: NEW_GROUP };
    for (const list of this.#lists.values()) {
      const before = list.exceptions;
      list.exceptions = before
        .toSorted((a, b) => placeOf(a).index - placeOf(b).index)
        .map((exception) => ({ ...exception, group: placeOf(exception).group }));
      list.isAmended ||= list.exceptions.some(({ number }, index) => number !== before[index]?.number);
    }
  }

  addTo(lines: LineAmendments): OverageItem[] | undefined {
    let overage: OverageItem[] | undefined;
    for (const { line, itemized, exceptions, isAmended } of this.#lists.values()) {
      if (!isAmended) continue;
      if (line === undefined) overage = exceptions.map(overageOf);
      else if (itemized) lines.changeAction(line, { osd_data: groupsOf(exceptions) });
      else lines.change(line, { osd_data: groupsOf(exceptions) });
    }
    return overage;
  }

  #amend(number: string, change: (exception: Exception) => ExceptionContent): boolean {
    for (const list of this.#lists.values()) {
      const exception = list.exceptions.find((one) => one.number === number);
      if (!exception) continue;
      const after = validContent(change(exception));
      if (!after) return false;
      Object.assign(exception, after);
      list.isAmended = true;
      return true;
    }
    return false;
  }

  #listAt({ list, line, itemized }: OsdPlace): ExceptionList {
    const [id = '', invoice = '', n = '0'] = line.split('\t');
    return this.#list(list === 'overage' ? undefined : { kind: list, id, invoice, n: Number(n) }, itemized);
  }

  /** The list to which a new row belongs; of equal lines the first. */
  #listOf({ OSTYP, OSITM, OSINV, OSITMF }: OsdRow): ExceptionList | undefined {
    if (OSTYP === 'O') return OSITM === '' ? this.#list(undefined, false) : undefined;
    if ((OSTYP !== 'P' && OSTYP !== 'C') || OSITM === '') return undefined;
    // The line as the driver named it: host columns have no trailing blanks.
    const touched = touchedLines(this.#result).find(
      ([type, { id, invoice }]) => type === OSTYP && id.trimEnd() === OSITM && invoice.trimEnd() === OSINV,
    )?.[1];
    const { id, invoice, n } = touched ?? { id: OSITM, invoice: OSINV, n: 0 };
    return this.#list({ kind: OSTYP === 'P' ? 'products' : 'collections', id, invoice, n }, OSITMF === 'Y');
  }

  #list(line: LineName | undefined, itemized: boolean): ExceptionList {
    const name = line ? [line.kind, lineKey(line.id, line.invoice, line.n), itemized].join('\t') : '';
    const known = this.#lists.get(name);
    if (known) return known;
    const list = { line, itemized, exceptions: [], isAmended: false };
    this.#lists.set(name, list);
    return list;
  }
}

/** A clerk's program may leave the place blank: such rows are last. */
const byPlace = (a: OsdRow, b: OsdRow): number =>
  Number(a.OSGRP === '0') - Number(b.OSGRP === '0') ||
  Number(a.OSGRP) - Number(b.OSGRP) ||
  Number(a.OSENT) - Number(b.OSENT);

type ExceptionContent = Pick<Exception, 'osd_id' | 'osd_code' | 'entry'>;

function contentAt(result: StopResult, { list, line, itemized, group, entry }: OsdPlace): ExceptionContent | undefined {
  if (list === 'overage') {
    const item = result.updates?.overage_items?.[entry];
    if (!item) return undefined;
    const { osd_code, barcode, ...rest } = item;
    return { osd_id: null, osd_code, entry: { ...rest, barcodes: barcode, osd_parent: null, quantity_type: null } };
  }
  const touched = result[list]?.[line];
  const found = (itemized ? touched?.action_osd_data : touched?.osd_data)?.[group];
  const content = found?.data[entry];
  return found && content && { osd_id: found.osd_id, osd_code: found.osd_code, entry: content };
}

function contentOf(row: OsdRow): ExceptionContent {
  return {
    osd_id: row.OSOID || null,
    osd_code: row.OSCOD,
    entry: {
      osd_parent: row.OSPAR || null,
      comment: row.OSCMT,
      quantity: Number(row.OSQTY),
      images_id: row.OSIMG || null,
      barcodes: row.OSBAR,
      quantity_type: row.OSQTYP === 'U' ? 'units' : row.OSQTYP === 'C' ? 'cases' : null,
    },
  };
}

/** Undefined where no stop object can express it. */
function validContent({ osd_id, osd_code, entry }: ExceptionContent): ExceptionContent | undefined {
  const group = osdGroup.safeParse({ osd_id, osd_code, data: [entry] }).data;
  const content = group?.data[0];
  return group && content && { osd_id: group.osd_id, osd_code: group.osd_code, entry: content };
}

/** The entry field of each column; the group's two columns have none. */
const fieldOf = {
  OSBAR: 'barcodes',
  OSOID: undefined,
  OSPAR: 'osd_parent',
  OSCOD: undefined,
  OSQTY: 'quantity',
  OSQTYP: 'quantity_type',
  OSCMT: 'comment',
  OSIMG: 'images_id',
} as const;

function pick(entry: OsdEntry, fields: readonly (keyof OsdEntry | undefined)[]): Partial<OsdEntry> {
  return Object.fromEntries(fields.flatMap((field) => (field ? [[field, entry[field]]] : [])));
}

function groupsOf(exceptions: readonly Exception[]): OsdGroup[] {
  const groups: OsdGroup[] = [];
  let last: Exception | undefined;
  for (const exception of exceptions) {
    const { osd_id, osd_code, group, entry } = exception;
    const joins = last?.group === group && last.osd_id === osd_id && last.osd_code === osd_code;
    if (joins) groups.at(-1)?.data.push(entry);
    else groups.push({ osd_id, osd_code, data: [entry] });
    last = exception;
  }
  return groups;
}

function overageOf({ osd_code, entry: { barcodes, quantity, comment, images_id } }: Exception): OverageItem {
  return { barcode: barcodes, osd_code, quantity, comment, images_id };
}
