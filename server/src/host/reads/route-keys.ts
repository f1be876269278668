import { readCommitted } from '../files/dialect.ts';
import { inParts } from '../files/in-parts.ts';
import { namesOn } from '../files/library-map.ts';
import { placeholders, selectColumns, selectWritten } from '../files/statements.ts';
import { onFile, type Host, type HostRow } from '../host.ts';
import type { HostRouteKey } from './reads.ts';

/** A stop (RTSTUP), a line (RTPRUP), an exception (RTOSDP), or a photo or signature (ASSHDP with all of its chunks). */
export type RowKind = 'S' | 'L' | 'E' | 'P';

/** A row by its key on the host, without the route. A photo belongs to no stop: its key is its id. */
export interface RowOnHost {
  readonly kind: RowKind;
  readonly key: string;
  readonly stop: number;
}

/** Values of one IN list. */
const IDS_A_STATEMENT = 500;

/** The rows of a route that the host has now, and those of these files that it has with all of their chunks. @throws HostError */
export async function rowsOnHost(host: Host, key: HostRouteKey, files: readonly string[]): Promise<RowOnHost[]> {
  const route = [key.facility, key.id, key.week_end];
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

/** Of these files those whose header says ready, and whose chunks are all there. @throws HostError */
export async function wholeFiles(host: Host, ids: readonly string[]): Promise<string[]> {
  const whole: string[] = [];
  for (const part of inParts(ids, IDS_A_STATEMENT)) {
    const list = placeholders(part.length);
    const { dialect } = host;
    const { table, column, selected, literal } = namesOn(host);
    const isReady = `${column('AHSTS')} = ${literal('AHSTS', 'R')}`;
    const ready = `select ${selected('AHID')}, ${selected('AHCHKN')} from ${table('ASSHDP')} where ${column('AHID')} in ${list} and ${isReady}`;
    const chunks = `select ${selected('ACID')}, count(*) as ROWCNT from ${table('ASSCHP')} where ${column('ACID')} in ${list} group by ${column('ACID')}`;
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

/** When each row of a stop was last written, from the audit tails. @throws HostError */
export async function lastWrites(
  host: Host,
  { facility, id, week_end }: HostRouteKey,
  stop: number,
): Promise<{ date: string; time: string }[]> {
  const place = [facility, id, week_end, String(stop)];
  const texts = [
    selectWritten(host, 'RTSTPP', ['RSFAC', 'RSRTE', 'RSWKE', 'RSSTP']).sql,
    selectWritten(host, 'RTPRUP', ['RQFAC', 'RQRTE', 'RQWKE', 'RQSTP']).sql,
    selectWritten(host, 'RTOSDP', ['OSFAC', 'OSRTE', 'OSWKE', 'OSSTP']).sql,
    selectWritten(host, 'RTIMGP', ['RIFAC', 'RIRTE', 'RIWKE', 'RISTP']).sql,
    selectWritten(host, 'RTEMLP', ['REFAC', 'RERTE', 'REWKE', 'RESTP']).sql,
    selectWritten(host, 'RTSTUP', ['RUFAC', 'RURTE', 'RUWKE', 'RUSTP']).sql,
  ];
  const rows = (await Promise.all(texts.map((text) => host.query(text, place)))).flat();
  return rows.map(({ WDAT, WTIM }) => ({ date: String(WDAT), time: String(WTIM) }));
}

/** @param columns the stop's first */
function counted(kind: RowKind, row: HostRow, columns: readonly string[]): RowOnHost {
  const values = columns.map((column) => String(row[column]));
  return { kind, key: values.join('\t'), stop: Number(values[0]) };
}
