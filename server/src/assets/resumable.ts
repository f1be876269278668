import { createHash } from 'node:crypto';
import type { AssetCommitment } from '@tailgate/sync-protocol';
import { assetIdBytes, assetIdText, formatAssetId } from '@tailgate/sync-protocol';
import { uuidArray } from '../db/arrays.ts';
import { withoutFlush } from '../db/without-flush.ts';
import type { Queryable, Tx } from '../db/types.ts';
import { freshId } from '../stops/mutation-id.ts';
import { notifyUploaded } from './evidence.ts';
import { fileName } from './file-name.ts';
import {
  appendToIntake,
  beginIntake,
  countChunks,
  deleteChunks,
  findIntake,
  findCompleteIntakes,
  repackChunks,
} from './intake-sql.ts';
import { detectType, sampleBytes } from './media-type.ts';
import { fileReader } from './file-bytes.ts';
import type { HeldFile } from './objects/direct.ts';
import { maxHeldBytes } from './objects/direct.ts';
import { addGone } from './objects/sql.ts';
import { findAsset } from './queries.ts';
import { dropIncoming, endIntake, insertAssets } from './sql.ts';
import type { UploadDeps } from './upload.ts';

export type ResumableDeps = Pick<UploadDeps, 'db' | 'commit' | 'clock' | 'objects' | 'arrived'>;

/** An announced upload. */
export interface Announced {
  readonly id: string;
  /** No other owner can continue or read this upload. */
  readonly owner: string;
  readonly length: number;
  /** The sender's name. */
  readonly name: string;
  /** Undefined for an id that the server made: it then takes any bytes. */
  readonly sha256: Buffer | undefined;
}

/** An upload that can continue, or has ended. */
export interface UploadState {
  readonly id: string;
  readonly name: string;
  readonly length: number;
  readonly received: number;
  /** When its last bytes arrived; undefined once it is an asset. */
  readonly activeAt: Date | undefined;
}

/** Another request has extended the same upload. The sender must ask for its length. */
export class OffsetMoved extends Error {
  override readonly name = 'OffsetMoved';
}

/** The bytes do not fit the id. The service deletes them. */
export class OtherBytes extends Error {
  override readonly name = 'OtherBytes';
}

/** How long an upload waits for its next bytes: over a week-end and a holiday. */
export const idleMs = 7 * 24 * 3_600_000;
/** The sweep ends uploads that a crash interrupted, after the running process has had its time. */
const leftAloneMs = 60_000;
/** The bytes of a running request in memory, which a crash loses. Two such pieces make a chunk (decision 12). */
const pieceBytes = 128 * 1024;
const maxFinished = 20;

interface Intake extends Record<string, unknown> {
  readonly content: string;
  readonly received: number;
  readonly asset_id: string;
  readonly owner: string;
  readonly length: number;
  readonly name: string;
  readonly sha256: Buffer | null;
  readonly expires_at: Date;
}

/** The id that a device computes from these facts. */
export function committedAssetId(commitment: AssetCommitment): string {
  return formatAssetId(createHash('sha256').update(assetIdText(commitment)).digest().subarray(0, assetIdBytes));
}

/**
 * Resumable uploads, safe at each point. One statement writes bytes and the place of the next ones. An asset exists
 * only after a commit that follows the check of all its bytes. If the process is killed between the last byte and that
 * commit, the next request or the sweep ends the upload.
 */
export class ResumableUploads {
  readonly #deps: ResumableDeps;

  constructor(deps: ResumableDeps) {
    this.#deps = deps;
  }

