import type { Queryable } from '../db/types.ts';
import { expectAssets, findAsset as findAssetRow, findUpload, findUploads, markMissingAssets } from './sql.ts';

/** A file with stored bytes. */
export interface Asset {
  readonly id: string;
  /** Id of the first file of its upload, and its place there, from 1. */
  readonly batch: string;
  readonly seq: number;
  /** The sender's name without folders; may be empty. */
  readonly name: string;
  /** `type/subtype`. */
  readonly mime: string;
  readonly size: number;
  readonly sha256: Buffer;
  /** The content whose chunks are its bytes, unless they are an object. */
  readonly content: string;
  /** The key of its object; null where its bytes are rows. */
  readonly object: string | null;
}

/** Finds a file by its id; undefined for an unknown or an awaited file. */
export async function findAsset(db: Queryable, id: string): Promise<Asset | undefined> {
  const { rows } = await db.query<Asset>(findAssetRow, [id]);
  return rows[0];
}

/**
 * Finds the files of an id: for a primary id its whole upload in order, for any other id its own file (contract §3).
 */
export async function findUploadFiles(db: Queryable, id: string): Promise<Asset[]> {
  const { rows } = await db.query<Asset>(findUpload, [id]);
  return rows;
}

/** Finds all files of these ids, each once, those of an upload in its order. */
export async function findAssetsOf(db: Queryable, ids: readonly string[]): Promise<Asset[]> {
  const { rows } = await db.query<Asset>(findUploads, [ids]);
  return rows;
}

/** Creates rows for named files that have none, so that the host's header of each can show it as awaited. */
export async function expectFiles(db: Queryable, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length > 0) await db.query(expectAssets, [ids, now]);
}

/** Gives up files that were named before `before` and never arrived, at most `most`. Returns their ids. */
export async function markMissingFiles(db: Queryable, before: Date, max: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(markMissingAssets, [before, max]);
  return rows.map(({ id }) => id);
}
