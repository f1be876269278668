import type { FlaggedChange, FlagQuery } from '@tailgate/sync-protocol';
import type { Queryable } from '../../db/types.ts';
import { pageOf, type Page } from '../page.ts';
import type { PagePosition } from '../page-position.ts';
import { encodePosition } from '../page-position.ts';
import { listFlags as statement } from '../sql.ts';

interface FlagRow extends Omit<FlaggedChange, 'warnings' | 'edit_time' | 'received_at'> {
  readonly edit_time: Date;
  readonly received_at: Date;
  readonly warnings: string;
  readonly position: string;
}

/** Lists what was taken in with a warning, newest first. */
export async function listFlags(
  db: Queryable,
  { facility, route_id, code, limit }: Omit<FlagQuery, 'cursor'>,
  after: PagePosition | undefined,
): Promise<Page<FlaggedChange>> {
  const wanted = code === undefined ? null : `"code":${JSON.stringify(code)}`;
  const values = [facility ?? null, route_id ?? null, wanted, after?.[0] ?? null, after?.[1] ?? null, limit + 1];
  const { rows } = await db.query<FlagRow & Record<string, unknown>>(statement, values);
  return pageOf(rows, limit, { item: changeOf, cursor: ({ position, id }) => encodePosition([position, id]) });
}

const changeOf = (row: FlagRow): FlaggedChange => ({
  id: row.id,
  facility: row.facility,
  route_id: row.route_id,
  week_end: row.week_end,
  stop_id: row.stop_id,
  version: row.version,
  source: row.source,
  employee: row.employee,
  edit_time: row.edit_time.toISOString(),
  received_at: row.received_at.toISOString(),
  warnings: readWarnings(row.warnings),
});

const readWarnings: (json: string) => FlaggedChange['warnings'] = JSON.parse;
