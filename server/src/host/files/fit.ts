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
    const sqlstate = isSent ? valueFault(definition, map.toOwn(column, value)) : undefined;
    return sqlstate === undefined ? [] : [{ column, sqlstate }];
  });
}

/** Code page 37 has exactly U+0000–U+00FF; a NUL would end the text for many of the host's programs. */
export function isHostText(text: string): boolean {
  return !/[^\u0001-\u00ff]/.test(text);
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

function valueFault(column: Column, value: string): ValueFault['sqlstate'] | undefined {
  switch (column.kind) {
    case 'char':
      if (!isHostText(value)) return '22021';
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
