import type { Asset } from '../assets/queries.ts';
import type { ReadFile } from '../assets/file-bytes.ts';
import { findAssetsOf } from '../assets/queries.ts';
import type { Queryable } from '../db/types.ts';
import type { Picture, PicturesOf } from './summary.ts';

/**
 * Types that mail programs and browsers show, with their file extensions. SVG is not among them: it can contain
 * programs.
 */
const shownTypes: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  // Not a registered name, but common on phones.
  'image/jpg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
};
/** Bytes that go with a mail. In base64 they are a third more, and many mail servers take 10 MB. */
const maxBytes = 7 * 1024 * 1024;

/** The files of a summary: those that it shows, and the state of the others. */
export interface PictureFiles {
  readonly shown: readonly Asset[];
  readonly picturesOf: (showAs: (asset: Asset) => string, linkTo: LinkTo) => PicturesOf;
}

/** The address of a file for readers, by its id; undefined where readers have none. */
export type LinkTo = (asset: string) => string | undefined;

/**
 * Looks up the files of a summary. A primary id covers its whole upload (contract §3), less the files that are named by
 * their own ids. @param ids the most important first: the last ones are left out where they are too many
 */
export async function findPictures(db: Queryable, ids: readonly string[]): Promise<PictureFiles> {
  const assets = ids.length === 0 ? [] : await findAssetsOf(db, ids);
  const filesOf = filesByName(assets, ids);
  const shown: Asset[] = [];
  let bytes = 0;
  for (const asset of new Set(ids.flatMap(filesOf))) {
    if (!Object.hasOwn(shownTypes, asset.mime) || asset.size === 0 || bytes + asset.size > maxBytes) continue;
    bytes += asset.size;
    shown.push(asset);
  }
  return {
    shown,
    picturesOf: (showAs, linkTo) => (id) => {
      const pictures = filesOf(id).map((asset): Picture =>
        shown.includes(asset) ? { kind: 'shown', src: showAs(asset) } : { kind: 'stored', href: linkTo(asset.id) },
      );
      return pictures.length > 0 ? pictures : [{ kind: 'pending', href: linkTo(id) }];
    },
  };
}

/** The files of each id among `ids`: its own file, and those of its upload that no other id names (contract §3). */
export function filesByName<File extends Pick<Asset, 'id' | 'batch'>>(
  files: readonly File[],
  ids: readonly string[],
): (id: string) => File[] {
  const named = new Set(ids);
  return (id) => files.filter((file) => file.id === id || (file.batch === id && !named.has(file.id)));
}

/** A file as part of a mail. */
export interface Enclosure {
  /** Its name in the HTML part. */
  readonly cid: string;
  readonly fileName: string;
  readonly mime: string;
  /** Its bytes, read as the mail server takes them. */
  readonly open: () => AsyncIterable<Buffer>;
}

export function encloseAll(readFile: ReadFile, assets: readonly Asset[]): Enclosure[] {
  return assets.map((asset, i) => ({
    cid: cidOf(asset),
    // Not the uploaded name, which is foreign text.
    fileName: `picture-${i + 1}.${shownTypes[asset.mime]}`,
    mime: asset.mime === 'image/jpg' ? 'image/jpeg' : asset.mime,
    open: () => readFile(asset),
  }));
}

export const cidOf = ({ id }: Asset): string => `${id}@tailgate`;
