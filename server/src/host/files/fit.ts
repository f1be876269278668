import type { Ccsid } from './ccsid.ts';
import { columnsOf, type Column, type DecimalText } from './columns.ts';
import { plainMap } from './library-map.ts';
import type { HostFileName } from './tables.ts';

// Finds values that the host would refuse, before the request: with the same states as Db2, and with the column, which
// Db2 does not name.

export type ValueFault = { column: string; sqlstate: '22001' | '22003' | '22018' | '22021' };

/** Why a record does not fit; empty where it fits. */
export function valueFaults(
  name: HostFileName,
  record: { readonly [column: string]: unknown },
  map = plainMap,
): ValueFault[] {
  return Object.entries(columnsOf(map.file(name))).flatMap(([column, definition]) => {
    const value = record[column];
    const isSent = typeof value === 'string' && map.ownName(column) !== undefined;
    const sqlstate = isSent ? valueFault(definition, map.toOwn(column, value), map.ccsid) : undefined;
    return sqlstate === undefined ? [] : [{ column, sqlstate }];
  });
}

/**
 * Each code page of a host has U+0000–U+00FF, but 1140 lacks ¤ (files/ccsid.ts); a NUL would end the text for many of the
 * host's programs. `hostText` makes texts of all code pages. A key stays as it is, and needs those of its host alone.
 */
export function isHostText(text: string, ccsid: Ccsid = '1140'): boolean {
  return !/[^\u0001-\u00ff]/.test(text) && (ccsid !== '1140' || !text.includes('¤'));
}

/** A number in the form of a column of this scale. @throws RangeError for a text that is no decimal number */
export function decimalText(value: number, scale = 0): DecimalText {
  if (!Number.isFinite(value) || Math.abs(value) >= 1e15) throw new RangeError(`${value} is no decimal number`);
  // The host has no minus zero.
  const text = value.toFixed(scale).replace(/^-(0(\.0+)?)$/, '$1');
  if (!isDecimalText(text)) throw new RangeError(`${text} is no decimal number`);
  return text;
}

export function isDecimalText(text: string): text is DecimalText {
  return /^-?\d+(\.\d+)?$/.test(text);
}

function valueFault(column: Column, value: string, ccsid: Ccsid): ValueFault['sqlstate'] | undefined {
  switch (column.kind) {
    case 'char':
      if (!isHostText(value, ccsid)) return '22021';
      return value.length > column.length ? '22001' : undefined;
    case 'decimal': {
      const digits = /^-?0*(\d*)(?:\.(\d*))?$/.exec(value);
      if (digits === null) return '22018';
      const [, whole = '', fraction = ''] = digits;
      return whole.length > column.precision - column.scale || fraction.length > column.scale ? '22003' : undefined;
    }
    default:
      return undefined;
  }
}
