/** How photos are made smaller before they are kept. */
export interface PhotoOptions {
  /** Pixels of the longer side, at most. */
  readonly longestSide: number;
  /** Of JPEG, from 0 to 1. */
  readonly quality: number;
}

/** Enough to read a label by; about 300 kB, a tenth of what a camera gives. */
export const ordinaryPhoto: PhotoOptions = { longestSide: 1_920, quality: 0.8 };

/**
 * A photo as a smaller JPEG, upright as its camera held it; the very same bytes where the platform cannot, or where that
 * would save nothing. What a camera writes beside the picture (place, device) stays on the phone.
 */
export async function reencode(photo: Blob, { longestSide, quality }: PhotoOptions): Promise<Blob> {
  if (!photo.type.startsWith('image/') || typeof OffscreenCanvas === 'undefined') return photo;
  try {
    const picture = await createImageBitmap(photo);
    const scale = Math.min(1, longestSide / Math.max(picture.width, picture.height));
    const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    const smaller = await canvas.convertToBlob({ type: 'image/jpeg', quality });
    return smaller.size < photo.size ? smaller : photo;
  } catch {
    return photo; // no picture that this platform can read: evidence all the same
  }
}
