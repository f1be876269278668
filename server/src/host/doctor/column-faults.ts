import { allColumnsOf, type Column } from '../files/columns.ts';
import { plainMap } from '../files/library-map.ts';
import type { HostFileName } from '../files/tables.ts';
import type { HostColumn } from '../host.ts';

/** Faults in the columns of a file, one phrase a column; empty where the service can use it. @param isLater columns that may be missing */
export function columnFaults(
  name: HostFileName,
  found: readonly HostColumn[],
  map = plainMap,
  isLater: (column: string) => boolean = () => false,
): string[] {
  const file = map.file(name);
  const byName = new Map(found.map((column) => [column.name, column]));
  const key = Object.keys(file.key);
  return Object.entries(allColumnsOf(file)).flatMap(([column, defined]) => {
    const own = map.ownName(column);
    if (own === undefined || (!byName.has(own) && isLater(column))) return [];
    const fault = columnFault(defined, byName.get(own), key.includes(column));
    return fault === undefined ? [] : [`${map.table(name)}.${own} ${fault}`];
  });
}

function columnFault(defined: Column, found: HostColumn | undefined, isKey: boolean): string | undefined {
  if (!found) return 'is missing';
  if (!types[defined.kind].test(found.type)) return `is ${found.type} and not ${defined.kind}`;
  switch (defined.kind) {
    case 'char':
      // The doorbell has key columns side by side, each at its full width.
      if (isKey && found.length !== defined.length)
        return `has ${found.length} characters and not exactly ${defined.length}`;
      return found.length < defined.length ? `has ${found.length} characters and not ${defined.length}` : undefined;
    case 'binary':
      return found.length < defined.length ? `has ${found.length} bytes and not ${defined.length}` : undefined;
    case 'decimal': {
      const whole = defined.precision - defined.scale;
      const isSmall = found.scale < defined.scale || found.length - found.scale < whole;
      const isOther = isKey && (found.length !== defined.precision || found.scale !== defined.scale);
      return isSmall || isOther
        ? `is DECIMAL(${found.length},${found.scale}) and not DECIMAL(${defined.precision},${defined.scale})`
        : undefined;
    }
    default:
      return undefined;
  }
}

const types: { readonly [kind in Column['kind']]: RegExp } = {
  char: /^(VAR)?CHAR(ACTER)?( VARYING)?$/,
  decimal: /^(DECIMAL|NUMERIC)$/,
  timestamp: /^TIMESTAMP/,
  binary: /FOR BIT DATA|^VARBINARY$/,
  identity: /^(BIGINT|DECIMAL|INTEGER)$/,
  changedAt: /^TIMESTAMP/,
  changeNumber: /^(BIGINT|DECIMAL)$/,
};
