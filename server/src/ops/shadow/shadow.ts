import type { Db } from '../../db/types.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import type { LibraryMap } from '../../host/files/library-map.ts';
import { hostFile } from '../../host/files/tables.ts';
import { CurrentModes } from '../../modes/modes.ts';
import { compareRoutes, type ComparedStop, type ShadowScope } from './compare-routes.ts';
import type { Difference } from './compare-sides.ts';
import { shadowOperations, type ShadowExample, type ShadowReport } from './contract.ts';
import { alwaysExcused, type Excuses } from './excuses.ts';

export interface ShadowDeps {
  readonly db: Db;
  /** SHADOW_RULES; by default those that hold always. */
  readonly excuses?: Excuses | undefined;
  /** LEGACY_MAP; by default our own names. */
  readonly legacyMap?: LibraryMap | undefined;
  /** Routes of one answer. */
  readonly maxRoutes?: number | undefined;
}

const EXAMPLES = 5;
/** Routes of one answer: two weeks of a depot. */
const MAX_ROUTES = 2_000;

type Kind = ShadowReport['kinds'][number];

/** The comparison by kinds of differences, each with its first rows. */
export async function readShadow(
  { db, excuses = alwaysExcused, legacyMap: map, maxRoutes = MAX_ROUTES }: ShadowDeps,
  scope: ShadowScope,
): Promise<ShadowReport> {
  const { otherwise, facilities } = await new CurrentModes(db).refresh();
  const kinds = new Map<string, Omit<Kind, 'first'> & { first: ShadowExample[]; count: number }>();
  const total = { routes: 0, stops: 0, equal_stops: 0, same: 0, excused: 0 };
  let isComplete = true;
  for await (const compared of compareRoutes(db, scope, { excuses, map })) {
    if (compared.stop === undefined && total.routes === maxRoutes) {
      isComplete = false;
      break;
    }
    if (compared.stop === undefined) total.routes += 1;
    total.stops += 1;
    if (compared.differences.length === 0) total.equal_stops += 1;
    total.same += compared.same;
    total.excused += compared.excused;
    for (const difference of compared.differences) {
      const { kind: verdict, file, column } = difference;
      const name = `${verdict} ${file}.${column}`;
      const label = hostFile(file).service[column]?.text ?? hostFile(file).text;
      const kind = kinds.get(name) ?? { verdict, file, column, label, count: 0, first: [] };
      kind.count += 1;
      if (kind.first.length < EXAMPLES) kind.first.push(exampleOf(compared, difference));
      kinds.set(name, kind);
    }
  }
  return {
    modes: [{ facility: null, mode: otherwise }, ...Array.from(facilities, ([facility, mode]) => ({ facility, mode }))],
    complete: isComplete,
    ...total,
    kinds: [...kinds.values()].toSorted((one, other) => other.count - one.count),
  };
}

const exampleOf = ({ route, stop }: ComparedStop, { row, ours, theirs }: Difference): ShadowExample => ({
  facility: route.facility,
  route_id: route.id,
  week_end: route.week_end,
  stop_id: stop ?? null,
  row,
  tailgate: ours,
  other_system: theirs,
});

/** Operators: facilities in shadow. */
export function shadowEndpoints(deps: ShadowDeps) {
  return {
    readShadow: endpoint(shadowOperations.readShadow, async ({ query }) => ({ data: await readShadow(deps, query) })),
  };
}
