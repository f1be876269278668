import type { CollectionView, ProductView, RoutePayloadV20, StopView } from '@tailgate/sync-protocol';
import { stopFrame } from '../../routes/payload.ts';

// Differences between v20 and the unprefixed set. Requests are the same: both sets read the v20, v21 and v23 shapes
// (contract §4).

/** A stop as GET /api/v20/route shows it: the plan of each line without its results (interface.md 4.4). */
export const toV20Stop = (stop: StopView): RoutePayloadV20['stops'][number] => ({
  ...stopFrame(stop),
  products: stop.products.map((product) => ({
    ...toV20Line(product),
    // A blank type belongs to a record that a driver made without one. v20 has no place for it.
    action: product.action?.type ? { type: product.action.type } : null,
  })),
  collections: stop.collections.map((collection) => ({
    ...toV20Line(collection),
    action: { type: collection.action.type },
  })),
});

const toV20Line = (line: ProductView | CollectionView) => ({
  id: line.id,
  name: line.name,
  description: line.description,
  required: line.required,
  count_in_totes: line.count_in_totes,
  add_photos: line.add_photos,
  container_type: line.container_type,
  section: line.section,
  quantity: line.quantity,
});
