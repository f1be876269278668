import type { ReferenceCode } from '@tailgate/sync-protocol';
import type { Queryable } from '../db/types.ts';
import { loadCodeList } from './sql.ts';

type CodeType = ReferenceCode['type'];

/** An active code of the mirror. Retired codes stay in the mirror for history and are in no list. */
export type ListedCode = Omit<ReferenceCode, 'type'>;

/** The active codes of a type by `sort`, then code. */
export async function listCodes(db: Queryable, type: CodeType): Promise<ListedCode[]> {
  const { rows } = await db.query<ListedCode & Record<string, unknown>>(loadCodeList, [type]);
  return rows;
}

// The record shapes of contract §5.

export const toStopException = (row: ListedCode) => ({
  code: row.code,
  description: row.description,
  type: row.stop_type === '' ? ('B' as const) : row.stop_type,
  requires_comment: row.requires_comment,
  requires_photo: row.requires_photo,
  sort: row.sort,
});

export const toCreditReason = ({ code, description, category, requires_photo, sort }: ListedCode) => ({
  code,
  description,
  category,
  requires_photo,
  sort,
});

/** Undefined for codes of the office only. */
export const toInvoiceException = ({ code, description, driver_visible }: ListedCode) =>
  driver_visible ? { code, description, driver_visible: 'Y' as const } : undefined;

export const toPlainCode = ({ code, description, sort }: ListedCode) => ({ code, description, sort });
