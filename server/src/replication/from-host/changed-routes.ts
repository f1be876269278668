import { routeKey, routeScope, type RouteKey } from '@tailgate/sync-protocol';
import { rowName, type Author, type StopEditor } from '../to-host/edits-by-author.ts';
import type { HostChange } from '../../host/reads/host-changes.ts';
import { hostFiles, type HostFileName } from '../../host/files/tables.ts';

/**
 * The last edit of a record: its user, and its age in milliseconds. For a stop, `isLaid` marks a new row in RTSTPP, and
 * `rows` has the last edit of each changed row.
 */
export type LastEdit = { user: string; age: number; isInserted?: boolean; rows?: Map<string, LastEdit> };

/** The doorbell's lines about one route. */
export type ChangedRoute = {
  key: RouteKey;
  sequences: string[];
  /** Milliseconds since the last and since the first line. */
  newest: number;
  oldest: number;
  /** Lines that report the header as deleted: the route is withdrawn, or loaded again under the same key. */
  headerDeletions: string[];
  /** Service-owned columns that another program may have changed. */
  header: LastEdit | undefined;
  stops: Map<number, LastEdit>;
};

/** Lines about master data: keys by file, and the numbers of the lines. */
export type ChangedMasters = { keys: Map<HostFileName, HostChange['key'][]>; sequences: string[] };

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
 * Groups the doorbell's lines by route or master file. A line whose key cannot be a route's counts as a master's line
 * without effect.
 */
export function sortChanges(changes: readonly HostChange[]): {
  routes: Map<string, ChangedRoute>;
  masters: ChangedMasters;
} {
  const routes = new Map<string, ChangedRoute>();
  const masters: ChangedMasters = { keys: new Map(), sequences: [] };
  for (const change of changes) {
    const key = routeFiles.includes(change.file) ? routeOf(change) : undefined;
    if (key === undefined) {
      masters.sequences.push(change.sequence);
      const keys = masters.keys.get(change.file) ?? [];
      keys.push(change.key);
      masters.keys.set(change.file, keys);
      continue;
    }
    const scope = routeScope(key);
    const route = routes.get(scope) ?? unchangedRoute(key);
    routes.set(scope, route);
    addChange(route, change);
  }
  return { routes, masters };
}

/** A route without any line. */
export function unchangedRoute(key: RouteKey): ChangedRoute {
  return {
    key,
    sequences: [],
    newest: Number.POSITIVE_INFINITY,
    oldest: 0,
    headerDeletions: [],
    header: undefined,
    stops: new Map(),
  };
}

/** The author is blank where no line names one. The time is the server's; an edit without a line counts as made now. */
export function editorOf(lastEdit: LastEdit = { user: '', age: 0 }, now: Date): StopEditor {
  const authorOf = ({ user, age }: LastEdit): Author => ({ user, at: new Date(now.getTime() - age) });
  const { isInserted = false, rows = [] } = lastEdit;
  return { ...authorOf(lastEdit), isInserted, rows: new Map([...rows].map(([name, each]) => [name, authorOf(each)])) };
}

/** Lines come oldest first, so the last edit wins. */
function addChange(route: ChangedRoute, change: HostChange): void {
  const { sequence, file, operation, key, user, age, waiting = age } = change;
  route.sequences.push(sequence);
  if (!change.isSettled) {
    route.newest = Math.min(route.newest, age);
    route.oldest = Math.max(route.oldest, waiting);
  }
  const lastEdit = { user, age };
  if (file === 'RTHDRP') {
    if (operation === 'delete') route.headerDeletions.push(sequence);
    else if (operation === 'update') route.header = lastEdit;
    return;
  }
  const stop = Object.values(key)[3];
  if (stop === undefined || !hasServiceColumns(file)) return;
  const { isInserted = false, rows = new Map<string, LastEdit>() } = route.stops.get(Number(stop)) ?? {};
  const isNew = file === 'RTSTPP' && operation === 'insert';
  rows.set(rowName(file, Object.values(key)), lastEdit);
  route.stops.set(Number(stop), { ...lastEdit, isInserted: isInserted || isNew, rows });
}

/** Files of a stop with columns of the service. */
function hasServiceColumns(file: HostFileName): boolean {
  return file !== 'RTDRVP' && Object.keys(hostFiles[file].service).length > 0;
}

/** The first three key columns of every route file are the route's, under its own prefix. */
function routeOf({ key }: HostChange): RouteKey | undefined {
  const [facility, id, week_end] = Object.values(key);
  const parsed = routeKey.safeParse({ facility, id, week_end });
  return parsed.success && parsed.data.facility !== '' && parsed.data.id !== '' ? parsed.data : undefined;
}
