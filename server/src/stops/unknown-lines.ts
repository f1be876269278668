import type { StopResult } from '@tailgate/sync-protocol';
import { lineKinds } from '@tailgate/sync-protocol';
import { plannedLine, type PlanLines } from './plan-lines.ts';

/** Counts the lines of a result that are not on its plan. */
export function unknownLines(result: StopResult, plan: PlanLines): number {
  let count = 0;
  for (const kind of lineKinds)
    for (const { id, invoice, n } of Object.values(result[kind] ?? {}))
      if (plannedLine(plan, kind, id, invoice, n).ordered === undefined) count++;
  return count;
}
