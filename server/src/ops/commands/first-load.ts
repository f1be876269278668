import { sqlStateOf } from '../../db/sqlstate.ts';
import type { Queryable } from '../../db/types.ts';
import type { Host } from '../../host/host.ts';
import { importedWeeks, type ImportedWeeks } from '../../host/reads/imported-weeks.ts';
import { readLoadableRoutes } from '../../host/reads/loadable-routes.ts';
import {
  countsOf,
  readLoaded,
  sortFirstLoad,
  type FirstLoad,
  type LoadRules,
} from '../../replication/from-host/first-load.ts';

// `npm run ops -- first-load`: the routes that an import from the host would take, before it runs and while it does.

interface FirstLoadDeps extends LoadRules {
  readonly db: Queryable;
  readonly host: Host;
  readonly now: Date;
}

/** Compares the host with the mirror, and changes nothing. @throws HostError where the host is away */
export async function readFirstLoad(
  { db, host, modes, facilities, now }: FirstLoadDeps,
  importFrom: string | undefined,
): Promise<string> {
  const weeks = importedWeeks(now, importFrom);
  const found = await readLoadableRoutes(host, weeks);
  return describeFirstLoad(sortFirstLoad(found, await loadedBefore(db), { modes, facilities }), weeks);
}

/** Before the first start of a server the database has no tables. */
async function loadedBefore(db: Queryable): Promise<ReadonlySet<string>> {
  try {
    return await readLoaded(db);
  } catch (error) {
    if (sqlStateOf(error) !== UNDEFINED_TABLE) throw error;
    return new Set();
  }
}

const UNDEFINED_TABLE = '42P01';

function describeFirstLoad(load: FirstLoad, weeks: ImportedWeeks): string {
  const { coming, loaded, unusable, off, ofOtherCells, older, history } = load;
  const { withoutDriver, withoutStops, notDispatched } = countsOf(load, weeks);
  const closed = coming.filter(({ isClosed }) => isClosed).length;
  const byFacility = Map.groupBy(coming, ({ key }) => key.facility);
  return [
    `${coming.length} routes would come: ${coming.length - closed} open, ${closed} closed. ${loaded} are loaded already.`,
    ...[...byFacility].map(([facility, { length }]) => `  ${facility.padEnd(5)} ${length}`),
    `Of those that would come: ${withoutDriver} without a driver, ${withoutStops} without a stop, ${notDispatched} not dispatched yet (no phone sees them).`,
    `${older} are older than week ${weeks.openFrom} (IMPORT_FROM) and stay out.`,
    `${history} are closed (RHPODS = C) and older than week ${weeks.closedFrom}: history, and stay out.`,
    ...(off > 0 ? [`${off} belong to facilities that are off (LEGACY_MODE), and stay out.`] : []),
    ...(ofOtherCells > 0 ? [`${ofOtherCells} belong to other cells (FACILITIES), and stay out.`] : []),
    ...(unusable > 0 ? [`${unusable} have a key that no route can have, and stay out.`] : []),
  ].join('\n');
}
