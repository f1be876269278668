import type { Config } from '../config.ts';
import type { Queryable } from '../db/types.ts';
import type { SummarizedStop } from './delivery-summary.ts';
import { deliverySummary } from './delivery-summary.ts';
import type { Enclosure, LinkTo } from './pictures.ts';
import { cidOf, encloseAll, findPictures } from './pictures.ts';
import type { RenderedSummary } from './render-summary.ts';
import { picturedAssets, renderSummary } from './render-summary.ts';

/** What a letter says, whoever gets it. */
export interface Contents extends RenderedSummary {
  readonly enclosures: readonly Enclosure[];
}

/**
 * The summary of a stop with its pictures and, where it has any, without them: the words are what counts, and some mail
 * servers take less than we send.
 */
export async function contentsOf(db: Queryable, stop: SummarizedStop, linkTo: LinkTo): Promise<[Contents, Contents?]> {
  const summary = deliverySummary(stop);
  const { shown, picturesOf } = await findPictures(db, picturedAssets(summary));
  const whole = renderSummary(
    summary,
    picturesOf((asset) => `cid:${cidOf(asset)}`, linkTo),
  );
  const contents = { ...whole, enclosures: encloseAll(db, shown) };
  if (shown.length === 0) return [contents];
  const bare = renderSummary(summary, (asset) => [{ kind: 'stored', href: linkTo(asset) }]);
  return [contents, { ...bare, enclosures: [] }];
}

/** Readers of mail have no driver's headers: they find a file only where everybody does, at an address that we know. */
export function mailLinks({ publicUrl, access }: Pick<Config, 'publicUrl' | 'access'>): LinkTo {
  if (publicUrl === undefined || access === 'strict') return () => undefined;
  return (asset) => `${publicUrl}/api/v20/assets/raw/${asset}`;
}
