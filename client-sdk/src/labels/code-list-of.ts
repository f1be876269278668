import type { ReferenceCode } from '@tailgate/sync-protocol';

type CodeList = ReferenceCode['type'];

const lists: Readonly<Record<string, CodeList>> = {
  skip_refuse_reason_code: 'stop-exception',
  osd_code: 'credit-reason',
  container_type: 'container-type',
  section: 'section',
  trailer_area: 'trailer-area',
};

/**
 * The list of `client.codes(…)` that serves a field, by its name or a path that ends in it; undefined where none does. Of
 * `stop-exception` a skip takes those of `stop_type` S and B, a refusal those of R and B. The interface names no list for
 * `followup_reason_code`, and no field for the list `invoice-exception`.
 */
export function codeListOf(path: string): CodeList | undefined {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return Object.hasOwn(lists, name) ? lists[name] : undefined;
}
