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
 * The list of `client.codes(…)` for a field, by its name or a path that ends in it; undefined without one. Of
 * `stop-exception`, a skip uses codes with `stop_type` S and B, a refusal those with R and B. The interface specifies
 * no list for `followup_reason_code`, and no field for the list `invoice-exception`.
 */
export function codeListOf(path: string): CodeList | undefined {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return Object.hasOwn(lists, name) ? lists[name] : undefined;
}
