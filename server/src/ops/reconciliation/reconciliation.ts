import type { Db, Queryable } from '../../db/types.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import { isDifferent, type Count, type Counts } from '../../replication/to-host/counts/route-counts.ts';
import { csvLine } from '../csv.ts';
import { pageOf, routeAfter, type Page } from '../pages.ts';
import {
  reconciliationOperations,
  type ReconciliationItem,
  type ReconciliationQuery,
  type RowCount,
} from './contract.ts';
import * as sql from './reconciliation-sql.ts';

type CountRow = {
  readonly facility: string;
  readonly route_id: string;
  readonly week_end: string;
  readonly occasion: 'C' | 'D';
  readonly day: string;
  readonly counted_at: Date;
  readonly differs: boolean;
  readonly counts: string;
  readonly stops: string;
  readonly place: string;
  readonly position: string;
};

/** Counts of the host's rows, the newest first. */
async function listReconciliation(
  db: Queryable,
  { state, facility, route_id, day, limit, cursor }: ReconciliationQuery,
): Promise<Page<ReconciliationItem>> {
  const from = routeAfter(cursor) ?? [null, null, null, null];
  const filters = [state === 'differing', facility ?? null, route_id ?? null, day ?? null];
  const { rows } = await db.query<CountRow>(sql.listReconciliation, [...filters, ...from, limit + 1]);
  return pageOf(rows, limit, {
    item: itemOf,
    position: (row) => [row.position, row.facility, row.route_id, row.place],
  });
}

const CSV_ROWS = 10_000;

/** The same as CSV for a spreadsheet: a line each kind. */
export async function reconciliationCsv(
  db: Queryable,
  { facility, day, differing }: { readonly facility?: string; readonly day?: string; readonly differing: boolean },
): Promise<string> {
  const values = [differing, facility ?? null, null, day ?? null, null, null, null, null, CSV_ROWS];
  const { rows } = await db.query<CountRow>(sql.listReconciliation, values);
  const head = 'facility,route,week_end,occasion,day,counted_at,kind,accepted,on_host,parked,late,extra,differs,stops';
  const lines = rows.map(itemOf).flatMap((item) => kinds.map((kind) => lineOf(item, kind)));
  return [head, ...lines].join('\r\n');
}

const kinds = ['stops', 'lines', 'exceptions', 'photos'] as const;

function lineOf(item: ReconciliationItem, kind: (typeof kinds)[number]): string {
  const { facility, route_id, week_end, occasion, day, counted_at, differing_stops } = item;
  const { accepted, on_host, parked, late, extra, differs } = item[kind];
  const place = [facility, route_id ?? '', week_end ?? '', occasion, day, counted_at, kind];
  const figures = [accepted, on_host, parked, late, extra, differs ? 'Y' : 'N', differing_stops.join(' ')];
  return csvLine([...place, ...figures].map(String));
}

function itemOf({ route_id, week_end, occasion, counted_at, counts, stops, ...row }: CountRow): ReconciliationItem {
  const { S, L, E, P } = readCounts(counts);
  return {
    facility: row.facility,
    route_id: route_id || null,
    week_end: week_end || null,
    occasion: occasion === 'C' ? 'close' : 'day',
    day: row.day,
    counted_at: counted_at.toISOString(),
    differs: row.differs,
    stops: countOf(S),
    lines: countOf(L),
    exceptions: countOf(E),
    photos: countOf(P),
    differing_stops: stops === '' ? [] : stops.split(',').map(Number),
  };
}

const readCounts: (text: string) => Counts = JSON.parse;

const countOf = (count: Count): RowCount => ({
  accepted: count.accepted,
  on_host: count.onHost,
  parked: count.parked,
  late: count.late,
  extra: count.extra,
  differs: isDifferent(count),
});

/** Operators: the rows of the host, counted. */
export function reconciliationEndpoints(db: Db) {
  return {
    listReconciliation: endpoint(reconciliationOperations.listReconciliation, ({ query }) =>
      listReconciliation(db, query),
    ),
  };
}
