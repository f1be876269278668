import type { LineKind, OsdGroup } from '@tailgate/sync-protocol';
import { hostLengths, hostText, lineKey, withoutFill } from '@tailgate/sync-protocol';
import type { ServicePart } from '../host/files/tables.ts';
import { unchangedRow, type RecordedStop } from './host-stop.ts';
import { touchedLines } from './line-rows.ts';
import { equalExcept } from './confirmed-rows.ts';

type OsdRow = ServicePart<'RTOSDP'>;
/** A row without its assigned number, revision and sequence. */
type OsdContent = Omit<OsdRow, 'OSSEQ' | 'OSDELF' | 'OSREV' | 'OSRPSQ'>;

/** Flagged rows that a stop keeps of each OSTYP before their numbers go to new entries (decision 95). */
export const maxFlaggedRows = 1_000;

/**
 * RTOSDP: one row for each entry. A row keeps its OSSEQ for ever, and no other entry gets it. An entry finds its row by
 * its osd_id, else by code and barcode, equal content first. Rows of removed entries are flagged, not deleted. A
 * credited row stays untouched; a change after the credit becomes a new row with a higher OSREV.
 *
 * @param shadow the rows as last confirmed on the host, flagged ones included
 * @param credited `OSTYP OSSEQ` of credited rows
 */
export function osdRows(stop: OsdStop, shadow: readonly OsdRow[], credited: ReadonlySet<string>): OsdRow[] {
  const { rows: assigned, pool } = findRows(stop, shadow, credited);
  const flagged = pool.unassignedRows().map((row): OsdRow => ({ ...row, OSDELF: 'Y', OSRPSQ: stop.sequence }));
  const before = new Map(shadow.map((row) => [numberOf(row), row]));
  return [...assigned, ...flagged, ...pool.unassignedCredited()].map((row) => {
    const same = before.get(numberOf(row));
    return same && equalExcept(row, same, 'OSRPSQ') ? same : row;
  });
}

/** The place of an entry in the stop's result: list, line, group and index. */
export interface OsdPlace {
  readonly list: LineKind | 'overage';
  /** Blank for overage. */
  readonly line: string;
  readonly itemized: boolean;
  readonly group: number;
  readonly entry: number;
}

/** Each entry of a stop with the number of its row (`OSTYP OSSEQ`). */
export function numberedEntries(
  stop: OsdStop,
  shadow: readonly OsdRow[],
  credited: ReadonlySet<string>,
): { place: OsdPlace; number: string }[] {
  const { entries, rows } = findRows(stop, shadow, credited);
  return rows.flatMap((row, index) => {
    const place = entries[index]?.place;
    return place ? [{ place, number: numberOf(row) }] : [];
  });
}

type OsdStop = Pick<RecordedStop, 'key' | 'stop' | 'result' | 'sequence' | 'fit'>;

/** Assigns a row to each entry. The pool keeps the rows that no entry has taken. */
function findRows(stop: OsdStop, shadow: readonly OsdRow[], credited: ReadonlySet<string>) {
  const entries = osdEntries(stop);
  const pool = new RowPool(shadow, credited);
  const exact = entries.map(({ content }) => pool.claim(content, (row) => sameContent(content, row)));
  const found = entries.map(
    ({ content }, index) => exact[index] ?? pool.claim(content, (row) => pool.mayChange(row, content)),
  );
  const rows = entries.map(({ content }, index): OsdRow => {
    const row = found[index] ?? pool.newRow(content);
    if (pool.isCredited(row)) return row;
    return { ...content, OSSEQ: row.OSSEQ, OSDELF: 'N', OSREV: row.OSREV, OSRPSQ: stop.sequence };
  });
  return { entries, rows, pool };
}

/** RTIMGP: the photo of an overage item, under the number of its OSD row. */
export function overagePhotoRows({ key, stop }: RecordedStop, osd: readonly OsdRow[]): ServicePart<'RTIMGP'>[] {
  return osd
    .filter((row) => row.OSTYP === 'O' && row.OSDELF === 'N' && row.OSIMG !== '')
    .map((row) => ({
      RIFAC: key.facility,
      RIRTE: key.id,
      RIWKE: `${Number(key.week_end)}`,
      RISTP: `${stop}`,
      RIQTYP: 'O',
      RIINV: '',
      RIITM: '',
      RILIN: row.OSSEQ,
      RISEQ: '1',
      RIASS: row.OSIMG,
    }));
}