  /** Begins an announced upload. An open or complete one stays as it is. */
  async begin({ id, owner, length, name, sha256 }: Announced): Promise<UploadState> {
    const { db, clock } = this.#deps;
    const asset = await this.#asset(id);
    if (asset) return asset;
    const row = [freshId(clock()), id, owner, length, fileName(name), sha256 ?? null, this.#expiry()];
    const { rows } = await db.query<Intake>(beginIntake, row);
    // An empty file is complete, and a complete one may lack its end.
    const begun = rows[0] && rows[0].received < rows[0].length ? stateOf(rows[0]) : await this.find(id, owner);
    if (!begun) throw new Error('an upload was swept while it began');
    return begun;
  }

  /**
   * Reads the length of an upload; undefined without one of this owner. It ends the upload where only the end is
   * missing.
   */
  async find(id: string, owner: string): Promise<UploadState | undefined> {
    const intake = await this.#intake(id, owner);
    if (intake && intake.received < intake.length) return stateOf(intake);
    if (intake) await this.#finish(intake);
    return this.#asset(id);
  }

  /**
   * Appends bytes from `offset`, and creates an asset after the last one. Bytes received before a connection broke are
   * stored.
   *
   * @returns the new length
   * @throws OffsetMoved, OtherBytes
   */
  async append(id: string, owner: string, offset: number, bytes: AsyncIterable<Buffer>): Promise<number> {
    const intake = await this.#intake(id, owner);
    if (!intake || intake.received !== offset) throw new OffsetMoved(`the upload is not at ${offset}`);
    const summary = new ByteSummary();
    const held = this.#hold(intake);
    try {
      const { received, whole } = await this.#receive(intake, bytes, summary, held);
      // Bytes that this request brought from first to last need no second read.
      if (received === intake.length) await this.#finish(intake, offset === 0 ? summary : undefined, whole);
      return received;
    } finally {
      held?.release();
    }
  }

  /** Drops an open upload; an asset stays. */
  async drop(id: string, owner: string): Promise<boolean> {
    const intake = await this.#intake(id, owner);
    if (intake) await this.#deps.db.query(dropIncoming, [uuidArray([intake.content])]);
    return intake !== undefined;
  }

  /** Creates the assets of complete uploads of killed processes. */
  async finishComplete(): Promise<void> {
    const before = new Date(this.#expiry().getTime() - leftAloneMs);
    const { rows } = await this.#deps.db.query<Intake>(findCompleteIntakes, [before, maxFinished]);
    for (const intake of rows) {
      try {
        await this.#finish(intake);
      } catch (error) {
        if (!(error instanceof OtherBytes)) throw error;
      }
    }
  }

  async #asset(id: string): Promise<UploadState | undefined> {
    const asset = await findAsset(this.#deps.db, id);
    return asset && { id, name: asset.name, length: asset.size, received: asset.size, activeAt: undefined };
  }

  async #intake(id: string, owner: string): Promise<Intake | undefined> {
    const { rows } = await this.#deps.db.query<Intake>(findIntake, [id, owner]);
    return rows[0];
  }

  /** A small file that begins goes into an object, if its request brings all of it. */
  #hold({ received, length }: Intake): HeldFile | undefined {
    return received === 0 && length > 0 && length <= maxHeldBytes ? this.#deps.objects?.hold() : undefined;
  }

