import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip, zstdCompress, zstdDecompress } from 'node:zlib';
import type { Scope } from '@tailgate/sync-protocol';
import { contentOf, epochName, newHead, withText } from './head.ts';
import { snapshotBytes } from './patch-text.ts';
import { wholeScope, type Ask, type Reading } from './scope-readings.ts';

/** A snapshot as it goes out. */
export interface Snapshot {
  /** Weak: all encodings share it. */
  readonly etag: string;
  readonly body: Buffer;
}

/** One that was just read, and who may have it; null: the scope's name says it. */
export type FreshSnapshot = Snapshot & Pick<Reading, 'drivers'>;

/** Best first: what a caller likes equally, it gets in this order. */
export const snapshotEncodings = ['zstd', 'gzip'] as const;
export type SnapshotEncoding = (typeof snapshotEncodings)[number];

export type ReadScope = (ask: Ask) => Promise<{ readonly reading: Reading | undefined }>;

/** Of compressed snapshots: some thousand routes. */
const CACHE_BYTES = 64 * 1024 * 1024;
/** Of a megabyte: 24 kB in 1.1 ms. The default, 6, takes five times as long for 20 kB, and the first phone waits for it. */
const GZIP_LEVEL = 3;

const gzipped = promisify(gzip);
const coders = {
  /** Of the same megabyte: 9 kB in 0.3 ms. Browsers take it over HTTPS. */
  zstd: { compress: promisify(zstdCompress), decompress: promisify(zstdDecompress) },
  gzip: { compress: (bytes: Buffer) => gzipped(bytes, { level: GZIP_LEVEL }), decompress: promisify(gunzip) },
};

/** What was compressed, as it was. */
export const plainSnapshot = (body: Buffer, encoding: SnapshotEncoding): Promise<Buffer> =>
  coders[encoding].decompress(body);

/** The newest snapshot of each scope in each encoding, the one used longest ago dropped first. */
export class Snapshots {
  readonly #read: ReadScope;
  readonly #serverEpoch: number;
  readonly #kept = new Map<string, Snapshot>();
  /** Under way: by name for whoever asks first, by name and ETag for those who have seen where the scope stands. */
  readonly #making = new Map<string, Promise<FreshSnapshot | undefined>>();
  #bytes = 0;

  constructor(read: ReadScope, serverEpoch: number) {
    this.#read = read;
    this.#serverEpoch = serverEpoch;
  }

  /** Whether a look at where the scope stands may save reading all of it. */
  has(scope: Scope, encoding: SnapshotEncoding): boolean {
    const name = nameOf(scope, encoding);
    return this.#kept.has(name) || this.#making.has(name);
  }

  /** At `etag`, or newer where the scope has moved meanwhile; undefined where it has gone. */
  async at(etag: string, scope: Scope, encoding: SnapshotEncoding): Promise<Snapshot | undefined> {
    const name = nameOf(scope, encoding);
    const kept = this.#kept.get(name);
    if (kept?.etag === etag) {
      this.#keep(name, kept);
      return kept;
    }
    // Whoever came before us may have seen less of the scope than we have: the ETag tells.
    const begun = await this.#making.get(name)?.catch(() => undefined);
    if (begun?.etag === etag) return begun;
    const key = `${name} ${etag}`;
    return this.#making.get(key) ?? this.#begin(key, scope, encoding);
  }

  /** As it is now, read at once; undefined where there is no such scope. */
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
    this.#keep(nameOf(scope, encoding), snapshot);
    return { ...snapshot, drivers: reading.drivers };
  }

  #keep(name: string, snapshot: Snapshot): void {
    this.#drop(name);
    this.#kept.set(name, snapshot);
    this.#bytes += snapshot.body.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= CACHE_BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    const kept = this.#kept.get(name);
    if (!kept) return;
    this.#kept.delete(name);
    this.#bytes -= kept.body.length;
  }
}

const nameOf = (scope: Scope, encoding: SnapshotEncoding): string => `${encoding} ${scope}`;

export function etagOf(reading: Reading, serverEpoch: number): string {
  const [parked, awaited] = [reading.hosted?.parked ?? [], reading.awaited ?? []];
  const exceptions =
    parked.length + awaited.length > 0
      ? createHash('sha256')
          .update(JSON.stringify([parked, awaited]))
          .digest('base64url')
      : '';
  return `W/"${epochName(serverEpoch, reading)}-${reading.version}-${reading.hosted?.through ?? ''}${exceptions.slice(0, 8)}"`;
}
