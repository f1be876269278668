import type { FileInput } from './file-source.ts';

/** How photos are made smaller before they are kept. */
export interface PhotoOptions {
  /** Pixels of the longer side, at most. */
  readonly longestSide: number;
  /** Of JPEG, from 0 to 1. */
  readonly quality: number;
  /** Bytes, at most: a picture that takes more is made smaller and coarser until it fits. */
  readonly maxBytes: number;
}

/** Makes a photo smaller where the platform has no `OffscreenCanvas`; for example by expo-image-manipulator. */
export type ResizePhoto = (photo: FileInput, options: PhotoOptions) => Promise<FileInput>;

/** Enough to read a label by; about 300 kB, a tenth of what a camera gives. */
export const ordinaryPhoto: PhotoOptions = { longestSide: 1_920, quality: 0.8, maxBytes: 1_000_000 };

/** Each round takes about half of the bytes away: after so many, what is left to see is no evidence. */
const roundsMost = 6;
const roundFactor = 0.8;

/**
 * A photo as a smaller JPEG, upright as its camera held it; the very same bytes where the platform cannot, or where that
 * would save nothing. What a camera writes beside a picture that is made smaller (place, device) stays on the phone.
 */
export const reencode: ResizePhoto = async (photo, { longestSide, quality, maxBytes }) => {
  if (typeof OffscreenCanvas === 'undefined' || !(photo instanceof Blob) || !photo.type.startsWith('image/'))
    return photo;
  try {
    const picture = await createImageBitmap(photo);
    let smaller = await draw(picture, longestSide, quality);
    for (let round = 1, factor = roundFactor; smaller.size > maxBytes && round < roundsMost; round++) {
      smaller = await draw(picture, longestSide * factor, quality * factor);
      factor *= roundFactor;
    }
    picture.close();
    return smaller.size < photo.size ? smaller : photo;
  } catch {
    return photo; // no picture that this platform can read: evidence all the same
  }
};

function draw(picture: ImageBitmap, longestSide: number, quality: number): Promise<Blob> {
  const scale = Math.min(1, longestSide / Math.max(picture.width, picture.height));
  const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type: 'image/jpeg', quality });
}
