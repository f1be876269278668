import { hostText, routeScope, type RouteKey } from '@tailgate/sync-protocol';
import type { Queryable } from '../../db/types.ts';
import { LibraryMap, type Place } from '../../host/files/library-map.ts';
import { comparisonDdl } from '../../host/files/standin-schema.ts';
import { deleteAbove, putRows, selectColumns } from '../../host/files/statements.ts';
import { hostFiles, type HostRecord } from '../../host/files/tables.ts';
import type { Host } from '../../host/host.ts';
import { cachedByCount, namesOf, putAll, stampAt, writeOwn } from '../../replication/to-host/host-writes.ts';
import { compareRoutes, type ComparisonRules, type ShadowScope } from './compare-routes.ts';
import type { Difference, DifferenceKind } from './compare-sides.ts';

export interface ComparisonTable {
  readonly db: Queryable;
  readonly host: Host;
  /** SHADOW_LIBRARY */
  readonly library: string;
  readonly clock: () => Date;
}

interface ComparedRoute {
  readonly key: RouteKey;
  readonly differences: (Difference & { readonly stop: number | undefined })[];
}

type Row = HostRecord<'PODSHDP'>;

const routeColumns = ['SHFAC', 'SHRTE', 'SHWKE'] as const;

/** The statements for PODSHDP; `put` by the number of its rows, `routes` by a number of a row. */
export function comparisonStatements(place: Place) {
  return {
    put: cachedByCount((count) => putRows(place, 'PODSHDP', namesOf(hostFiles.PODSHDP.service), count)),
    drop: deleteAbove(place, 'PODSHDP', routeColumns, 'SHSEQ'),
    routes: selectColumns(place, 'PODSHDP', routeColumns, ['SHSEQ']),
  };
}

/**
 * Puts the comparison into PODSHDP in a library of the service, a transaction a route: its differences, and a row 0 that has
 * their number. Former rows of the route go. Without a scope, routes that are compared no more go, too. No other file of the host
 * is written.
 *
 * @returns the number of routes, and of their differences. @throws HostError
 */
export async function writeComparison(
  { db, host, library, clock }: ComparisonTable,
  scope: ShadowScope,
  rules: ComparisonRules,
): Promise<{ readonly routes: number; readonly differences: number }> {
  const place: Place = { dialect: host.dialect, library, map: new LibraryMap({}, host.map.ccsid) };
  // The stand-in's libraries have no DBA.
  if (host.dialect === 'postgres')
    await host.transaction(async (tx) => {
      for (const sql of comparisonDdl(library)) await tx.execute(sql);
    });
  const { put, drop, routes } = comparisonStatements(place);
  const dropRows = (key: RouteKey, above: number) => ({
    file: 'PODSHDP' as const,
    sql: drop,
    values: [key.facility, key.id, key.week_end, String(above)],
    rows: 'any' as const,
  });
  const compared = new Set<string>();
  let differences = 0;
  for await (const route of byRoute(db, scope, rules)) {
    compared.add(routeScope(route.key));
    differences += route.differences.length;
    const rows = rowsOf(route);
    const stamp = stampAt(clock(), 'UTC');
    await writeOwn(host, [...putAll('PODSHDP', put, rows, stamp), dropRows(route.key, rows.length - 1)]);
  }
  if (Object.values(scope).every((part) => part === undefined)) {
    const kept = await host.query(routes, ['0']);
    const keys = kept.map(({ SHFAC, SHRTE, SHWKE }) => ({
      facility: String(SHFAC),
      id: String(SHRTE),
      week_end: String(SHWKE),
    }));
    const former = keys.filter((key) => !compared.has(routeScope(key)));
    if (former.length > 0)
      await writeOwn(
        host,
        former.map((key) => dropRows(key, -1)),
      );
  }
  return { routes: compared.size, differences };
}

async function* byRoute(db: Queryable, scope: ShadowScope, rules: ComparisonRules): AsyncGenerator<ComparedRoute> {
  let present: ComparedRoute | undefined;
  for await (const { route, stop, differences } of compareRoutes(db, scope, rules)) {
    if (stop === undefined) {
      if (present) yield present;
      present = { key: route, differences: [] };
    }
    present?.differences.push(...differences.map((difference) => ({ ...difference, stop })));
  }
  if (present) yield present;
}

const verdicts: { readonly [kind in DifferenceKind]: string } = {
  different: 'D',
  'missing there': 'T',
  'missing here': 'H',
};

function rowsOf({ key, differences }: ComparedRoute): Row[] {
  const row = (sequence: number, columns: Partial<Row>): Row => ({
    SHFAC: key.facility,
    SHRTE: key.id,
    SHWKE: `${Number(key.week_end)}`,
    SHSEQ: `${sequence}`,
    SHSTP: '-1',
    SHVER: '',
    SHCNT: '0',
    SHFIL: '',
    SHCOL: '',
    SHROW: '',
    SHOUR: '',
    SHTHR: '',
    ...columns,
  });
  return [
    row(0, { SHVER: differences.length === 0 ? 'S' : 'D', SHCNT: `${differences.length}` }),
    ...differences.map(({ kind, file, column, row: name, ours, theirs, stop = -1 }, index) =>
      row(index + 1, {
        SHSTP: `${stop}`,
        SHVER: verdicts[kind],
        SHFIL: file,
        SHCOL: column,
        SHROW: hostText(name, 60).text,
        SHOUR: hostText(ours, 256).text,
        SHTHR: hostText(theirs, 256).text,
      }),
    ),
  ];
}
