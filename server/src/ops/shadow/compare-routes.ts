import type { RouteKey } from '@tailgate/sync-protocol';
import type { Queryable } from '../../db/types.ts';
import type { LibraryMap } from '../../host/files/library-map.ts';
import { hostMoment } from '../../host/files/local-time.ts';
import { rowFit } from '../../replication/to-host/row-fit.ts';
import { decodeHeader, decodeStop } from '../../replication/to-host/shadow.ts';
import { headerRow } from '../../routes/host-rows.ts';
import { hostRows } from '../../stops/host-rows.ts';
import type { RowFit } from '../../stops/host-stop.ts';
import { readResult } from '../../stops/stored-documents.ts';
import { compareSides, type Comparison } from './compare-sides.ts';
import type { Excuses } from './excuses.ts';
import * as sql from './shadow-sql.ts';

/** Each or none: routes of a facility, of the day of their dispatch (YYYYMMDD), of a name, of a week. */
export interface ShadowScope {
  readonly facility?: string | undefined;
  readonly day?: string | undefined;
  readonly route?: string | undefined;
  readonly week?: string | undefined;
}

/** Differences that do not count; routes of one read. */
export interface ComparisonRules {
  /** SHADOW_RULES */
  readonly excuses: Excuses;
  /** LEGACY_MAP; by default our own names. */
  readonly map?: LibraryMap | undefined;
  readonly routesAPage?: number | undefined;
}

interface Rules {
  readonly excuses: Excuses;
  readonly fit: RowFit;
}

/** A stop, or the route's own row (`stop` undefined), of both systems. */
export interface ComparedStop extends Comparison {
  readonly route: RouteKey;
  readonly stop: number | undefined;
}

interface RouteRow extends RouteKey {
  readonly status: 'O' | 'C';
  readonly arrived: boolean;
  readonly closed_at: Date | null;
  readonly closed_by: 'D' | 'A' | 'F' | null;
  readonly late: number;
  readonly zone: string;
  readonly header: string | null;
}
interface StopRow {
  readonly stop_id: number;
  readonly doc: string;
  readonly shadow: string | null;
}

const ROUTES_A_PAGE = 500;

/**
 * Compares what the service would write with what another system has written, of routes in shadow: the mirror has both, as of
 * the last poll of the host. The service's side has the form of the library: texts at its lengths, blanks in columns that it
 * lacks. A stop without a record on either side agrees.
 */
export async function* compareRoutes(
  db: Queryable,
  { facility, day, route, week }: ShadowScope,
  { excuses, map, routesAPage = ROUTES_A_PAGE }: ComparisonRules,
): AsyncGenerator<ComparedStop> {
  const rules = { excuses, fit: rowFit(map) };
  const scope = [facility ?? null, day ?? null, route ?? null, week ?? null, routesAPage];
  let last: RouteKey | undefined;
  do {
    const place = [last?.week_end ?? null, last?.facility ?? null, last?.id ?? null];
    const { rows } = await db.query<RouteRow & Row>(sql.listShadowRoutes, [...scope, ...place]);
    last = undefined;
    for (const row of rows) {
      const key: RouteKey = { facility: row.facility, id: row.id, week_end: row.week_end };
      yield { route: key, stop: undefined, ...compareHeader(key, row, rules) };
      const stops = await db.query<StopRow & Row>(sql.listShadowStops, [key.facility, key.id, key.week_end]);
      for (const stop of stops.rows)
        yield { route: key, stop: stop.stop_id, ...compareStop(key, stop, row.zone, rules) };
      last = key;
    }
  } while (last);
}

type Row = Record<string, unknown>;

function compareHeader(key: RouteKey, route: RouteRow, { excuses, fit }: Rules): Comparison {
  const { status, arrived, late, closed_at: closedAt, closed_by: closedBy, zone } = route;
  const moment = (instant: Date) => hostMoment(instant, zone);
  const ours = headerRow({ key, status, arrived, closedAt, closedBy, open: 0, late, moment });
  const theirs = route.header === null ? undefined : decodeHeader(route.header, key);
  const open = headerRow({
    key,
    status: 'O',
    arrived: false,
    closedAt: null,
    closedBy: null,
    open: 0,
    late: 0,
    moment,
  });
  return compareSides({ RTHDRP: [fit('RTHDRP', ours)] }, { RTHDRP: [theirs ?? open] }, excuses);
}

function compareStop(
  key: RouteKey,
  { stop_id: stop, doc, shadow }: StopRow,
  zone: string,
  { excuses, fit }: Rules,
): Comparison {
  const moment = (instant: Date) => hostMoment(instant, zone);
  const ours = hostRows({ key, stop, result: readResult(doc), sequence: '0', moment, fit });
  const theirs = shadow === null ? undefined : decodeStop(shadow, key, stop).rows;
  // The row of the plan is on the host in any case.
  const planned = hostRows({ key, stop, result: { status: 'P' }, sequence: '0', moment });
  return compareSides(ours, theirs ?? { RTSTPP: planned.RTSTPP }, excuses);
}
