import { writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

// A film for Chromium's fake camera: what a phone's screen shows, one picture after the other.

const width = 640;
const height = 480;

/** Writes a film (Y4M) of pictures (PNG), two of them a second. @param page a page that decodes them */
export async function writeCodeFilm(path: string, page: Page, pictures: readonly Buffer[]): Promise<void> {
  const frames: Buffer[] = [];
  for (const picture of pictures) {
    const luma = await page.evaluate(drawLuma, { base64: picture.toString('base64'), width, height });
    frames.push(Buffer.from('FRAME\n'), Buffer.from(luma, 'base64'), Buffer.alloc((width * height) / 2, 128));
  }
  const header = Buffer.from(`YUV4MPEG2 W${width} H${height} F2:1 Ip A1:1 C420jpeg\n`);
  await writeFile(path, Buffer.concat([header, ...frames]));
}

/** Runs in the page: the brightness of each pixel of a picture in the middle of a frame, in base64. */
async function drawLuma(frame: { base64: string; width: number; height: number }): Promise<string> {
  const raw = Uint8Array.from(atob(frame.base64), (letter) => letter.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([raw]));
  const context = new OffscreenCanvas(frame.width, frame.height).getContext('2d');
  if (!context) throw new Error('no canvas');
  context.fillStyle = '#888';
  context.fillRect(0, 0, frame.width, frame.height);
  const scale = Math.min(frame.width / picture.width, frame.height / picture.height) * 0.95;
  const [across, down] = [picture.width * scale, picture.height * scale];
  context.drawImage(picture, (frame.width - across) / 2, (frame.height - down) / 2, across, down);
  const { data } = context.getImageData(0, 0, frame.width, frame.height);
  let text = '';
  for (let i = 0; i < data.length; i += 4) {
    const [red = 0, green = 0, blue = 0] = data.subarray(i, i + 3);
    text += String.fromCharCode(Math.round(0.299 * red + 0.587 * green + 0.114 * blue));
  }
  return btoa(text);
}
