import type { FileInput } from './file-source.ts';

/** How photos are reduced before they are stored. */
export interface PhotoOptions {
  /** Maximum pixels of the longer side. */
  readonly longestSide: number;
  /** Of JPEG, from 0 to 1. */
  readonly quality: number;
  /** Maximum bytes: a larger photo is reduced in size and quality until it fits. */
  readonly maxBytes: number;
}

/** Reduces a photo where the platform has no `OffscreenCanvas`; for example by expo-image-manipulator. */
export type ResizePhoto = (photo: FileInput, options: PhotoOptions) => Promise<FileInput>;

/** Enough to read a label; about 300 kB, a tenth of a camera's photo. */
export const defaultPhotoOptions: PhotoOptions = { longestSide: 1_920, quality: 0.8, maxBytes: 1_000_000 };

/** Each round halves the bytes, roughly: after this many, the photo would no longer serve as evidence. */
const maxRounds = 6;
const roundFactor = 0.8;

/**
 * Returns a photo as a smaller, upright JPEG; the original where the platform cannot reduce it, or where that saves
 * nothing. A reduced photo lacks the camera's metadata (place, device).
 */
export const reencode: ResizePhoto = async (photo, { longestSide, quality, maxBytes }) => {
  if (typeof OffscreenCanvas === 'undefined' || !(photo instanceof Blob) || !photo.type.startsWith('image/'))
    return photo;
  try {
    const picture = await createImageBitmap(photo);
    let smaller = await draw(picture, longestSide, quality);
    for (let round = 1, factor = roundFactor; smaller.size > maxBytes && round < maxRounds; round++) {
      smaller = await draw(picture, longestSide * factor, quality * factor);
      factor *= roundFactor;
    }
    picture.close();
    return smaller.size < photo.size ? smaller : photo;
  } catch {
    return photo; // not readable as a picture on this platform: evidence all the same
  }
};

function draw(picture: ImageBitmap, longestSide: number, quality: number): Promise<Blob> {
  const scale = Math.min(1, longestSide / Math.max(picture.width, picture.height));
  const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type: 'image/jpeg', quality });
}
