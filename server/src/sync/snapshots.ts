import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip, zstdCompress, zstdDecompress } from 'node:zlib';
import type { Scope } from '@tailgate/sync-protocol';
import { ByteCache } from '../wire/byte-cache.ts';
import { contentOf, epochName, newHead, withText } from './head.ts';
import { snapshotBytes } from './patch-text.ts';
import { wholeScope, type ScopeRequest, type Reading } from './scope-readings.ts';

/** An encoded snapshot. */
export interface Snapshot {
  /** Weak: all encodings share it. */
  readonly etag: string;
  readonly body: Buffer;
}

/** A snapshot that was just read, with its readers; null where the scope's name determines them. */
export type FreshSnapshot = Snapshot & Pick<Reading, 'drivers'>;

/** In order of preference. */
export const snapshotEncodings = ['zstd', 'gzip'] as const;
export type SnapshotEncoding = (typeof snapshotEncodings)[number];

export type ReadScope = (request: ScopeRequest) => Promise<{ readonly reading: Reading | undefined }>;

/** The bound of the cache: some thousand routes. */
const CACHE_BYTES = 64 * 1024 * 1024;
/**
 * For a megabyte: 24 kB in 1.1 ms. The default, 6, takes five times as long for 20 kB, and the first phone waits for
 * it.
 */
const GZIP_LEVEL = 3;

const gzipped = promisify(gzip);
const coders = {
  /** For the same megabyte: 9 kB in 0.3 ms. Browsers accept it over HTTPS. */
  zstd: { compress: promisify(zstdCompress), decompress: promisify(zstdDecompress) },
  gzip: { compress: (bytes: Buffer) => gzipped(bytes, { level: GZIP_LEVEL }), decompress: promisify(gunzip) },
};

/** Decompresses a snapshot. */
export const plainSnapshot = (body: Buffer, encoding: SnapshotEncoding): Promise<Buffer> =>
  coders[encoding].decompress(body);

/** The newest snapshot of each scope in each encoding. */
export class Snapshots {
  readonly #read: ReadScope;
  readonly #serverEpoch: number;
  readonly #cache = new ByteCache<Snapshot>(CACHE_BYTES, ({ body }) => body.length);
  /**
   * Snapshots in the making: by name for the first caller, by name and ETag for callers that have the current version.
   */
  readonly #making = new Map<string, Promise<FreshSnapshot | undefined>>();

  constructor(read: ReadScope, serverEpoch: number) {
    this.#read = read;
    this.#serverEpoch = serverEpoch;
  }

  /** Whether reading the version first may save reading the whole scope. */
  has(scope: Scope, encoding: SnapshotEncoding): boolean {
    const name = nameOf(scope, encoding);
    return this.#cache.get(name) !== undefined || this.#making.has(name);
  }

  /**
   * The snapshot at `etag`, or a newer one where the scope has changed meanwhile; undefined where the scope has gone.
   */
  async at(etag: string, scope: Scope, encoding: SnapshotEncoding): Promise<Snapshot | undefined> {
    const name = nameOf(scope, encoding);
    const cached = this.#cache.get(name);
    if (cached?.etag === etag) {
      this.#cache.put(name, cached);
      return cached;
    }
    // An earlier caller may have started from an older version; the ETag shows it.
    const begun = await this.#making.get(name)?.catch(() => undefined);
    if (begun?.etag === etag) return begun;
    const key = `${name} ${etag}`;
    return this.#making.get(key) ?? this.#begin(key, scope, encoding);
  }

  /** Reads the whole scope at once; undefined where there is no such scope. */
  fresh(scope: Scope, encoding: SnapshotEncoding): Promise<FreshSnapshot | undefined> {
    return this.#begin(nameOf(scope, encoding), scope, encoding);
  }

  #begin(key: string, scope: Scope, encoding: SnapshotEncoding): Promise<FreshSnapshot | undefined> {
    const making = this.#make(scope, encoding).finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    return making;
  }

  async #make(scope: Scope, encoding: SnapshotEncoding): Promise<FreshSnapshot | undefined> {
    const { reading } = await this.#read(wholeScope(scope));
    if (!reading) return undefined;
    const epoch = epochName(this.#serverEpoch, reading);
    const content = contentOf(newHead(scope, reading), epoch, withText(reading.documents), []);
    const body = await coders[encoding].compress(snapshotBytes(content));
    const snapshot = { etag: etagOf(reading, this.#serverEpoch), body };
    this.#cache.put(nameOf(scope, encoding), snapshot);
    return { ...snapshot, drivers: reading.drivers };
  }
}

const nameOf = (scope: Scope, encoding: SnapshotEncoding): string => `${encoding} ${scope}`;

export function etagOf(reading: Reading, serverEpoch: number): string {
  const [parked, awaited, shadow] = [reading.hosted?.parked ?? [], reading.awaited ?? [], reading.hosted?.shadow ?? 0];
  const exceptions =
    parked.length + awaited.length + shadow > 0
      ? createHash('sha256')
          .update(JSON.stringify([parked, awaited, shadow]))
          .digest('base64url')
      : '';
  return `W/"${epochName(serverEpoch, reading)}-${reading.version}-${reading.hosted?.through ?? ''}${exceptions.slice(0, 8)}"`;
}
