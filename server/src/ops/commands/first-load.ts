import { routeKey, routeScope, type RouteKey } from '@tailgate/sync-protocol';
import { sqlStateOf } from '../../db/sqlstate.ts';
import type { Queryable } from '../../db/types.ts';
import type { Host } from '../../host/host.ts';
import { importedWeeks, type ImportedWeeks } from '../../host/reads/imported-weeks.ts';
import { readLoadableRoutes, type LoadableRoute, type LoadableRoutes } from '../../host/reads/loadable-routes.ts';
import { takesRoute, type CellFacilities } from '../../modes/cell-facilities.ts';
import type { LegacyModes } from '../../modes/host-mode.ts';
import { modeOf } from '../../modes/modes.ts';
import { loadedRoutes } from '../../replication/from-host/import-sql.ts';

// `npm run ops -- first-load`: what an import from the host would take, before it runs and while it does.

/** The headers of the host by their fate. Each counts once. */
interface FirstLoad {
  /** Routes that would come. */
  readonly coming: readonly LoadableRoute[];
  /** Routes that the mirror has already. */
  readonly loaded: number;
  /** Their key fits no route: a blank facility or route, a week that is no day. */
  readonly unusable: number;
  /** Routes of facilities that are off. */
  readonly off: number;
  /** Routes that another cell takes. */
  readonly ofOtherCells: number;
  readonly older: number;
  readonly history: number;
}

interface FirstLoadDeps {
  readonly db: Queryable;
  readonly host: Host;
  /** LEGACY_MODE */
  readonly modes: LegacyModes;
  /** FACILITIES */
  readonly facilities?: CellFacilities | undefined;
  readonly now: Date;
}

/** Compares the host with the mirror, and changes nothing. @throws HostError where the host is away */
export async function readFirstLoad(
  { db, host, modes, facilities, now }: FirstLoadDeps,
  importFrom: string | undefined,
): Promise<string> {
  const weeks = importedWeeks(now, importFrom);
  const found = await readLoadableRoutes(host, weeks);
  return describeFirstLoad(sortFirstLoad(found, await readLoaded(db), { modes, facilities }), weeks);
}

/** The routes of the mirror. Before the first start of a server the database has no tables. */
async function readLoaded(db: Queryable): Promise<ReadonlySet<string>> {
  try {
    const { rows } = await db.query<RouteKey & Record<string, unknown>>(loadedRoutes);
    return new Set(rows.map(routeScope));
  } catch (error) {
    if (sqlStateOf(error) !== UNDEFINED_TABLE) throw error;
    return new Set();
  }
}

const UNDEFINED_TABLE = '42P01';

function sortFirstLoad(
  { routes, older, history }: LoadableRoutes,
  known: ReadonlySet<string>,
  { modes, facilities }: Pick<FirstLoadDeps, 'modes' | 'facilities'>,
): FirstLoad {
  const usable = routes.filter(({ key }) => isUsable(key));
  const here = usable.filter(({ key }) => takesRoute(facilities, key) || known.has(routeScope(key)));
  const on = here.filter(({ key }) => modeOf(modes, key.facility) !== 'off');
  const coming = on.filter(({ key }) => !known.has(routeScope(key)));
  return {
    coming,
    loaded: on.length - coming.length,
    unusable: routes.length - usable.length,
    off: here.length - on.length,
    ofOtherCells: usable.length - here.length,
    older,
    history,
  };
}

const isUsable = (key: LoadableRoute['key']): boolean =>
  routeKey.safeParse(key).success && key.facility !== '' && key.id !== '';

function describeFirstLoad(load: FirstLoad, { openFrom, closedFrom }: ImportedWeeks): string {
  const { coming, loaded, unusable, off, ofOtherCells, older, history } = load;
  const count = (is: (route: LoadableRoute) => boolean) => coming.filter(is).length;
  const byFacility = Map.groupBy(coming, ({ key }) => key.facility);
  return [
    `${coming.length} routes would come: ${count((route) => !route.isClosed)} open, ${count((route) => route.isClosed)} closed. ${loaded} are loaded already.`,
    ...[...byFacility].map(([facility, { length }]) => `  ${facility.padEnd(5)} ${length}`),
    `Of those that would come: ${count((route) => !route.hasDriver)} without a driver, ${count((route) => !route.hasStops)} without a stop, ${count((route) => !route.isDispatched)} not dispatched yet (no phone sees them).`,
    `${older} are older than week ${openFrom} (IMPORT_FROM) and stay out.`,
    `${history} are closed (RHPODS = C) and older than week ${closedFrom}: history, and stay out.`,
    ...(off > 0 ? [`${off} belong to facilities that are off (LEGACY_MODE), and stay out.`] : []),
    ...(ofOtherCells > 0 ? [`${ofOtherCells} belong to other cells (FACILITIES), and stay out.`] : []),
    ...(unusable > 0 ? [`${unusable} have a key that no route can have, and stay out.`] : []),
  ].join('\n');
}
