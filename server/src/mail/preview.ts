import { buffer } from 'node:stream/consumers';
import type { RouteKey } from '@tailgate/sync-protocol';
import type { Asset } from '../assets/queries.ts';
import { fileReader, type FileSource, type ReadFile } from '../assets/file-bytes.ts';
import type { Config } from '../config.ts';
import { deliverySummary } from './delivery-summary.ts';
import { findPictures } from './pictures.ts';
import { picturedAssets, renderSummary } from './render-summary.ts';
import { readSummarizedStop } from './stop-reading.ts';

/**
 * The delivery summary of a stop in its present state as a page: the content of the mail. Nothing is sent.
 *
 * If files are public, the page names them, by addresses relative to its own, so that it works behind any proxy.
 * If they need a driver's headers, the page includes their bytes.
 */
export async function previewSummary(
  { db, store }: FileSource,
  access: Config['access'],
  key: RouteKey,
  stop: number,
): Promise<{ html: string } | { missing: 'route' | 'stop' }> {
  const reading = await readSummarizedStop(db, key, stop);
  // A route that is incomplete on the host counts as missing.
  if (!reading?.published) return { missing: 'route' };
  if (!reading.stop) return { missing: 'stop' };
  const summary = deliverySummary(reading.stop);
  const { shown, picturesOf } = await findPictures(db, picturedAssets(summary));
  const open = access === 'documented';
  const carried = open ? undefined : await dataUrls(fileReader(db, store), shown);
  const addressOf = (asset: string): string => `../../v20/assets/raw/${asset}`;
  const pictures = picturesOf(
    ({ id }) => carried?.get(id) ?? addressOf(id),
    (id) => (open ? addressOf(id) : undefined),
  );
  return { html: renderSummary(summary, pictures).html };
}

async function dataUrls(readFile: ReadFile, assets: readonly Asset[]): Promise<Map<string, string>> {
  const urls = new Map<string, string>();
  for (const asset of assets) {
    const bytes = await buffer(readFile(asset));
    urls.set(asset.id, `data:${asset.mime};base64,${bytes.toString('base64')}`);
  }
  return urls;
}
