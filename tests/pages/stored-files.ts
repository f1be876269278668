import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';

/** The ids of the files that the app has stored, in no order. */
export const filesOnPhone = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open('tailgate-files');
      request.addEventListener('success', () => resolve(request.result));
    });
    const keys = await new Promise<IDBValidKey[]>((resolve) => {
      const found = database.transaction('file').objectStore('file').getAllKeys();
      found.addEventListener('success', () => resolve(found.result));
    });
    database.close();
    return keys.map(String);
  });

/** Reads a stored file of the app, as its uploads keep it: the bytes in hexadecimal SHA-256, or undefined. */
export async function hashOnPhone(page: Page, id: string): Promise<string | undefined> {
  const base64 = await page.evaluate(async (name) => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('tailgate-files');
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error ?? new Error('no database')));
    });
    const pieces = await new Promise<unknown[]>((resolve) => {
      const found = database
        .transaction('piece')
        .objectStore('piece')
        .getAll(IDBKeyRange.bound(`${name}/`, `${name}/\uffff`));
      found.addEventListener('success', () => resolve(found.result));
    });
    database.close();
    const bytes = pieces.flatMap((piece) => (piece instanceof Uint8Array ? [...piece] : []));
    return pieces.length === 0 ? undefined : btoa(bytes.map((byte) => String.fromCharCode(byte)).join(''));
  }, id);
  return base64 === undefined ? undefined : hashOf(Buffer.from(base64, 'base64'));
}

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A JPEG as a camera of 12 megapixels makes it: noise, so that no two are equal and none is small. */
export async function cameraPhoto(page: Page, seed: number, [width, height] = [4_000, 3_000]) {
  const base64 = await page.evaluate(
    async ({ start, across, down }) => {
      const canvas = new OffscreenCanvas(across, down);
      const context = canvas.getContext('2d');
      if (!context) throw new Error('no canvas');
      for (let y = 0, x = start; y < down; y += 50)
        for (let left = 0; left < across; left += 50) {
          x = (x * 1_103_515_245 + 12_345) % 2_147_483_648;
          context.fillStyle = `hsl(${x % 360} 60% ${30 + (x % 40)}%)`;
          context.fillRect(left, y, 50, 50);
        }
      const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 });
      const bytes = new Uint8Array(await blob.arrayBuffer());
      let text = '';
      for (const byte of bytes) text += String.fromCharCode(byte);
      return btoa(text);
    },
    { start: seed, across: width, down: height },
  );
  return { name: `camera-${seed}.jpg`, mimeType: 'image/jpeg', buffer: Buffer.from(base64, 'base64') };
}

/** Measures of a picture that a browser has decoded. */
export interface Decoded {
  readonly width: number;
  readonly height: number;
  /** The share of dark pixels. */
  readonly dark: number;
  /** Whether every corner is white and opaque. */
  readonly isOnWhite: boolean;
}

export async function decode(page: Page, bytes: Buffer): Promise<Decoded> {
  return page.evaluate(async (base64) => {
    const raw = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([raw]));
    const { width, height } = picture;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    if (!context) throw new Error('no canvas');
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    const at = (x: number, y: number) => data.slice((y * width + x) * 4, (y * width + x) * 4 + 4);
    let dark = 0;
    for (let i = 0; i < data.length; i += 4) if ((data[i] ?? 255) < 80 && (data[i + 3] ?? 0) === 255) dark++;
    const corners = [at(0, 0), at(width - 1, 0), at(0, height - 1), at(width - 1, height - 1)];
    const isOnWhite = corners.every((pixel) => pixel.every((value) => value === 255));
    return { width, height, dark: dark / (width * height), isOnWhite };
  }, bytes.toString('base64'));
}

/** The texts of a PNG (iTXt, uncompressed) by their keywords. */
export function textsOf(png: Buffer): Record<string, string> {
  const texts: Record<string, string> = {};
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) !== 'iTXt') continue;
    const [keyword = '', ...rest] = png.toString('utf8', at + 8, at + 8 + png.readUInt32BE(at)).split('\0');
    texts[keyword] = rest.slice(4).join('\0');
  }
  return texts;
}
