import { completeStop } from '@tailgate/sync-protocol';
import type { StopDecision } from '../stops/rules.ts';
import type { StopContext } from '../stops/stop-context.ts';
import { afterTimer } from './closing.ts';

/**
 * Decides a timed close under the route's lock: it closes a due route, and changes nothing on a closed one. Stop 999 is
 * complete after an autoclose and stays as it is after a forced close.
 */
export function decideTimedClose({ route, result, receivedAt, stamp }: StopContext): StopDecision {
  const closing = afterTimer(route, receivedAt);
  if (closing === route) return { ...nothing, route, result };
  return {
    ...nothing,
    route: { ...route, ...closing },
    result: closing.closedBy === 'A' ? completeStop(result, stamp) : result,
    touched: true,
  };
}

const nothing = { changed: false, touched: false, newUnknown: 0, superseded: [], warnings: [], mail: false } as const;
