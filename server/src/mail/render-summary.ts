import { join } from 'node:path';
import { Eta } from 'eta';
import type { DeliverySummary } from './delivery-summary.ts';
import { plainSummary } from './plain-summary.ts';
import type { PictureReference } from './summary-pictures.ts';

export interface RenderedSummary {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/**
 * What there is of a file. `shown`: its bytes are at `src`. `stored`: it is kept, but not shown here, because it is too
 * big or no image. `pending`: nobody has uploaded it yet. `href` is where a reader finds it, if anywhere.
 */
export type Picture =
  | { readonly kind: 'shown'; readonly src: string }
  | { readonly kind: 'stored' | 'pending'; readonly href: string | undefined };

/** The files that an asset id stands for, at least one. */
export type PicturesOf = (asset: string) => readonly Picture[];

export interface ListedPictures {
  /** `Signature`, `Photo 1`: by this the rest of the summary names them. */
  readonly label: string;
  readonly caption: string;
  readonly pictures: readonly Picture[];
}

/** What the templates get. */
export interface SummaryView extends Omit<DeliverySummary, 'signature' | 'photos'> {
  readonly signature: ListedPictures | undefined;
  readonly photos: readonly ListedPictures[];
  /** Photos that are not listed. */
  readonly morePhotos: number;
  /** Number of a photo; undefined where there is none. */
  readonly photoNumber: (asset: string | null) => number | undefined;
}

/** Photos that are listed one by one. A body can name two hundred thousand. */
const mostListed = 40;

const templates = new Eta({ views: join(import.meta.dirname, 'templates'), cache: true, rmWhitespace: true });

/** The summary as a mail, and as its preview: pictures apart, both are the same. */
export function renderSummary(summary: DeliverySummary, picturesOf: PicturesOf): RenderedSummary {
  const numbers = new Map(summary.photos.map(({ asset }, i) => [asset, i + 1]));
  const list = (label: string, { asset, caption }: PictureReference): ListedPictures => ({
    label,
    caption,
    pictures: picturesOf(asset),
  });
  const view: SummaryView = {
    ...summary,
    signature: summary.signature && list('Signature', summary.signature),
    photos: listedPhotos(summary).map((photo, i) => list(`Photo ${i + 1}`, photo)),
    morePhotos: Math.max(0, summary.photos.length - mostListed),
    photoNumber: (asset) => (asset === null ? undefined : numbers.get(asset)),
  };
  return { subject: summary.subject, html: templates.render('./summary', view), text: plainSummary(view) };
}

/** Ids of the files that a rendered summary asks for, the most telling first. */
export function picturedAssets(summary: DeliverySummary): string[] {
  const { signature } = summary;
  return [...(signature ? [signature] : []), ...listedPhotos(summary)].map(({ asset }) => asset);
}

const listedPhotos = ({ photos }: DeliverySummary): readonly PictureReference[] => photos.slice(0, mostListed);
