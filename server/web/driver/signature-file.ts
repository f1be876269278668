import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { sha256Hex } from '@tailgate/client-sdk/uploads';
import type { PointGroupOptions } from 'signature_pad';
import SignaturePad from 'signature_pad';
import type { StopDraft } from './model/draft.ts';
import type { Ink } from './model/ink.ts';
import { pictureView, pointsOf } from './model/ink.ts';
import { withTexts } from './model/png-text.ts';
import { listText, signedList } from './model/signed-list.ts';

/** The size of the picture in pixels, and its white margin. */
const picture = { width: 900, height: 300, margin: 24 };

/** The stroke of a signature, at this scale. */
export const pen = (scale: number): PointGroupOptions => ({
  penColor: '#000',
  dotSize: 0,
  minWidth: scale,
  maxWidth: 2.6 * scale,
  velocityFilterWeight: 0.7,
  compositeOperation: 'source-over',
});

export interface SignatureFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The hash of the list that the file contains. */
  readonly shown: string;
}

/**
 * The file of a signature: a PNG, black on white, that contains the signed list and its hash (decision 109). The same
 * strokes under the same list are the same bytes.
 */
export async function signatureFile(
  { key }: LocalRoute,
  stop: LocalStop,
  draft: StopDraft,
  ink: Ink,
): Promise<SignatureFile> {
  const text = listText(stop, signedList(stop, draft));
  const shown = sha256Hex(text);
  const bytes = withTexts(await draw(ink), {
    'Tailgate route': `${key.facility} ${key.id} ${key.week_end}`,
    'Tailgate list': text,
    'Tailgate list SHA-256': shown,
  });
  return { bytes, shown };
}

async function draw(ink: Ink): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height, margin } = picture;
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const view = pictureView(ink, width, height, margin);
  const pad = new SignaturePad(canvas, { ...pen(view.scale), backgroundColor: '#fff' });
  pad.fromData(pointsOf(ink, view).map((points) => ({ ...pen(view.scale), points })));
  pad.off();
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('this phone has no memory for the picture');
  return new Uint8Array(await blob.arrayBuffer());
}
