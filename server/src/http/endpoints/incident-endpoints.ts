import { operations } from '@tailgate/sync-protocol';
import type { Db } from '../../db/types.ts';
import { acknowledgeIncident, listIncidents } from '../../ops/incidents/incidents.ts';
import { decodePosition } from '../../ops/page-position.ts';
import { readCursor } from '../answers/cursor.ts';
import { endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';

/** For operators: what the server noted and a person has to know of. */
export function incidentEndpoints(db: Db) {
  return {
    listIncidents: endpoint(operations.listIncidents, async ({ query }) => {
      const { items, nextCursor } = await listIncidents(db, query, readCursor(query.cursor, decodePosition));
      return { data: items, meta: { next_cursor: nextCursor } };
    }),

    acknowledgeIncident: endpoint(operations.acknowledgeIncident, async ({ params, body }) => {
      const incident = await acknowledgeIncident(db, params.incident_id, body);
      if (!incident) throw new AppError('INCIDENT_NOT_FOUND');
      return { data: incident };
    }),
  };
}
