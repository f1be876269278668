import { readCommitted } from '../files/dialect.ts';
import { namesOn } from '../files/library-map.ts';
import type { Host, HostRow } from '../host.ts';
import type { ImportedWeeks } from './imported-weeks.ts';
import { routeKeyOf, type HostRouteKey } from './reads.ts';

/** A route that the import takes, by its header on the host. */
export interface LoadableRoute {
  readonly key: HostRouteKey;
  readonly isClosed: boolean;
  readonly isDispatched: boolean;
  readonly hasDriver: boolean;
  readonly hasStops: boolean;
}

/** The headers of the host, as the import sees them. */
export interface LoadableRoutes {
  readonly routes: readonly LoadableRoute[];
  /** Headers of weeks before the first imported one, open or closed. */
  readonly older: number;
  /** Closed routes of imported weeks that count as history. */
  readonly history: number;
}

/** Reads which routes an import takes, and counts those that it leaves. @throws HostError */
export async function readLoadableRoutes(host: Host, weeks: ImportedWeeks): Promise<LoadableRoutes> {
  const { dialect } = host;
  const { table, column, of, literal } = namesOn(host);
  const { openFrom, closedFrom } = weeks;
  const ask = (select: string, values: string[]) => host.query(readCommitted(dialect, select), values);
  const exists = (file: 'RTDRVP' | 'RTSTPP', prefix: string) => {
    const isOfRoute = ['FAC', 'RTE', 'WKE'].map((part) => `${of('P', `${prefix}${part}`)} = ${of('H', `RH${part}`)}`);
    return `exists (select 1 from ${table(file)} as P where ${isOfRoute.join(' and ')})`;
  };
  const closed = literal('RHPODS', 'C');
  const [week, status] = [column('RHWKE'), column('RHPODS')];
  const headers = await ask(
    `select ${column('RHFAC')} as FAC, ${column('RHRTE')} as RTE, ${week} as WKE, ${column('RHDSDT')} as DSDT,
            case when ${status} = ${closed} then 'Y' else 'N' end as CLOSED,
            case when ${exists('RTDRVP', 'RD')} then 'Y' else 'N' end as DRIVEN,
            case when ${exists('RTSTPP', 'RS')} then 'Y' else 'N' end as STOPPED
       from ${table('RTHDRP')} as H where ${week} >= ? and (${status} <> ${closed} or ${week} >= ?) order by 1, 3, 2`,
    [openFrom, closedFrom],
  );
  const [older] = await ask(`select count(*) as ROWCNT from ${table('RTHDRP')} where ${week} < ?`, [openFrom]);
  const [history] = await ask(
    `select count(*) as ROWCNT from ${table('RTHDRP')} where ${week} >= ? and ${status} = ${closed} and ${week} < ?`,
    [openFrom, closedFrom],
  );
  return { routes: headers.map(loadable), older: countIn(older), history: countIn(history) };
}

function loadable(row: HostRow): LoadableRoute {
  return {
    key: routeKeyOf(row),
    isClosed: row['CLOSED'] === 'Y',
    isDispatched: Number(row['DSDT']) > 0,
    hasDriver: row['DRIVEN'] === 'Y',
    hasStops: row['STOPPED'] === 'Y',
  };
}

const countIn = (row: HostRow | undefined): number => Number(row?.['ROWCNT'] ?? 0);
