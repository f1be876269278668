import type { OsdGroup, StopResult } from '@tailgate/sync-protocol';
import type { StopRows } from './host-stop.ts';

/** The ids of all files that a stop's rows name: signature, photos of lines, overage and exceptions. */
function namedAssets({ RTPRUP, RTOSDP, RTIMGP, RTSTUP }: StopRows): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { RQIMG } of RTPRUP) named.add(RQIMG);
  for (const { OSIMG } of RTOSDP) named.add(OSIMG);
  for (const { RIASS } of RTIMGP) named.add(RIASS);
  for (const { RUSIG } of RTSTUP) named.add(RUSIG);
  named.delete('');
  return named;
}

/** The ids of all files that a stop names now, each once: its evidence. */
export function evidenceOf({ updates, products, collections }: StopResult): ReadonlySet<string> {
  const named = new Set<string>();
  const addId = (id: string | null | undefined): void => {
    if (id) named.add(id);
  };
  const addGroups = (groups: readonly OsdGroup[] | undefined): void =>
    groups?.forEach(({ data }) => data.forEach(({ images_id }) => addId(images_id)));
  const addLines = (lines: StopResult['products']): void => {
    for (const key in lines) {
      const line = lines[key];
      line?.image_ids?.forEach(addId);
      addGroups(line?.osd_data);
      addGroups(line?.action_osd_data);
    }
  };
  addId(updates?.signature_id);
  updates?.overage_items?.forEach(({ images_id }) => addId(images_id));
  addLines(products);
  addLines(collections);
  return named;
}

/** The files that a stop names after a change; null where they are unchanged. */
export function newEvidence(before: StopResult, after: StopResult): ReadonlySet<string> | null {
  const [named, names] = [evidenceOf(before), evidenceOf(after)];
  return names.size === named.size && [...names].every((id) => named.has(id)) ? null : names;
}

/** Ids of files that the confirmed rows of the stop do not name. */
export function newlyNamed(rows: StopRows, confirmed: StopRows | undefined): string[] {
  const named = confirmed ? namedAssets(confirmed) : new Set();
  return [...namedAssets(rows)].filter((id) => !named.has(id));
}
