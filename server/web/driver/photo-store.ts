import type { LocalRoute } from '@tailgate/client-sdk';
import type { Uploads } from '@tailgate/client-sdk/uploads';
import { filesOf } from '@tailgate/client-sdk/uploads';

/** One at a time: a camera's photo takes some 50 MB while it is decoded. */
let last: Promise<unknown> = Promise.resolve();

function oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = last.then(work);
  last = result.catch(() => undefined);
  return result;
}

/** Stores a photo, reduced; it is on the disk when this resolves. No network is needed. */
export const storePhoto = (uploads: Uploads, photo: Blob, name: string): Promise<string> =>
  oneAtATime(async () => (await uploads.add(photo, { kind: 'photo', name })).id);

/**
 * Deletes photos that are not kept after all. One that a stop, a draft or a route's form names, such as twice the same,
 * stays.
 *
 * @param views the route now, and as it was where an undo may return to that
 */
export async function discardPhotos(
  uploads: Pick<Uploads, 'discard'>,
  ids: readonly string[],
  views: readonly (RouteFiles | undefined)[],
): Promise<void> {
  const left = ids.filter((id) => !views.some((view) => view && isNamed(view, id)));
  // One that the disk does not delete is sent after the next start, which harms nothing; the others still go.
  await Promise.allSettled(left.map((id) => uploads.discard(id)));
}

type RouteFiles = Pick<LocalRoute, 'draft' | 'stops'>;

const isNamed = ({ draft, stops }: RouteFiles, id: string): boolean =>
  isInDraft(draft, id) || stops.some((stop) => filesOf(stop).includes(id) || isInDraft(stop.draft, id));

const isInDraft = (draft: unknown, id: string): boolean => JSON.stringify(draft ?? null).includes(id);

/** Draws a small picture of a stored photo; false where the phone has no bytes, or cannot read them as a picture. */
export const drawThumbnail = (uploads: Uploads, id: string, canvas: HTMLCanvasElement): Promise<boolean> =>
  oneAtATime(async () => {
    const bytes = await uploads.read(id);
    if (!bytes) return false;
    const { width, height } = canvas;
    const picture = await createImageBitmap(new Blob([bytes])).catch(() => undefined);
    if (!picture) return false;
    const scale = Math.max(width / picture.width, height / picture.height);
    const [across, down] = [picture.width * scale, picture.height * scale];
    canvas.getContext('2d')?.drawImage(picture, (width - across) / 2, (height - down) / 2, across, down);
    picture.close();
    return true;
  });
