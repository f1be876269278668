import { recordAct } from '../../acts/sql.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db, Queryable } from '../../db/types.ts';
import * as sql from './incidents-sql.ts';
import { entryAfter, pageOf, type Page } from '../pages.ts';
import { endpoint, opsEndpoint } from '../../http/answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import { authorOf } from '../acts/author.ts';
import type { IncidentItem, IncidentQuery } from './contract.ts';
import { incidentOperations } from './contract.ts';

type IncidentRow = Omit<IncidentItem, 'at' | 'state' | 'acknowledged_at'> & {
  readonly at: Date;
  readonly acknowledged_at: Date | null;
};

/** Lists incidents, newest first. */
async function listIncidents(
  db: Queryable,
  { state, kind, employee, facility, route_id, from, until, incident_id, limit, cursor }: IncidentQuery,
): Promise<Page<IncidentItem>> {
  const after = entryAfter(cursor);
  const acknowledged = state === 'all' ? null : state === 'acknowledged';
  const named = [kind, employee, facility, route_id, from, until].map((value) => value ?? null);
  const values = [acknowledged, ...named, after?.[0] ?? null, after?.[1] ?? null, limit + 1, incident_id ?? null];
  const { rows } = await db.query<IncidentRow & { position: string }>(sql.listIncidents, values);
  return pageOf(rows, limit, { item: itemOf, position: (row) => [row.position, row.incident_id] });
}

/** @returns undefined where there is no such incident */
function acknowledgeIncident(
  db: Db,
  id: string,
  { by, note }: { readonly by: string; readonly note: string },
): Promise<IncidentItem | undefined> {
  return withTransaction(db, async (tx) => {
    const { rows } = await tx.query<IncidentRow & { is_first: boolean }>(sql.acknowledgeIncident, [id, by, note]);
    const [row] = rows;
    if (!row) return undefined;
    const item = itemOf(row);
    if (row.is_first)
      await recordAct(tx, {
        by,
        act: 'acknowledgeIncident',
        subject: { kind: 'incident', id },
        employee: item.employee ?? undefined,
        reason: note,
        before: { state: 'open', kind: item.kind },
        after: { state: item.state },
      });
    return item;
  });
}

const itemOf = (row: IncidentRow): IncidentItem => ({
  incident_id: row.incident_id,
  at: row.at.toISOString(),
  kind: row.kind,
  client_id: row.client_id,
  employee: row.employee,
  details: row.details,
  state: row.acknowledged_at === null ? 'open' : 'acknowledged',
  acknowledged_at: row.acknowledged_at?.toISOString() ?? null,
  acknowledged_by: row.acknowledged_by,
  note: row.note,
});

/** Operators: incidents that the server recorded for a person. */
export function incidentEndpoints(db: Db) {
  return {
    listIncidents: endpoint(incidentOperations.listIncidents, ({ query }) => listIncidents(db, query)),

    acknowledgeIncident: opsEndpoint(incidentOperations.acknowledgeIncident, async ({ params, body, caller }) => {
      const decision = { by: authorOf(caller, body.by), note: body.note };
      const incident = await acknowledgeIncident(db, params.incident_id, decision);
      if (!incident) throw new AppError('INCIDENT_NOT_FOUND');
      return { data: incident };
    }),
  };
}
