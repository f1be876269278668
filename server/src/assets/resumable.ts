import { createHash } from 'node:crypto';
import type { AssetCommitment } from '@tailgate/sync-protocol';
import { assetIdBytes, assetIdText, spellAssetId } from '@tailgate/sync-protocol';
import { uuidArray } from '../db/arrays.ts';
import type { Queryable, Tx } from '../db/types.ts';
import { freshId } from '../stops/mutation-id.ts';
import { tellArrival } from './evidence.ts';
import { fileName } from './file-name.ts';
import {
  appendToIntake,
  beginIntake,
  countChunks,
  deleteChunks,
  findIntake,
  findWholeIntakes,
  repackChunks,
} from './intake-sql.ts';
import { detectType, sampleBytes } from './media-type.ts';
import { findAsset, readBytes } from './queries.ts';
import { dropIncoming, endIntake, insertAssets } from './sql.ts';
import type { UploadDeps } from './upload.ts';

export type ResumableDeps = Pick<UploadDeps, 'db' | 'commit' | 'clock' | 'arrived'>;

/** What somebody is about to send. */
export interface Announced {
  readonly id: string;
  /** Nobody else goes on with this upload, or hears how far it is. */
  readonly owner: string;
  readonly length: number;
  /** As it was sent. */
  readonly name: string;
  /** Undefined for an id that we made: then the bytes are taken as they come. */
  readonly sha256: Buffer | undefined;
}

/** An upload that goes on where it stands, or has ended. */
export interface Standing {
  readonly id: string;
  readonly name: string;
  readonly length: number;
  readonly received: number;
  /** When its last bytes came; undefined once it is an asset. */
  readonly activeAt: Date | undefined;
}

/** Somebody else has sent on the same upload meanwhile: ask how far it is. */
export class OffsetMoved extends Error {
  override readonly name = 'OffsetMoved';
}

/** The bytes are not those to which the id commits. Nothing of them is kept. */
export class OtherBytes extends Error {
  override readonly name = 'OtherBytes';
}

/** How long an upload waits for its next bytes: a phone may lie in a drawer over a week-end and a holiday. */
export const idleMs = 7 * 24 * 3_600_000;
/** Ends of uploads that a crash cut off are made up for by the sweep: not before whoever is at it has had its time. */
const leftAloneMs = 60_000;
/** What is held in memory of a running request, and lost where the process is killed. Two such make a chunk (decision 12). */
const pieceBytes = 128 * 1024;
const wholeASweep = 20;

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

/** The id that a device must have made of these facts. */
export function committedAssetId(commitment: AssetCommitment): string {
  return spellAssetId(createHash('sha256').update(assetIdText(commitment)).digest().subarray(0, assetIdBytes));
}

/**
 * Uploads that go on after whatever cuts them off. Safe at each point: bytes and the place where the next ones go are
 * one statement; an asset exists only with the commit that follows the look at all of its bytes; whoever dies between
 * the last byte and that commit is made up for by the next question, or by the sweep.
 */
export class ResumableUploads {
  readonly #deps: ResumableDeps;

  constructor(deps: ResumableDeps) {
    this.#deps = deps;
  }

