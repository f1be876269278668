import { allColumnsOf, type Column, type HostFile } from '../files/columns.ts';
import { plainMap, type LibraryMap } from '../files/library-map.ts';
import { hostFileNames, type HostFileName } from '../files/tables.ts';

/** The file-layout sheet for back-office programmers (docs/host-files.md), printed from the definitions. */
export function layoutSheet(map = plainMap): string {
  return `${[prefaceOf(map), ...hostFileNames.map((name) => sheetOf(map, name)), sizesOf(map)].join('\n\n')}\n`;
}

const prefaceOf = (map: LibraryMap): string => `# The host’s files

Printed by \`npm run host -- layout\` from the definitions that the statements, the checks and the DDL are made from;
a test compares it. Text is CHAR in CCSID ${map.ccsid}, blank where there is nothing; numbers are 0 where there is nothing;
dates are YYYYMMDD and times HHMMSS on the clock of the facility (of what belongs to none, such as a photo that no stop
waits for: on the clock that all facilities have, else in UTC). **H**: the column is the host’s, **S**: the service’s,
**K**: key. Each file ends with its audit tail (\`xxCUSR xxCPGM xxCDAT xxCTIM xxUUSR xxUPGM xxUDAT xxUTIM\`);
after it are columns that the host assigns with each change, for [programs that read](adopting.md#programs-that-read).
If no line of PODCHGP names the user of an edit, the service takes \`xxUUSR\` of the row that was changed.`;

/**
 * Rows of 10,000 stops: 14 stops a route with 20 lines each, a signature and a photo (20 and 250 kB) a stop. A stop is written
 * three times, and PODRPLP has a line for each, for each file, and for a replaced value in every tenth write.
 */
const rowsOfStops: Readonly<Partial<Record<HostFileName, number>>> = {
  RTHDRP: 715,
  RTDRVP: 715,
  RTSTPP: 10_000,
  RTSTUP: 10_000,
  RTEMLP: 1_000,
  RTPRDP: 200_000,
  RTPRUP: 200_000,
  RTIMGP: 10_000,
  RTCOLP: 5_000,
  RTOSDP: 2_000,
  INVHDP: 10_000,
  ASSHDP: 20_000,
  ASSCHP: 180_000,
  PODRPLP: 53_715,
  PODRCNP: 2_860,
};

/** 270 kB a stop are 18 chunks: the average length of one. */
const CHUNK_BYTES = 15_000;

function sizesOf(map: LibraryMap): string {
  const lines = hostFileNames.flatMap((name) => {
    const rows = rowsOfStops[name];
    if (rows === undefined) return [];
    const bytes = map
      .stored(Object.keys(allColumnsOf(map.file(name))))
      .reduce((sum, column) => sum + bytesOf(map.definition(column)), 0);
    const megabytes = ((rows * bytes) / 1e6).toFixed(1);
    return `| ${map.table(name)} | ${rows.toLocaleString('en-US')} | ${bytes} | ${megabytes} |`;
  });
  return [
    '## Sizes per 10,000 stops',
    `Data alone, without access paths and journal: 14 stops a route, 20 lines a stop, a signature of 20 kB and a photo of 250 kB a
stop. Each stop is written three times.`,
    ['| File | Rows | Bytes a row | MB |', '|---|---|---|---|', ...lines].join('\n'),
  ].join('\n\n');
}

/** Db2 packs two digits into a byte. */
function bytesOf(column: Column): number {
  switch (column.kind) {
    case 'char':
      return column.length;
    case 'decimal':
      return Math.floor(column.precision / 2) + 1;
    case 'timestamp':
    case 'changedAt':
      return 10;
    case 'binary':
      return CHUNK_BYTES;
    case 'identity':
    case 'changeNumber':
      break;
  }
  return 8;
}

function sheetOf(map: LibraryMap, name: HostFileName): string {
  const file = map.file(name);
  const all = allColumnsOf(file);
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
    case 'changedAt':
      return 'TIMESTAMP, given by the host';
    case 'binary':
      return `VARCHAR(${column.length}) FOR BIT DATA`;
    case 'identity':
    case 'changeNumber':
      break;
  }
  return 'BIGINT, given by the host';
}

function ownerOf(file: HostFile, name: string): string {
  if (name in file.key) return 'K';
  if (name in file.host) return 'H';
  return name in file.service ? 'S' : '';
}
