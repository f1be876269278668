import type { AcknowledgeBody, IncidentItem, IncidentQuery } from '@tailgate/sync-protocol';
import type { Queryable } from '../../db/types.ts';
import * as sql from './incidents-sql.ts';
import { pageOf, type Page } from '../page.ts';
import { encodePosition, type PagePosition } from '../page-position.ts';

type IncidentRow = Omit<IncidentItem, 'at' | 'state' | 'acknowledged_at'> & {
  readonly at: Date;
  readonly acknowledged_at: Date | null;
};

/** Lists what the server noted and a person has to know of, newest first. */
export async function listIncidents(
  db: Queryable,
  { state, kind, employee, facility, route_id, from, until, limit }: Omit<IncidentQuery, 'cursor'>,
  after: PagePosition | undefined,
): Promise<Page<IncidentItem>> {
  const acknowledged = state === 'all' ? null : state === 'acknowledged';
  const named = [kind, employee, facility, route_id, from, until].map((value) => value ?? null);
  const values = [acknowledged, ...named, after?.[0] ?? null, after?.[1] ?? null, limit + 1];
  const { rows } = await db.query<IncidentRow & { position: string }>(sql.listIncidents, values);
  const cursor = (row: { position: string; incident_id: string }) => encodePosition([row.position, row.incident_id]);
  return pageOf(rows, limit, { item: itemOf, cursor });
}

/** @returns undefined where there is no such incident */
export async function acknowledgeIncident(
  db: Queryable,
  id: string,
  { by, note }: AcknowledgeBody,
): Promise<IncidentItem | undefined> {
  const { rows } = await db.query<IncidentRow>(sql.acknowledgeIncident, [id, by, note]);
  return rows[0] && itemOf(rows[0]);
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
