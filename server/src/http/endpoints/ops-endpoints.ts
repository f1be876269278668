import { operations } from '@tailgate/sync-protocol';
import type { Db } from '../../db/types.ts';
import { listFlags } from '../../ops/flags/flags.ts';
import { decodePosition } from '../../ops/page-position.ts';
import { readCursor } from '../answers/cursor.ts';
import { endpoint } from '../answers/endpoint.ts';

/** For operators (contract §8): what waits for a person. */
export function opsEndpoints(db: Db) {
  return {
    listFlags: endpoint(operations.listFlags, async ({ query }) => {
      const { items, nextCursor } = await listFlags(db, query, readCursor(query.cursor, decodePosition));
      return { data: items, meta: { next_cursor: nextCursor } };
    }),
  };
}
