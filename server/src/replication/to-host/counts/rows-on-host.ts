import type { RouteKey } from '@tailgate/sync-protocol';
import { inParts } from '../../../host/files/in-parts.ts';
import { readCommitted } from '../../../host/files/dialect.ts';
import { placeholders, selectColumns } from '../../../host/files/statements.ts';
import { onFile, type Host, type HostRow } from '../../../host/host.ts';
import { routeValues } from '../shadow.ts';
import type { CountedRow } from './route-counts.ts';

/** Values of one IN list. */
const IDS_A_STATEMENT = 500;

/** The rows of a route that the host has now, and those of these files that it has with all of their chunks. @throws HostError */
export async function rowsOnHost(host: Host, key: RouteKey, files: readonly string[]): Promise<CountedRow[]> {
  const route = routeValues(key);
  const [stops, lines, exceptions] = await Promise.all([
    onFile('RTSTUP', host.query(selectColumns(host, 'RTSTUP', ['RUSTP'], ['RUFAC', 'RURTE', 'RUWKE']), route)),
    onFile(
      'RTPRUP',
      host.query(
        selectColumns(host, 'RTPRUP', ['RQSTP', 'RQINV', 'RQITM', 'RQLIN', 'RQTYP'], ['RQFAC', 'RQRTE', 'RQWKE']),
        route,
      ),
    ),
    onFile(
      'RTOSDP',
      host.query(
        selectColumns(host, 'RTOSDP', ['OSSTP', 'OSTYP', 'OSSEQ', 'OSDELF'], ['OSFAC', 'OSRTE', 'OSWKE']),
        route,
      ),
    ),
  ]);
  const isLive = ({ OSDELF }: HostRow): boolean => String(OSDELF).toUpperCase() !== 'Y';
  return [
    ...stops.map((row) => counted('S', row, ['RUSTP'])),
    ...lines.map((row) => counted('L', row, ['RQSTP', 'RQINV', 'RQITM', 'RQLIN', 'RQTYP'])),
    ...exceptions.filter(isLive).map((row) => counted('E', row, ['OSSTP', 'OSTYP', 'OSSEQ'])),
    ...(await wholeFiles(host, files)).map((id) => ({ kind: 'P', key: id, stop: 0 }) as const),
  ];
}

/** Headers that say ready, and whose chunks are all there. */
async function wholeFiles(host: Host, ids: readonly string[]): Promise<string[]> {
  const whole: string[] = [];
  for (const part of inParts(ids, IDS_A_STATEMENT)) {
    const list = placeholders(part.length);
    const { dialect, library } = host;
    const ready = `select AHID, AHCHKN from ${library}.ASSHDP where AHID in ${list} and AHSTS = 'R'`;
    const chunks = `select ACID, count(*) as ROWCNT from ${library}.ASSCHP where ACID in ${list} group by ACID`;
    const [headers, counts] = await Promise.all([
      onFile('ASSHDP', host.query(readCommitted(dialect, ready), part)),
      onFile('ASSCHP', host.query(readCommitted(dialect, chunks), part)),
    ]);
    const found = new Map(counts.map(({ ACID, ROWCNT }) => [String(ACID), Number(ROWCNT)]));
    for (const { AHID, AHCHKN } of headers)
      if ((found.get(String(AHID)) ?? 0) === Number(AHCHKN)) whole.push(String(AHID));
  }
  return whole;
}

/** @param columns the stop's first */
function counted(kind: CountedRow['kind'], row: HostRow, columns: readonly string[]): CountedRow {
  const values = columns.map((column) => String(row[column]));
  return { kind, key: values.join('\t'), stop: Number(values[0]) };
}
