import type { StopResult } from '@tailgate/sync-protocol';
import type { StopRows } from './host-rows.ts';

/** The ids of all files that a stop's rows name: signature, photos of lines, overage and exceptions. */
export function namedAssets({ RTPRUP, RTOSDP, RTIMGP, RTSTUP }: StopRows): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { RQIMG } of RTPRUP) named.add(RQIMG);
  for (const { OSIMG } of RTOSDP) named.add(OSIMG);
  for (const { RIASS } of RTIMGP) named.add(RIASS);
  for (const { RUSIG } of RTSTUP) named.add(RUSIG);
  named.delete('');
  return named;
}

/** The ids of all files that a stop names now, each once: its evidence. */
export function evidenceOf({ updates, products = {}, collections = {} }: StopResult): ReadonlySet<string> {
  const lines = [...Object.values(products), ...Object.values(collections)];
  const groups = lines.flatMap(({ osd_data = [], action_osd_data = [] }) => [...osd_data, ...action_osd_data]);
  const entries = [...groups.flatMap(({ data }) => data), ...(updates?.overage_items ?? [])];
  const named = [
    updates?.signature_id,
    ...lines.flatMap(({ image_ids }) => image_ids ?? []),
    ...entries.map(({ images_id }) => images_id),
  ];
  return new Set(named.flatMap((id) => (id ? [id] : [])));
}
