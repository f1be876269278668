import type { Queryable } from '../../db/types.ts';
import { csvLine } from '../csv.ts';
import { compareRoutes, type ComparedStop, type ComparisonRules, type ShadowScope } from './compare-routes.ts';

const head = ['facility', 'route', 'week_end', 'stop', 'verdict', 'file', 'column', 'row', 'tailgate', 'other_system'];

/**
 * The comparison as CSV: a line for each difference, and with `whole` one for each stop that agrees.
 */
export async function shadowCsv(
  db: Queryable,
  scope: ShadowScope,
  rules: ComparisonRules,
  whole: boolean,
): Promise<string> {
  const lines = [csvLine(head)];
  for await (const stop of compareRoutes(db, scope, rules)) lines.push(...linesOf(stop, whole));
  return lines.join('\r\n');
}

function linesOf({ route, stop, differences, same, excused }: ComparedStop, whole: boolean): string[] {
  const place = [route.facility, route.id, route.week_end, stop === undefined ? '' : `${stop}`];
  if (differences.length === 0)
    return whole ? [csvLine([...place, 'same', '', '', '', `${same} columns`, `${excused} excused`])] : [];
  return differences.map(({ kind, file, column, row, ours, theirs }) =>
    csvLine([...place, kind, file, column, row, ours, theirs]),
  );
}