export const numberOf = (row: Pick<OsdRow, 'OSTYP' | 'OSSEQ'>): string => `${row.OSTYP} ${row.OSSEQ}`;

function osdEntries(stop: OsdStop): { place: OsdPlace; content: OsdContent }[] {
  const content = contentOf(stop);
  // Two lines of one item and invoice share their rows' keys: the groups of the second follow those of the first.
  const groupsSoFar = new Map<string, number>();
  const lines = touchedLines(stop.result).flatMap(([type, line]) => {
    const owner = { OSTYP: type, OSITM: withoutFill(line.id), OSINV: withoutFill(line.invoice) };
    const list = type === 'P' ? ('products' as const) : ('collections' as const);
    const at = { list, line: lineKey(line.id, line.invoice, line.n) };
    return [
      { row: { ...owner, OSITMF: 'N' }, itemized: false, groups: line.osd_data ?? [] },
      { row: { ...owner, OSITMF: 'Y' }, itemized: true, groups: line.action_osd_data ?? [] },
    ].flatMap(({ row, itemized, groups }) => {
      const name = Object.values(row).join('\t');
      const first = groupsSoFar.get(name) ?? 0;
      const stored = [...groups.entries()].filter(([, { data }]) => data.length > 0);
      groupsSoFar.set(name, first + stored.length);
      return stored.flatMap(([place, group], index) =>
        group.data.map((entry, order) => ({
          place: { ...at, itemized, group: place, entry: order },
          content: content(row, { group, entry, order: [first + index + 1, order + 1] }),
        })),
      );
    });
  });
  const overage = (stop.result.updates?.overage_items ?? []).map(({ osd_code, barcode, ...item }, index) => ({
    place: { list: 'overage' as const, line: '', itemized: false, group: 0, entry: index },
    content: content(
      { OSTYP: 'O', OSITM: '', OSINV: '', OSITMF: 'N' },
      {
        group: { osd_id: null, osd_code },
        entry: { ...item, barcodes: barcode, osd_parent: null, quantity_type: null },
        order: [1, index + 1],
      },
    ),
  }));
  return [...lines, ...overage];
}

interface Entry {
  readonly group: Pick<OsdGroup, 'osd_id' | 'osd_code'>;
  readonly entry: OsdGroup['data'][number];
  /** The index of the group, and of the entry in it. */
  readonly order: readonly [group: number, entry: number];
}

function contentOf({ key, stop, fit = unchangedRow }: OsdStop) {
  return (line: Pick<OsdRow, 'OSTYP' | 'OSITM' | 'OSINV' | 'OSITMF'>, { group, entry, order }: Entry): OsdContent => {
    const itemized = line.OSITMF === 'Y';
    const texts = {
      OSBAR: hostText(itemized ? '' : entry.barcodes, 20),
      OSOID: hostText(group.osd_id, 6),
      OSPAR: hostText(entry.osd_parent, 6),
      OSCMT: hostText(entry.comment, hostLengths.comment),
    };
    return fit('RTOSDP', {
      OSFAC: key.facility,
      OSRTE: key.id,
      OSWKE: `${Number(key.week_end)}`,
      OSSTP: `${stop}`,
      ...line,
      OSBAR: texts.OSBAR.text,
      OSOID: texts.OSOID.text,
      OSPAR: texts.OSPAR.text,
      OSCOD: group.osd_code,
      OSQTY: `${entry.quantity}`,
      OSQTYP: entry.quantity_type === 'units' ? 'U' : entry.quantity_type === 'cases' ? 'C' : '',
      OSCMT: texts.OSCMT.text,
      OSTXTL: Object.values(texts).some(({ altered }) => altered) ? 'Y' : 'N',
      OSIMG: entry.images_id ?? '',
      OSGRP: `${order[0]}`,
      OSENT: `${order[1]}`,
    });
  };
}

