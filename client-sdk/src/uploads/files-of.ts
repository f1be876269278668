import type { OsdView } from '@tailgate/sync-protocol';
import type { LocalStop } from '../replica/local-route.ts';

/** The ids of all files that a stop names, each once: its signature first, then photos of lines, exceptions, overage. */
export function filesOf({ updates, products, collections }: LocalStop): string[] {
  const groups = (osd: readonly OsdView[]) => osd.flatMap(({ data }) => data.map(({ images_id }) => images_id));
  const lines = [...products, ...collections].flatMap((line) => [
    ...(line.updates.image_ids ?? []),
    ...groups(line.updates.osd_data),
    ...groups(line.action?.updates.osd_data ?? []),
  ]);
  const overage = updates.overage_items.map(({ images_id }) => images_id);
  return [...new Set([updates.signature_id, ...lines, ...overage].flatMap((id) => id || []))];
}
