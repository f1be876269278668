import { routeKey, routeScope, type RouteKey } from '@tailgate/sync-protocol';
import type { Queryable } from '../../db/types.ts';
import type { ImportedWeeks } from '../../host/reads/imported-weeks.ts';
import type { LoadableRoute, LoadableRoutes } from '../../host/reads/loadable-routes.ts';
import { takesRoute, type CellFacilities } from '../../modes/cell-facilities.ts';
import type { LegacyModes } from '../../modes/host-mode.ts';
import { modeOf } from '../../modes/modes.ts';
import { loadedRoutes } from './import-sql.ts';

/** The headers of the host by their fate. Each counts once. */
export interface FirstLoad {
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

export interface LoadRules {
  /** LEGACY_MODE */
  readonly modes: LegacyModes;
  /** FACILITIES */
  readonly facilities?: CellFacilities | undefined;
}

/** @param known scopes of the routes of the mirror */
export function sortFirstLoad(
  { routes, older, history }: LoadableRoutes,
  known: ReadonlySet<string>,
  { modes, facilities }: LoadRules,
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

/** The scopes of all routes of the mirror. */
export async function readLoaded(db: Queryable): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<RouteKey & Record<string, unknown>>(loadedRoutes);
  return new Set(rows.map(routeScope));
}

/** The counts of a load, as the office reads them. */
export interface LoadCounts {
  /** Routes to load in all: those that the mirror had at the start of the load, and those that come. */
  readonly routes: number;
  readonly withoutDriver: number;
  readonly withoutStops: number;
  readonly notDispatched: number;
  readonly older: number;
  readonly history: number;
  readonly off: number;
  readonly ofOtherCells: number;
  readonly unusable: number;
  /** The first week of open routes, and that of closed ones (YYYYMMDD). */
  readonly openFrom: string;
  readonly closedFrom: string;
}

export function countsOf(load: FirstLoad, { openFrom, closedFrom }: ImportedWeeks): LoadCounts {
  const { coming, loaded, older, history, off, ofOtherCells, unusable } = load;
  const count = (is: (route: LoadableRoute) => boolean) => coming.filter(is).length;
  return {
    routes: loaded + coming.length,
    withoutDriver: count((route) => !route.hasDriver),
    withoutStops: count((route) => !route.hasStops),
    notDispatched: count((route) => !route.isDispatched),
    ...{ older, history, off, ofOtherCells, unusable, openFrom, closedFrom },
  };
}