  /**
   * Saves bytes as rows while more arrive, or holds them until the file is whole; a crash then costs these bytes.
   * @returns the new length, and the whole file where nothing is saved yet
   */
  async #receive(
    intake: Intake,
    bytes: AsyncIterable<Buffer>,
    summary: ByteSummary,
    held: HeldFile | undefined,
  ): Promise<{ readonly received: number; readonly whole?: Buffer }> {
    const rows = new RowWriter(intake.received, (at, piece) => this.#save(intake, at, piece));
    let holds = held !== undefined;
    try {
      for await (const bit of bytes) {
        summary.add(bit);
        rows.add(bit);
        holds = holds && held?.add(bit) === true;
        if (!holds) await rows.savePieces();
      }
    } catch (error) {
      // The sender's connection broke. It does not repeat the received bytes.
      if (!(error instanceof OffsetMoved)) await rows.saveAll();
      throw error;
    }
    if (holds && rows.unsaved === intake.length) return { received: intake.length, whole: rows.bytes };
    await rows.saveAll();
    return { received: rows.at };
  }

  async #save({ content }: Intake, at: number, piece: Buffer): Promise<void> {
    const rowCount = await withoutFlush(this.#deps.db, [[appendToIntake, [content, at, piece, this.#expiry()]]]);
    if (rowCount === 0) throw new OffsetMoved(`another request sends the upload ${content}`);
  }

  /** @param whole all bytes, where no row has them */
  async #finish(intake: Intake, computed?: ByteSummary, whole?: Buffer): Promise<void> {
    const { db, commit, objects } = this.#deps;
    const summary = computed ?? (await this.#read(intake));
    const sha256 = summary.sha256();
    if (intake.sha256 && !intake.sha256.equals(sha256)) {
      await db.query(dropIncoming, [uuidArray([intake.content])]);
      throw new OtherBytes(`the bytes of content ${intake.content} do not match the id of their asset`);
    }
    const object = whole && (await objects?.store(whole));
    if (whole && object === undefined) await this.#saveWhole(intake, whole);
    const mime = await detectType(summary.sample, intake.name);
    await commit((tx) => this.#makeAsset(tx, intake, { sha256, mime, object }));
    await notifyUploaded(db, intake.asset_id);
    this.#deps.arrived?.(intake.length);
  }

  async #saveWhole(intake: Intake, whole: Buffer): Promise<void> {
    const rows = new RowWriter(0, (at, piece) => this.#save(intake, at, piece));
    rows.add(whole);
    await rows.saveAll();
  }

  async #read({ content, asset_id: id, length: size }: Intake): Promise<ByteSummary> {
    const summary = new ByteSummary();
    const read = fileReader(this.#deps.db, undefined);
    for await (const bytes of read({ id, content, size, object: null })) summary.add(bytes);
    return summary;
  }

  async #makeAsset(tx: Tx, intake: Intake, { sha256, mime, object }: Checked): Promise<void> {
    const { asset_id: id, name, length } = intake;
    const ended = await tx.query(endIntake, [uuidArray([intake.content])]);
    if (ended.rowCount === 0) {
      // Another request was faster: the next request, or the answer to this one, finds the asset.
      if (object !== undefined) await tx.query(addGone, [[object], this.#deps.clock()]);
      return;
    }
    const content = object === undefined ? await repack(tx, intake, freshId(this.#deps.clock())) : intake.content;
    const file = { id, seq: 1, content, name, mime, size: length, sha256, object: object ?? null };
    const made = await tx.query(insertAssets, [id, this.#deps.clock(), ...insertAssets.parameters([file])]);
    // Another owner has sent the same bytes under the same id: one copy is enough.
    const isSecond = made.rowCount === 0;
    if (isSecond && object !== undefined) await tx.query(addGone, [[object], this.#deps.clock()]);
    // A request that broke off may have saved some of the object's bytes, too.
    if (isSecond || object !== undefined) await tx.query(deleteChunks, [content]);
  }

  #expiry(): Date {
    return new Date(this.#deps.clock().getTime() + idleMs);
  }
}

/** The findings of the check of an upload. */
interface Checked {
  readonly sha256: Buffer;
  readonly mime: string;
  /** The key of its object; undefined where its bytes are rows. */
  readonly object: string | undefined;
}

/** Bytes on their way into rows, of `pieceBytes` but for the last one. */
class RowWriter {
  readonly #save: (at: number, piece: Buffer) => Promise<void>;
  #at: number;
  #pieces: Buffer[] = [];
  #unsaved = 0;

  constructor(at: number, save: (at: number, piece: Buffer) => Promise<void>) {
    this.#at = at;
    this.#save = save;
  }

  /** The place behind the last saved byte. */
  get at(): number {
    return this.#at;
  }

  get unsaved(): number {
    return this.#unsaved;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  add(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#unsaved += bytes.length;
  }

  /** Saves the full pieces. */
  async savePieces(): Promise<void> {
    if (this.#unsaved < pieceBytes) return;
    const all = this.bytes;
    const full = all.length - (all.length % pieceBytes);
    for (let from = 0; from < full; from += pieceBytes) await this.#saveOne(all, from, from + pieceBytes);
  }

  async saveAll(): Promise<void> {
    await this.savePieces();
    if (this.#unsaved > 0) await this.#saveOne(this.bytes, 0, this.#unsaved);
  }

  async #saveOne(all: Buffer, from: number, to: number): Promise<void> {
    await this.#save(this.#at, all.subarray(from, to));
    this.#at += to - from;
    this.#pieces = [all.subarray(to)];
    this.#unsaved = all.length - to;
  }
}

/** Digest and type sample of an asset, computed while its bytes pass. */
class ByteSummary {
  readonly #hash = createHash('sha256');
  #sample: Buffer = Buffer.alloc(0);

  add(bytes: Buffer): void {
    this.#hash.update(bytes);
    if (this.#sample.length < sampleBytes) this.#sample = Buffer.concat([this.#sample, bytes]).subarray(0, sampleBytes);
  }

  get sample(): Buffer {
    return this.#sample;
  }

  /** Ends the computation. */
  sha256(): Buffer {
    return this.#hash.digest();
  }
}

/** Merges many small pieces into few chunks: each chunk costs every reader a statement. */
async function repack(tx: Queryable, { content, length }: Intake, other: string): Promise<string> {
  const { rows } = await tx.query<{ chunks: number }>(countChunks, [content]);
  if ((rows[0]?.chunks ?? 0) <= 2 * Math.ceil(length / pieceBytes)) return content;
  await tx.query(repackChunks, [content, other, pieceBytes]);
  return other;
}

const stateOf = ({ asset_id: id, name, length, received, expires_at }: Intake): UploadState => ({
  id,
  name,
  length,
  received,
  activeAt: new Date(expires_at.getTime() - idleMs),
});
