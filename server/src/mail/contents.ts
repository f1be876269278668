import { fileReader, type FileSource } from '../assets/file-bytes.ts';
import type { Asset } from '../assets/queries.ts';
import type { Config } from '../config.ts';
import { readPresent } from '../tlog/read-log.ts';
import type { SummarizedStop } from './delivery-summary.ts';
import { deliverySummary } from './delivery-summary.ts';
import type { Enclosure, LinkTo } from './pictures.ts';
import { cidOf, encloseAll, findPictures } from './pictures.ts';
import type { RenderedSummary } from './render-summary.ts';
import { picturedAssets, renderSummary } from './render-summary.ts';

/** The content of a mail, the same for all recipients. */
export interface Contents extends RenderedSummary {
  readonly enclosures: readonly Enclosure[];
}

/**
 * The summary of a stop with its pictures, and with the newest checkpoint of the facility's log: each recipient then has
 * a piece that a rewritten history contradicts. Without pictures where the mail server refused the mail for them: the
 * words matter most.
 */
export async function contentsOf(
  { db, store }: FileSource,
  stop: SummarizedStop,
  { pictures, linkTo }: { readonly pictures: boolean; readonly linkTo: LinkTo },
): Promise<Contents> {
  const summary = { ...deliverySummary(stop), checkpoint: (await readPresent(db, stop.route.facility)) ?? '' };
  if (!pictures) {
    const bare = renderSummary(summary, (asset) => [{ kind: 'stored', href: linkTo(asset) }]);
    return { ...bare, enclosures: [] };
  }
  const { shown, picturesOf } = await findPictures(db, picturedAssets(summary));
  const showAs = (asset: Asset): string => `cid:${cidOf(asset)}`;
  return {
    ...renderSummary(summary, picturesOf(showAs, linkTo)),
    enclosures: encloseAll(fileReader(db, store), shown),
  };
}

/** Readers of mail have no driver's headers: they reach a file only where files are public, at a configured address. */
export function mailLinks({ publicUrl, access }: Pick<Config, 'publicUrl' | 'access'>): LinkTo {
  if (publicUrl === undefined || access === 'strict') return () => undefined;
  return (asset) => `${publicUrl}/api/v20/assets/raw/${asset}`;
}
