import { routeKey, routeScope, type RouteKey } from '@tailgate/sync-protocol';
import { rowName, type Hand, type StopEditor } from '../out/edit-turns.ts';
import type { Ring } from '../../host/reads/changes.ts';
import { hostFiles, type HostFileName } from '../../host/files/tables.ts';

/**
 * Who touched something last, and how many milliseconds ago. Of a stop: `isLaid`, its row in RTSTPP is a new one; `rows`,
 * each of its rows that was touched.
 */
export type Touch = { user: string; age: number; isLaid?: boolean; rows?: Map<string, Touch> };

/** What the doorbell says of one route. */
export type RungRoute = {
  key: RouteKey;
  sequences: string[];
  /** Milliseconds since the last and since the first line. */
  youngest: number;
  oldest: number;
  /** Lines that say that its header was deleted: it has been withdrawn, or loaded again under the same key. */
  headerDeletions: string[];
  /** Where service-owned columns may have been changed by somebody else. */
  header: Touch | undefined;
  stops: Map<number, Touch>;
};

/** Lines that tell of master data: keys by file, and the lines' numbers. */
export type RungMasters = { keys: Map<HostFileName, Ring['key'][]>; sequences: string[] };

const routeFiles: readonly HostFileName[] = [
  'RTHDRP',
  'RTDRVP',
  'RTSTPP',
  'RTSTUP',
  'RTEMLP',
  'RTPRDP',
  'RTPRUP',
  'RTIMGP',
  'RTCOLP',
  'RTOSDP',
];

/**
 * Sorts the lines of the doorbell by what they are about. A key that names no possible route is a master's line without
 * effect.
 */
export function sortRings(rings: readonly Ring[]): { routes: Map<string, RungRoute>; masters: RungMasters } {
  const routes = new Map<string, RungRoute>();
  const masters: RungMasters = { keys: new Map(), sequences: [] };
  for (const ring of rings) {
    const key = routeFiles.includes(ring.file) ? routeOf(ring) : undefined;
    if (key === undefined) {
      masters.sequences.push(ring.sequence);
      const keys = masters.keys.get(ring.file) ?? [];
      keys.push(ring.key);
      masters.keys.set(ring.file, keys);
      continue;
    }
    const scope = routeScope(key);
    const route = routes.get(scope) ?? quietRoute(key);
    routes.set(scope, route);
    note(route, ring);
  }
  return { routes, masters };
}

/** A route of which the doorbell says nothing. */
export function quietRoute(key: RouteKey): RungRoute {
  return {
    key,
    sequences: [],
    youngest: Number.POSITIVE_INFINITY,
    oldest: 0,
    headerDeletions: [],
    header: undefined,
    stops: new Map(),
  };
}

/** Who it was, blank where no line says so, and when by our clock; what nothing has told of is found now. */
export function editorOf(touch: Touch = { user: '', age: 0 }, now: Date): StopEditor {
  const handOf = ({ user, age }: Touch): Hand => ({ user, at: new Date(now.getTime() - age) });
  const { isLaid = false, rows = [] } = touch;
  return { ...handOf(touch), isLaid, rows: new Map([...rows].map(([name, each]) => [name, handOf(each)])) };
}

/** Lines come oldest first: the last touch is the one that stays. */
function note(route: RungRoute, ring: Ring): void {
  const { sequence, file, operation, key, user, age, waiting = age } = ring;
  route.sequences.push(sequence);
  if (!ring.isSettled) {
    route.youngest = Math.min(route.youngest, age);
    route.oldest = Math.max(route.oldest, waiting);
  }
  const touch = { user, age };
  if (file === 'RTHDRP') {
    if (operation === 'delete') route.headerDeletions.push(sequence);
    else if (operation === 'update') route.header = touch;
    return;
  }
  const stop = Object.values(key)[3];
  if (stop === undefined || !holdsOurs(file)) return;
  const { isLaid = false, rows = new Map<string, Touch>() } = route.stops.get(Number(stop)) ?? {};
  const isNew = file === 'RTSTPP' && operation === 'insert';
  rows.set(rowName(file, Object.values(key)), touch);
  route.stops.set(Number(stop), { ...touch, isLaid: isLaid || isNew, rows });
}

/** Files of a stop with columns of the service. */
function holdsOurs(file: HostFileName): boolean {
  return file !== 'RTDRVP' && Object.keys(hostFiles[file].service).length > 0;
}

/** The first three key columns of every route file are the route's, under its own prefix. */
function routeOf({ key }: Ring): RouteKey | undefined {
  const [facility, id, week_end] = Object.values(key);
  const parsed = routeKey.safeParse({ facility, id, week_end });
  return parsed.success && parsed.data.facility !== '' && parsed.data.id !== '' ? parsed.data : undefined;
}
