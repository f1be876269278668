import type { RouteKey } from '@tailgate/sync-protocol';
import type { Queryable } from '../../db/types.ts';
import type { HostFileName } from '../../host/files/tables.ts';
import * as sql from './import-sql.ts';
import type { Inheritance } from './mirror-route.ts';
import type { RouteImage } from './route-changes.ts';

/** A column of the host's whose value is impossible. */
export interface HostFault {
  readonly file: HostFileName;
  /** The key columns of the row. */
  readonly key: { readonly [column: string]: string };
  readonly column: string;
  readonly value: string;
}

/** An incident for each; one that was reported before is not reported again. @param route whose rows were read */
export async function reportFaults(db: Queryable, faults: readonly HostFault[], route?: RouteKey): Promise<void> {
  // Rows of a master file belong to each route that shows them: one incident for all of these.
  const isOfRoute = ({ file }: HostFault) => route !== undefined && file.startsWith('RT');
  const details = faults.map((fault) => (isOfRoute(fault) ? { route, ...fault } : fault));
  await reportOnce(db, 'host_value_impossible', details);
}

/** What the service's own columns say of a route that is new here, and the mirror cannot take over. */
export async function reportInherited(
  db: Queryable,
  route: RouteKey,
  { closing }: RouteImage,
  inheritance: Inheritance,
): Promise<void> {
  const stops = [...inheritance].filter(([, { unmapped }]) => unmapped.length > 0);
  const columns = closing.impossible.map((column) => `RTHDRP.${column}`);
  await reportOnce(db, 'host_edit_untold', [
    ...(columns.length > 0 ? [{ route, columns, rows: closing.found }] : []),
    ...stops.map(([stop, { unmapped, held }]) => ({ route, stop, columns: unmapped, rows: held.rows })),
  ]);
}

async function reportOnce(db: Queryable, kind: string, details: readonly object[]): Promise<void> {
  // What lists incidents reads details as jsonb, and PostgreSQL takes no NUL there: its picture (U+2400) is kept.
  const texts = new Set(details.map((each) => JSON.stringify(each).replaceAll(String.raw`\u0000`, '\u2400')));
  if (texts.size > 0) await db.query(sql.reportIncidentsOnce, [kind, [...texts]]);
}
