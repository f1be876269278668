import { operations } from '@tailgate/sync-protocol';
import type { Db } from '../../db/types.ts';
import { decodeRoutePosition } from '../../ops/page-position.ts';
import { listRouteBacklog, readReplication } from '../../ops/replication/replication.ts';
import { readCursor } from '../answers/cursor.ts';
import { endpoint } from '../answers/endpoint.ts';

/** For operators: how far the host is behind. */
export function replicationEndpoints(db: Db) {
  return {
    readReplication: endpoint(operations.readReplication, async () => ({ data: await readReplication(db) })),

    listRouteBacklog: endpoint(operations.listRouteBacklog, async ({ query }) => {
      const { items, nextCursor } = await listRouteBacklog(db, query, readCursor(query.cursor, decodeRoutePosition));
      return { data: items, meta: { next_cursor: nextCursor } };
    }),
  };
}
