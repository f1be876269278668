import { StorageUnavailable } from '../db/unavailable.ts';

/** An object in a listing. */
export interface ListedObject {
  readonly key: string;
  readonly modifiedAt: Date;
}

/** The bytes from `start` on, `end` not included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * A store of objects by key. Objects are written once under a fresh key, and never changed.
 * All functions throw `StorageUnavailable` where a later retry may pass.
 */
export interface ObjectStore {
  put(key: string, bytes: Buffer): Promise<void>;
  /** Sends bytes of any length in parts, as they come. */
  putStream(key: string, bytes: AsyncIterable<Buffer>): Promise<void>;
  /** @returns the number of bytes; undefined without such an object */
  sizeOf(key: string): Promise<number | undefined>;
  /** @throws NoSuchObject */
  read(key: string, range: ByteRange): AsyncIterable<Buffer>;
  readText(key: string): Promise<string | undefined>;
  /** Keys that do not exist are no error. */
  delete(keys: readonly string[]): Promise<void>;
  /** @returns at most 1,000 objects in the order of their keys, `after` not included */
  list(prefix: string, after: string): Promise<ListedObject[]>;
  /** @returns why the store cannot be used, in one sentence for the operator; undefined where it can */
  fault(): Promise<string | undefined>;
  close(): void;
}

export class NoSuchObject extends Error {
  override readonly name = 'NoSuchObject';
}

/** The store does not answer, or the setting that names it is missing. */
export const storeUnavailable = (cause: unknown): StorageUnavailable =>
  new StorageUnavailable('the object store does not answer', { cause });
