import { join } from 'node:path';
import { Eta } from 'eta';
import { markHidden } from '../runtime/hidden-characters.ts';
import { plainSummary } from './plain-summary.ts';
import type {
  DeliverySummary,
  ListedPictures,
  PictureReference,
  PicturesOf,
  SentSummary,
  SummaryView,
} from './summary.ts';

export interface RenderedSummary {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** Photos that are listed one by one. A body can name two hundred thousand. */
const maxListed = 40;

const templates = new Eta({ views: join(import.meta.dirname, 'templates'), cache: true, rmWhitespace: true });

/**
 * The summary as a mail, and as its preview: both are the same apart from pictures and the checkpoint of the log. Recorded text may contain
 * characters that hide or reverse the words around them: a reader sees marks in their place.
 */
export function renderSummary(summary: DeliverySummary | SentSummary, picturesOf: PicturesOf): RenderedSummary {
  const numbers = new Map(summary.photos.map(({ asset }, i) => [asset, i + 1]));
  const list = (label: string, { asset, caption }: PictureReference): ListedPictures => ({
    label,
    caption,
    pictures: picturesOf(asset),
  });
  const view: SummaryView = {
    checkpoint: '',
    ...summary,
    signature: summary.signature && list('Signature', summary.signature),
    photos: listedPhotos(summary).map((photo, i) => list(`Photo ${i + 1}`, photo)),
    morePhotos: Math.max(0, summary.photos.length - maxListed),
    photoNumber: (asset) => (asset === null ? undefined : numbers.get(asset)),
  };
  return {
    subject: summary.subject,
    html: markHidden(templates.render('./summary', view)),
    text: markHidden(plainSummary(view)),
  };
}

/** Ids of the files in a rendered summary, the most important first. */
export function picturedAssets(summary: DeliverySummary): string[] {
  const { signature } = summary;
  return [...(signature ? [signature] : []), ...listedPhotos(summary)].map(({ asset }) => asset);
}

const listedPhotos = ({ photos }: DeliverySummary): readonly PictureReference[] => photos.slice(0, maxListed);
