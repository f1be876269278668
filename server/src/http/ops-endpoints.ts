import { operations } from '@tailgate/sync-protocol';
import type { Db } from '../db/types.ts';
import { decodeCursor, listQuarantine } from '../ops/quarantine.ts';
import { endpoint } from './endpoint.ts';
import { AppError } from './errors.ts';

/** For operators (contract §8): what waits for a person. */
export function opsEndpoints(db: Db) {
  return {
    listQuarantine: endpoint(operations.listQuarantine, async ({ query }) => {
      const after = query.cursor === undefined ? undefined : (decodeCursor(query.cursor) ?? refuseCursor());
      const { items, nextCursor } = await listQuarantine(db, query, after);
      return { data: items, meta: { next_cursor: nextCursor } };
    }),
  };
}

function refuseCursor(): never {
  const message = 'must be the next_cursor of an earlier page';
  throw new AppError('VALIDATION_FAILED', { details: [{ path: 'cursor', message }] });
}
