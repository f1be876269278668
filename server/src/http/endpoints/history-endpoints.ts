import { operations, type StopHistoryQuery } from '@tailgate/sync-protocol';
import type { Db } from '../../db/types.ts';
import { readStopHistory, verifyStopHistory, type Missing } from '../../ops/history/history.ts';
import { endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';

/** For operators: all that is known of a stop. */
export function historyEndpoints(db: Db) {
  return {
    readStopHistory: endpoint(operations.readStopHistory, async ({ query }) => ({
      data: found(await readStopHistory(db, keyOf(query), query.stop_id)),
    })),

    verifyStopHistory: endpoint(operations.verifyStopHistory, async ({ query }) => ({
      data: found(await verifyStopHistory(db, keyOf(query), query.stop_id)),
    })),
  };
}

const keyOf = ({ facility, route_id: id, week_end }: StopHistoryQuery) => ({ facility, id, week_end });

function found<Found extends object>(answer: Found | Missing): Found {
  if ('missing' in answer) throw new AppError(answer.missing === 'route' ? 'ROUTE_NOT_FOUND' : 'STOP_NOT_FOUND');
  return answer;
}
