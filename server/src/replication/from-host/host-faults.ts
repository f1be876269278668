import { routeScope, type RouteKey } from '@tailgate/sync-protocol';
import { isDataError } from '../../db/sqlstate.ts';
import type { Queryable } from '../../db/types.ts';
import type { HostFileName } from '../../host/files/tables.ts';
import { HostError, isSystemErrorFinal, needsSetup } from '../../host/host.ts';
import { reportOnce as reportWhileOpen } from '../../incidents/sql.ts';
import type { Log } from '../../runtime/log.ts';
import * as sql from './import-sql.ts';
import type { Inheritance } from './mirror-route.ts';
import type { RouteImage } from './route-changes.ts';

/** A host column with an impossible value. */
export interface HostFault {
  readonly file: HostFileName;
  /** The key columns of the row. */
  readonly key: { readonly [column: string]: string };
  readonly column: string;
  readonly value: string;
}

/** Reports one incident for each fault, once. @param route the route whose rows contain the faults */
export async function reportFaults(db: Queryable, faults: readonly HostFault[], route?: RouteKey): Promise<void> {
  // A row of a master file belongs to every route that shows it: one incident covers all of them.
  const isOfRoute = ({ file }: HostFault) => route !== undefined && file.startsWith('RT');
  const details = faults.map((fault) => (isOfRoute(fault) ? { route, ...fault } : fault));
  await reportOnce(db, 'host_value_impossible', details);
}

/** Service-owned columns of a new route that the mirror cannot take over. */
export async function reportUnmappedColumns(
  db: Queryable,
  route: RouteKey,
  { closing }: RouteImage,
  inheritance: Inheritance,
): Promise<void> {
  const stops = [...inheritance].filter(([, { unmapped }]) => unmapped.length > 0);
  const columns = closing.impossible.map((column) => `RTHDRP.${column}`);
  await reportOnce(db, 'host_edit_untold', [
    ...(columns.length > 0 ? [{ route, columns, rows: closing.columns }] : []),
    ...stops.map(([stop, { unmapped, hostStop }]) => ({ route, stop, columns: unmapped, rows: hostStop.rows })),
  ]);
}

async function reportOnce(db: Queryable, kind: string, details: readonly object[]): Promise<void> {
  // Lists of incidents read the details as jsonb, which has no NUL: the symbol U+2400 replaces it.
  const texts = new Set(details.map((each) => JSON.stringify(each).replaceAll(String.raw`\u0000`, '\u2400')));
  if (texts.size > 0) await db.query(sql.reportIncidentsOnce, [kind, [...texts]]);
}

/**
 * A fault of one route alone. `faulty`: another attempt would fail in the same way. `internal`: an internal error of the
 * host, after which another attempt may succeed. `unreadable`: a file of the host is missing, or may not be read; the route
 * waits for a person.
 */
export type RouteFault =
  { readonly kind: 'faulty' | 'internal' } | { readonly kind: 'unreadable'; readonly error: HostError };

/** Reports what holds up one route, so that the others continue. */
export class RouteFaults {
  readonly #options: { readonly db: Queryable; readonly log: Log };
  /** Internal errors of the host, one behind the other, by the scopes of routes. */
  readonly #internal = new Map<string, number>();

  constructor(options: { readonly db: Queryable; readonly log: Log }) {
    this.#options = options;
  }

  /** An attempt has succeeded. */
  forget(route: RouteKey): void {
    this.#internal.delete(routeScope(route));
  }

  /** @throws Error the same one, where it is no fault of this route: a database or a host that is away */
  async report(route: RouteKey, error: unknown): Promise<RouteFault> {
    const { db, log } = this.#options;
    const scope = routeScope(route);
    if (error instanceof HostError && error.file && needsSetup(error)) {
      const { file, sqlstate, message } = error;
      const reason = `${sqlstate} ${message}`;
      log.warn({ file, reason, route: scope }, 'a file of the host cannot be read: the route waits for it');
      await db.query(reportWhileOpen, ['host_file_paused', JSON.stringify({ file, reason })]);
      return { kind: 'unreadable', error };
    }
    if (!isDataFault(error)) throw error;
    if (error instanceof HostError && error.kind === 'system' && this.#maySucceedLater(scope)) {
      log.warn({ err: error, route: scope }, 'the host met an internal error with a route: it is tried again');
      return { kind: 'internal' };
    }
    log.error({ err: error, route: scope }, 'a route of the host cannot be imported as it is');
    await db.query(reportWhileOpen, ['route_import_failed', JSON.stringify({ route, reason: error.message })]);
    return { kind: 'faulty' };
  }

  /** Without a limit, a defect of the host for one route would hold it up for ever, unseen (decision 153). */
  #maySucceedLater(scope: string): boolean {
    const failures = this.#internal.get(scope) ?? 0;
    this.#internal.set(scope, failures + 1);
    return !isSystemErrorFinal(failures);
  }
}

/** Unreadable or unstorable data, as opposed to a database or a host that is away. */
function isDataFault(error: unknown): error is Error {
  // An internal error for one route must not hold up the others either.
  if (error instanceof HostError) return error.kind === 'poison' || error.kind === 'system';
  return isDataError(error) || error instanceof TypeError || error instanceof RangeError;
}