/** A moved entry is the same entry. */
function sameContent(entry: OsdContent, row: OsdRow): boolean {
  return equalExcept({ ...entry, OSGRP: row.OSGRP, OSENT: row.OSENT }, row);
}

/** The fields of an entry that stay equal when its quantity, comment or photo changes. */
function identityOf(row: OsdContent): string {
  const itself = row.OSOID === '' ? [row.OSCOD, row.OSBAR] : ['', row.OSOID];
  return [row.OSTYP, row.OSITM, row.OSINV, row.OSITMF, ...itself].join('\t');
}

/** The confirmed rows of a stop, from which each entry takes its own. */
class RowPool {
  readonly #unassigned = new Map<string, OsdRow[]>();
  readonly #credited: ReadonlySet<string>;
  readonly #highestNumber = new Map<string, number>();
  /** Flagged rows above the limit by OSTYP, those flagged last first. */
  readonly #reusable = new Map<string, OsdRow[]>();
  readonly #reused = new Set<OsdRow>();

  constructor(shadow: readonly OsdRow[], credited: ReadonlySet<string>) {
    this.#credited = credited;
    // Unflagged rows come first: an entry takes a flagged one only where no other fits.
    for (const row of shadow.toSorted((a, b) => a.OSDELF.localeCompare(b.OSDELF))) {
      const similar = this.#unassigned.get(identityOf(row));
      if (similar) similar.push(row);
      else this.#unassigned.set(identityOf(row), [row]);
      this.#highestNumber.set(row.OSTYP, Math.max(this.#highestNumber.get(row.OSTYP) ?? 0, Number(row.OSSEQ)));
    }
  }

  isCredited(row: Pick<OsdRow, 'OSTYP' | 'OSSEQ'>): boolean {
    return this.#credited.has(numberOf(row));
  }

  /** The same osd_id takes a flagged row back. Without an osd_id it could be another exception of the same code. */
  mayChange(row: OsdRow, entry: OsdContent): boolean {
    return !this.isCredited(row) && (row.OSDELF !== 'Y' || entry.OSOID !== '');
  }

  claim(entry: OsdContent, fits: (row: OsdRow) => boolean): OsdRow | undefined {
    const similar = this.#unassigned.get(identityOf(entry));
    const index = similar?.findIndex(fits) ?? -1;
    return index < 0 ? undefined : similar?.splice(index, 1)[0];
  }

  /** Called once every entry has looked for its own row: what is flagged then belongs to no entry. */
  newRow(entry: OsdContent): OsdRow {
    const sequence = this.#nextNumber(entry.OSTYP);
    const settled = (this.#unassigned.get(identityOf(entry)) ?? []).filter((row) => this.isCredited(row));
    const revision = settled.length === 0 ? 0 : Math.max(...settled.map(({ OSREV }) => Number(OSREV))) + 1;
    return { ...entry, OSSEQ: `${sequence}`, OSDELF: 'N', OSREV: `${revision}`, OSRPSQ: '0' };
  }

  #nextNumber(type: string): number {
    const reusable = this.#reusableRows(type).pop();
    if (reusable) {
      this.#reused.add(reusable);
      return Number(reusable.OSSEQ);
    }
    const next = (this.#highestNumber.get(type) ?? 0) + 1;
    this.#highestNumber.set(type, next);
    return next;
  }

  #reusableRows(type: string): OsdRow[] {
    const known = this.#reusable.get(type);
    if (known) return known;
    const flagged = this.unassignedRows().filter((row) => row.OSTYP === type && row.OSDELF === 'Y');
    const firstLast = (a: OsdRow, b: OsdRow) =>
      Number(b.OSRPSQ) - Number(a.OSRPSQ) || Number(b.OSSEQ) - Number(a.OSSEQ);
    const reusable = flagged.toSorted(firstLast).slice(maxFlaggedRows);
    this.#reusable.set(type, reusable);
    return reusable;
  }

  unassignedRows(): OsdRow[] {
    return [...this.#unassigned.values()].flat().filter((row) => !this.isCredited(row) && !this.#reused.has(row));
  }

  unassignedCredited(): OsdRow[] {
    return [...this.#unassigned.values()].flat().filter((row) => this.isCredited(row));
  }
}
