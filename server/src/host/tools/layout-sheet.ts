import { auditTail, columnsOf, type Column, type HostFile } from '../files/columns.ts';
import { plainMap, type LibraryMap } from '../files/library-map.ts';
import { hostFileNames, type HostFileName } from '../files/tables.ts';

/** The file-layout sheet for back-office programmers (docs/host-files.md), printed from the definitions. */
export function layoutSheet(map = plainMap): string {
  return `${[prefaceOf(map), ...hostFileNames.map((name) => sheetOf(map, name))].join('\n\n')}\n`;
}

const prefaceOf = (map: LibraryMap): string => `# The host’s files

Printed by \`npm run host -- layout\` from the definitions that the statements, the checks and the DDL are made from;
a test compares it. Text is CHAR in CCSID ${map.ccsid}, blank where there is nothing; numbers are 0 where there is nothing;
dates are YYYYMMDD and times HHMMSS on the clock of the facility (of what belongs to none, such as a photo that no stop
waits for: on the clock that all facilities have, else in UTC). **H**: the column is the host’s, **S**: the service’s,
**K**: key. Each file ends with its audit tail (\`xxCUSR xxCPGM xxCDAT xxCTIM xxUUSR xxUPGM xxUDAT xxUTIM\`).
If no line of PODCHGP names the user of an edit, the service takes \`xxUUSR\` of the row that was changed.`;

function sheetOf(map: LibraryMap, name: HostFileName): string {
  const file = map.file(name);
  const all = { ...columnsOf(file), ...auditTail(file) };
  const rows = Object.entries(all).map(
    ([column, definition], index) =>
      `| ${index + 1} | ${shown(map, column)} | ${typeOf(definition)} | ${ownerOf(file, column)} | ${definition.text}${codesOf(map, column)} |`,
  );
  const rings = file.doorbell === 'rings' ? 'Changes by other programs ring the doorbell (PODCHGP).' : 'No doorbell.';
  const paths = file.paths.map((path) => `Access path: ${path.join(', ')}.`);
  const table = map.table(name);
  const constants = map.constants(name).map(([column, value]) => `${column} has ${value} in rows of the service.`);
  return [
    `## ${table === name ? name : `${table} (${name})`} · ${file.text}`,
    [rings, ...paths, ...constants].join(' '),
    ['| # | Column | Type | Owner | Text |', '|---|---|---|---|---|', ...rows].join('\n'),
  ].join('\n\n');
}

/** Their name and ours, or ours and why there is none. */
function shown(map: LibraryMap, column: string): string {
  const own = map.ownName(column);
  if (own === column) return column;
  if (own !== undefined) return `${own} (${column})`;
  const value = map.constant(column);
  return value === '' || value === 0 ? `none (${column})` : `none (${column}, read as ${value})`;
}

function codesOf(map: LibraryMap, column: string): string {
  const definition = map.definition(column);
  const values = definition.kind === 'char' ? (definition.values ?? []) : [];
  const codes = values.flatMap((value) => {
    const own = map.toOwn(column, value);
    return own === value ? [] : [`${value || 'blank'} is ${own || 'blank'}`];
  });
  return codes.length === 0 ? '' : `; ${codes.join(', ')}`;
}

function typeOf(column: Column): string {
  switch (column.kind) {
    case 'char':
      return `CHAR(${column.length})`;
    case 'decimal':
      return `DECIMAL(${column.precision},${column.scale})`;
    case 'timestamp':
      return 'TIMESTAMP';
    case 'binary':
      return `VARCHAR(${column.length}) FOR BIT DATA`;
    case 'identity':
      break;
  }
  return 'BIGINT, given by the host';
}

function ownerOf(file: HostFile, name: string): string {
  if (name in file.key) return 'K';
  if (name in file.host) return 'H';
  return name in file.service ? 'S' : '';
}