  /** Makes room for what was announced; where it is under way, or here, it stays as it is. */
  async begin({ id, owner, length, name, sha256 }: Announced): Promise<Standing> {
    const { db, clock } = this.#deps;
    const asset = await this.#asset(id);
    if (asset) return asset;
    const row = [freshId(clock()), id, owner, length, fileName(name), sha256 ?? null, this.#expiry()];
    const { rows } = await db.query<Intake>(beginIntake, row);
    // A file without bytes has all of them, and one that came whole may lack its end.
    const begun = rows[0] && rows[0].received < rows[0].length ? standingOf(rows[0]) : await this.find(id, owner);
    if (!begun) throw new Error(`the upload of ${id} was swept while it began`);
    return begun;
  }

  /** How far an upload is; undefined where there is none of this owner. Ends it where only its end is missing. */
  async find(id: string, owner: string): Promise<Standing | undefined> {
    const intake = await this.#intake(id, owner);
    if (intake && intake.received < intake.length) return standingOf(intake);
    if (intake) await this.#finish(intake);
    return this.#asset(id);
  }

  /**
   * Takes bytes on from `offset` as they come, and makes an asset of them where they were the last. What came before a
   * connection broke is kept.
   *
   * @returns where the upload stands now
   * @throws OffsetMoved, OtherBytes
   */
  async append(id: string, owner: string, offset: number, bytes: AsyncIterable<Buffer>): Promise<number> {
    const intake = await this.#intake(id, owner);
    if (!intake || intake.received !== offset) throw new OffsetMoved(`the upload of ${id} is not at ${offset}`);
    const look = new ByteLook();
    const received = await this.#take(intake, bytes, look);
    // What this request has brought from the first byte to the last need not be read back.
    if (received === intake.length) await this.#finish(intake, offset === 0 ? look : undefined);
    return received;
  }

  /** Forgets an upload under way; an asset stays. */
  async drop(id: string, owner: string): Promise<boolean> {
    const intake = await this.#intake(id, owner);
    if (intake) await this.#deps.db.query(dropIncoming, [uuidArray([intake.content])]);
    return intake !== undefined;
  }

  /** Makes assets of uploads whose bytes are here and whose process died before it could. */
  async finishWhole(): Promise<void> {
    const before = new Date(this.#expiry().getTime() - leftAloneMs);
    const { rows } = await this.#deps.db.query<Intake>(findWholeIntakes, [before, wholeASweep]);
    for (const intake of rows) {
      try {
        await this.#finish(intake);
      } catch (error) {
        if (!(error instanceof OtherBytes)) throw error;
      }
    }
  }

  async #asset(id: string): Promise<Standing | undefined> {
    const asset = await findAsset(this.#deps.db, id);
    return asset && { id, name: asset.name, length: asset.size, received: asset.size, activeAt: undefined };
  }

  async #intake(id: string, owner: string): Promise<Intake | undefined> {
    const { rows } = await this.#deps.db.query<Intake>(findIntake, [id, owner]);
    return rows[0];
  }

  async #take({ content, received }: Intake, bytes: AsyncIterable<Buffer>, look: ByteLook): Promise<number> {
    let at = received;
    let held: Buffer[] = [];
    let heldBytes = 0;
    const save = async (piece: Buffer): Promise<void> => {
      if (piece.length === 0) return;
      const { rowCount } = await this.#deps.db.query(appendToIntake, [content, at, piece, this.#expiry()]);
      if (rowCount === 0) throw new OffsetMoved(`somebody else sends the upload ${content}`);
      at += piece.length;
    };
    try {
      for await (const bit of bytes) {
        look.add(bit);
        held.push(bit);
        heldBytes += bit.length;
        if (heldBytes < pieceBytes) continue;
        let whole = Buffer.concat(held);
        for (; whole.length >= pieceBytes; whole = whole.subarray(pieceBytes))
          await save(whole.subarray(0, pieceBytes));
        held = [whole];
        heldBytes = whole.length;
      }
    } catch (error) {
      // The sender's link broke. What came of it is sent no second time.
      if (!(error instanceof OffsetMoved)) await save(Buffer.concat(held));
      throw error;
    }
    await save(Buffer.concat(held));
    return at;
  }

  async #finish(intake: Intake, looked?: ByteLook): Promise<void> {
    const { db, commit } = this.#deps;
    const look = looked ?? (await this.#read(intake));
    const sha256 = look.sha256();
    if (intake.sha256 && !intake.sha256.equals(sha256)) {
      await db.query(dropIncoming, [uuidArray([intake.content])]);
      throw new OtherBytes(`the bytes of ${intake.asset_id} are not those that its id stands for`);
    }
    const mime = await detectType(look.sample, intake.name);
    await commit((tx) => this.#makeAsset(tx, intake, sha256, mime));
    await tellArrival(db, intake.asset_id);
    this.#deps.arrived?.(intake.length);
  }

  async #read({ content, asset_id: id, length: size }: Intake): Promise<ByteLook> {
    const look = new ByteLook();
    for await (const bytes of readBytes(this.#deps.db, { id, content, size })) look.add(bytes);
    return look;
  }

  async #makeAsset(tx: Tx, intake: Intake, sha256: Buffer, mime: string): Promise<void> {
    const { asset_id: id, name, length } = intake;
    const ended = await tx.query(endIntake, [uuidArray([intake.content])]);
    // Somebody else was faster: the next question, or this one's answer, finds the asset.
    if (ended.rowCount === 0) return;
    const content = await repack(tx, intake, freshId(this.#deps.clock()));
    const file = { id, seq: 1, content, name, mime, size: length, sha256 };
    const made = await tx.query(insertAssets, [id, this.#deps.clock(), ...insertAssets.parameters([file])]);
    // The same bytes under the same id, sent by another owner: once is enough.
    if (made.rowCount === 0) await tx.query(deleteChunks, [content]);
  }

  #expiry(): Date {
    return new Date(this.#deps.clock().getTime() + idleMs);
  }
}

/** What an asset's row says of its bytes, gathered as they pass. */
class ByteLook {
  readonly #hash = createHash('sha256');
  #sample: Buffer = Buffer.alloc(0);

  add(bytes: Buffer): void {
    this.#hash.update(bytes);
    if (this.#sample.length < sampleBytes) this.#sample = Buffer.concat([this.#sample, bytes]).subarray(0, sampleBytes);
  }

  get sample(): Buffer {
    return this.#sample;
  }

  /** Ends the look. */
  sha256(): Buffer {
    return this.#hash.digest();
  }
}

/** Many small pieces become few chunks, or each would cost its readers a statement for ever. */
async function repack(tx: Queryable, { content, length }: Intake, other: string): Promise<string> {
  const { rows } = await tx.query<{ chunks: number }>(countChunks, [content]);
  if ((rows[0]?.chunks ?? 0) <= 2 * Math.ceil(length / pieceBytes)) return content;
  await tx.query(repackChunks, [content, other, pieceBytes]);
  return other;
}

const standingOf = ({ asset_id: id, name, length, received, expires_at }: Intake): Standing => ({
  id,
  name,
  length,
  received,
  activeAt: new Date(expires_at.getTime() - idleMs),
});
