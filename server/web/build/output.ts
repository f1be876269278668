import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** `FOLDER.json` beside the folder of a built page: the server serves exactly these files. */
interface Listing {
  /** The hash of the sources and options that the files come from. */
  readonly sources: string;
  readonly files: Readonly<Record<string, ListedFile>>;
}

export interface OutputFile {
  readonly bytes: Uint8Array;
  /** Whether the name changes with the content. */
  readonly hashed: boolean;
}

interface ListedFile {
  /** `sha256-…`, as in the attribute `integrity`. */
  readonly integrity: string;
  /** Whether the name changes with the content, so that caches may keep the file for good. */
  readonly hashed: boolean;
  /** The compressed copies beside the file (`NAME.br`, `NAME.gz`), each with its integrity. */
  readonly encodings: Readonly<Partial<Record<Encoding, string>>>;
}

type Encoding = keyof typeof encoders;

const compressible = new Set(['.html', '.js', '.css', '.svg', '.webmanifest', '.json', '.txt', '.wasm']);
/** Above this size, the best quality takes seconds. */
const maxBestQualityBytes = 256 * 1024;
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
const encoders = {
  br: (bytes: Uint8Array) =>
    brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: bytes.byteLength > maxBestQualityBytes ? 9 : 11 } }),
  gz: (bytes: Uint8Array) => gzipped(bytes, { level: 9 }),
};

export const integrityOf = (bytes: Uint8Array): string =>
  `sha256-${createHash('sha256').update(bytes).digest('base64')}`;

/** The listing of an earlier build; nothing of one in another form. */
export async function readListing(folder: string): Promise<{ sources?: string; names: string[] }> {
  const text = await readIfThere(`${folder}.json`);
  const listing: unknown = text && JSON.parse(text.toString());
  if (typeof listing !== 'object' || listing === null) return { names: [] };
  const files = 'files' in listing && typeof listing.files === 'object' ? Object.keys(listing.files ?? {}) : [];
  return { ...('sources' in listing && { sources: String(listing.sources) }), names: files };
}

/**
 * Writes the files of a build with their compressed copies, then `FOLDER.json`, and deletes the files that the earlier
 * listing names alone. The listing comes last: a reader that finds other bytes than it names reads during a build.
 */
export async function writeOutput(
  folder: string,
  files: ReadonlyMap<string, OutputFile>,
  sources: string,
): Promise<void> {
  const before = await readListing(folder);
  const parts = `${folder}.${process.pid}.part`;
  await Promise.all([mkdir(folder, { recursive: true }), mkdir(parts, { recursive: true })]);
  try {
    const listed = await Promise.all([...files].map(([name, file]) => writeFileOf({ folder, parts, name }, file)));
    const listing: Listing = { sources, files: Object.fromEntries(listed.sort(([a], [b]) => (a < b ? -1 : 1))) };
    await writeWhole(`${folder}.json`, parts, Buffer.from(`${JSON.stringify(listing, null, 2)}\n`));
  } finally {
    await rm(parts, { recursive: true });
  }
  const outlived = before.names.filter((name) => name === basename(name) && !files.has(name));
  for (const name of outlived.flatMap((each) => [each, `${each}.br`, `${each}.gz`]))
    await rm(join(folder, name), { force: true });
}

/** An unchanged file keeps its compressed copies: compression takes most of the time of a build. */
async function writeFileOf(
  { folder, parts, name }: { readonly folder: string; readonly parts: string; readonly name: string },
  { bytes, hashed }: OutputFile,
): Promise<[string, ListedFile]> {
  const path = join(folder, name);
  const isKept = (await readIfThere(path))?.equals(bytes) ?? false;
  const encodings: Partial<Record<Encoding, string>> = {};
  if (compressible.has(extname(name)))
    for (const encoding of ['br', 'gz'] as const) {
      const kept = isKept ? await readIfThere(`${path}.${encoding}`) : undefined;
      const encoded = kept ?? (await encoders[encoding](bytes));
      if (!kept) await writeWhole(`${path}.${encoding}`, parts, encoded);
      encodings[encoding] = integrityOf(encoded);
    }
  // Last: a file with these bytes has its copies.
  if (!isKept) await writeWhole(path, parts, bytes);
  return [name, { integrity: integrityOf(bytes), hashed, encodings }];
}

const readIfThere = (path: string): Promise<Buffer | undefined> => readFile(path).catch(() => undefined);

/** A reader finds the old file or the new one, never a part of it. */
async function writeWhole(path: string, parts: string, bytes: Uint8Array): Promise<void> {
  const part = join(parts, basename(path));
  await writeFile(part, bytes);
  await rename(part, path);
}
