import type { LineInput, LocalStop, StopInput } from '@tailgate/client-sdk';
import type { StopDraft } from './draft.ts';
import type { Collection, Product } from './lines.ts';
import { isPending } from './order.ts';
import { overageAt } from './scan.ts';

/** The interface has photos of lines alone: those of the whole stop belong to its first line. */
export const photoLine = (stop: LocalStop): Product | Collection | undefined => stop.products[0] ?? stop.collections[0];

/** Photos of the whole stop: the recorded ones, else those of the draft. */
export const wholePhotos = (stop: LocalStop, draft: StopDraft): readonly string[] =>
  isPending(stop) ? draft.photos : (photoLine(stop)?.updates.image_ids ?? []);

/** The part of a change that sets the photos of the whole stop. */
export function photosInput(stop: LocalStop, photos: readonly string[]): Pick<StopInput, 'products' | 'collections'> {
  const line = photoLine(stop);
  if (!line) return {};
  const lines: LineInput[] = [{ id: line.id, invoice: line.invoice, updates: { image_ids: [...photos] } }];
  return stop.products.length > 0 ? { products: lines } : { collections: lines };
}

/** Photos of one part of a stop. */
export interface PartPhotos {
  readonly part: 'line' | 'return' | 'overage';
  /** The key of the line, or the place of the overage item. */
  readonly key: string;
  readonly name: string;
  readonly photos: readonly string[];
}

/** Photos of the lines, of what goes back, and of what is not on the list; parts without photos are left out. */
export function partPhotos(stop: LocalStop, draft: StopDraft): PartPhotos[] {
  const shown = new Set(wholePhotos(stop, draft));
  const recorded = ({ updates }: Product | Collection): string[] => [
    ...(updates.image_ids ?? []),
    ...updates.osd_data.flatMap(({ data }) => data.flatMap(({ images_id }) => images_id || [])),
  ];
  const parts: PartPhotos[] = [
    ...stop.products.map((line) => {
      const own = draft.lines[line.key];
      const drafted = own && [...(own.photos ?? []), ...(own.reason?.photos ?? [])];
      return { part: 'line' as const, key: line.key, name: line.name, photos: drafted ?? recorded(line) };
    }),
    ...stop.collections.map((line) => {
      const photos = draft.returns[line.key]?.photos ?? recorded(line);
      return { part: 'return' as const, key: line.key, name: line.name, photos };
    }),
    ...overageAt(stop, draft).map(({ barcode, photos }, place) => {
      return { part: 'overage' as const, key: String(place), name: barcode, photos };
    }),
  ];
  return parts
    .map((part) => ({ ...part, photos: part.photos.filter((id) => !shown.has(id)) }))
    .filter(({ photos }) => photos.length > 0);
}
