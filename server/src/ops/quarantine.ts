import { isUtf8 } from 'node:buffer';
import type { QuarantinedItem, QuarantineQuery } from '@tailgate/sync-protocol';
import type { Queryable } from '../db/types.ts';
import { pageOf, type Page } from './page.ts';
import type { PagePosition } from './page-position.ts';
import { encodePosition } from './page-position.ts';
import { listQuarantine as statement } from './sql.ts';

interface QuarantineRow {
  readonly quarantine_id: string;
  readonly id: string;
  readonly client_id: string | null;
  readonly seq: number | null;
  readonly employee: string;
  readonly facility: string;
  readonly route_id: string;
  readonly week_end: string;
  readonly stop_id: number | null;
  readonly name: string;
  readonly code: string;
  readonly reason: string;
  readonly details: string;
  readonly body: Buffer;
  readonly received_at: Date;
  readonly state: QuarantinedItem['state'];
  readonly resolved_at: Date | null;
  readonly resolved_by: string | null;
  readonly note: string | null;
  readonly position: string;
}

/** Lists what could not be applied, newest first. */
export async function listQuarantine(
  db: Queryable,
  { state, limit }: Pick<QuarantineQuery, 'state' | 'limit'>,
  after: PagePosition | undefined,
): Promise<Page<QuarantinedItem>> {
  const values = [state === 'all' ? null : state, after?.[0] ?? null, after?.[1] ?? null, limit + 1];
  const { rows } = await db.query<QuarantineRow & Record<string, unknown>>(statement, values);
  const cursor = ({ position, quarantine_id }: QuarantineRow) => encodePosition([position, quarantine_id]);
  return pageOf(rows, limit, { item: itemOf, cursor });
}

function itemOf(row: QuarantineRow): QuarantinedItem {
  const { body } = row;
  const encoding = isUtf8(body) ? 'utf-8' : 'base64';
  return {
    quarantine_id: row.quarantine_id,
    id: row.id,
    client_id: row.client_id,
    seq: row.seq,
    employee: row.employee,
    facility: row.facility,
    route_id: row.route_id,
    week_end: row.week_end,
    stop_id: row.stop_id,
    name: row.name,
    code: row.code,
    reason: row.reason,
    details: readDetails(row.details),
    body: body.toString(encoding),
    body_encoding: encoding,
    received_at: row.received_at.toISOString(),
    state: row.state,
    resolved_at: row.resolved_at?.toISOString() ?? null,
    resolved_by: row.resolved_by,
    note: row.note,
  };
}

const readDetails: (json: string) => QuarantinedItem['details'] = JSON.parse;
