import { cellQuery } from '@tailgate/sync-protocol';
import { type Answer, refusal } from './scripted-auth.ts';

/**
 * `GET /api/cell`: the address of the facility's cell, null for this server.
 *
 * @param cells addresses by facility
 */
export function answerCell(query: URLSearchParams, cells: ReadonlyMap<string, string>): Answer {
  const parsed = cellQuery.safeParse(Object.fromEntries(query));
  if (!parsed.success) return refusal(400, 'VALIDATION_FAILED', 'facility: at most 5 characters');
  const url = cells.get(parsed.data.facility ?? '') ?? null;
  return { status: 200, body: { success: true, message: 'Address of the cell', data: { url } } };
}
