import type { StopResult } from '@tailgate/sync-protocol';
import type { StopRows } from './host-stop.ts';

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
  const named = new Set<string>();
  const note = (id: string | null | undefined): void => {
    if (id) named.add(id);
  };
  note(updates?.signature_id);
  for (const { images_id } of updates?.overage_items ?? []) note(images_id);
  for (const lines of [products, collections])
    for (const { image_ids, osd_data, action_osd_data } of Object.values(lines)) {
      image_ids?.forEach(note);
      for (const groups of [osd_data, action_osd_data])
        for (const { data } of groups ?? []) for (const { images_id } of data) note(images_id);
    }
  return named;
}
