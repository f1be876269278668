import type { Row } from './evidence.ts';
import { members } from './members.ts';

// The exceptions of a line as one text, so that two lists are equal where their texts are: groups in order, separated by
// blanks, each `CODE/ID:` and its entries `QUANTITYxBARCODE`, separated by commas.

/** An exception of a line as a driver's app sends it. */
export interface ExceptionGroup {
  readonly osd_code: string;
  readonly osd_id: string;
  readonly data: readonly { readonly quantity: number; readonly barcodes: string; readonly quantity_type: 'units' }[];
}

const textOf = (groups: readonly { readonly head: string; readonly entries: readonly string[] }[]): string =>
  groups.map(({ head, entries }) => `${head}:${entries.join(',')}`).join(' ');

export function groupsOf(text: string): ExceptionGroup[] {
  return text.split(' ').map((group) => {
    const [head = '', entries = ''] = group.split(':');
    const [osd_code = '', osd_id = ''] = head.split('/');
    const data = entries.split(',').map((entry) => {
      const [quantity, barcodes = ''] = entry.split('x');
      return { quantity: Number(quantity), barcodes, quantity_type: 'units' as const };
    });
    return { osd_code, osd_id, data };
  });
}

/** Of stored JSON, or of a view. */
export function exceptionsIn(osdData: unknown): string {
  if (!Array.isArray(osdData)) throw new Error('exceptions that are no list');
  return textOf(
    osdData.map((group: unknown) => {
      const { osd_code, osd_id, data } = members(group, 'an exception');
      if (!Array.isArray(data)) throw new Error('an exception without a list of entries');
      const entries = data.map((each: unknown) => {
        const { quantity, barcodes } = members(each, 'an entry of an exception');
        return `${String(quantity)}x${String(barcodes)}`;
      });
      return { head: `${String(osd_code)}/${String(osd_id)}`, entries };
    }),
  );
}

/** @param rows of one stop's first line in RTOSDP */
export function exceptionsOnHost(rows: readonly Row[]): string {
  const place = (row: Row): number => Number(row['OSGRP']) * 1_000 + Number(row['OSENT']);
  const groups = new Map<number, { head: string; entries: string[] }>();
  for (const row of rows.filter(({ OSDELF }) => OSDELF !== 'Y').toSorted((a, b) => place(a) - place(b))) {
    const group = groups.get(Number(row['OSGRP'])) ?? {
      head: `${String(row['OSCOD'])}/${String(row['OSOID'])}`,
      entries: [],
    };
    group.entries.push(`${String(row['OSQTY'])}x${String(row['OSBAR'])}`);
    groups.set(Number(row['OSGRP']), group);
  }
  return textOf([...groups.values()]);
}

/** Rows of exceptions never disappear, and a number remains with its exception (docs/host-files.md, RTOSDP). */
export class ExceptionNumbers {
  readonly #ids = new Map<string, unknown>();

  /** @returns violations since the last look at these rows */
  check(stop: number, rows: readonly Row[]): string[] {
    const wrong: string[] = [];
    const shown = new Map(rows.map((row) => [`${stop}/${String(row['OSTYP'])}/${String(row['OSSEQ'])}`, row['OSOID']]));
    for (const [number, id] of this.#ids)
      if (number.startsWith(`${stop}/`) && shown.get(number) !== id)
        wrong.push(`RTOSDP ${number} was of the exception ${String(id)}, and is of ${String(shown.get(number))}`);
    for (const [number, id] of shown) this.#ids.set(number, id);
    return wrong;
  }
}
