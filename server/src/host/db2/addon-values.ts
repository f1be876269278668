import type { HostValue } from '../files/columns.ts';
import type { HostRow } from '../host.ts';
import type { AddonColumn, Parameter } from './ibm-db.ts';

// Converts between the addon's values and a Host's: text without trailing blanks, numbers and timestamps as text, bytes
// as bytes.

export function asParameters(values: readonly HostValue[]): Parameter[] {
  return values.map((value) => {
    if (!Buffer.isBuffer(value)) return value;
    // The addon refuses bytes of length 0 as a value.
    return value.length === 0 ? '' : { ParamType: 'INPUT', CType: 'BINARY', SQLType: -3, Data: value };
  });
}

export function asRows(columns: readonly AddonColumn[], rows: readonly { [column: string]: unknown }[]): HostRow[] {
  return rows.map((row) =>
    Object.fromEntries(columns.map((column) => [column.SQL_DESC_NAME, asValue(column, row[column.SQL_DESC_NAME])])),
  );
}

/** SQL_NUMERIC and SQL_DECIMAL of the CLI. */
const DECIMALS = [2, 3];
/** Every decimal of up to 15 digits survives a double. */
const FIRST_INEXACT = 1e15;

function asValue(column: AddonColumn, value: unknown): HostValue {
  switch (typeof value) {
    case 'string':
      return value.replace(/ +$/, '');
    case 'number':
      return DECIMALS.includes(column.SQL_DESC_CONSIZE_TYPE) ? decimalOf(column, value) : String(value);
    default:
      if (value === null || value === undefined) return null;
      if (Buffer.isBuffer(value)) return value;
      throw new TypeError(`${column.SQL_DESC_NAME} came as a ${typeof value}, which no column of ours is`);
  }
}

/** The addon returns decimals as doubles, without their trailing zeros. */
function decimalOf({ SQL_DESC_NAME: name, SQL_DESC_SCALE: scale }: AddonColumn, value: number): string {
  if (Math.abs(value) * 10 ** scale >= FIRST_INEXACT)
    throw new RangeError(`${name} has more digits than ibm_db hands over: select cast(${name} as varchar(40))`);
  return value.toFixed(scale).replace(/^-(0(\.0+)?)$/, '$1');
}
