import type { Readable } from 'node:stream';
import { DataStore, Upload } from '@tus/server';
import type { ResumableUploads, Standing } from '../../assets/resumable.ts';
import { idleMs } from '../../assets/resumable.ts';
import { TusRefusal } from './tus-refusal.ts';
import type { TusRequests } from './tus-server.ts';

/** Metadata of an upload, as tus clients know it; `asset_id`, `salt` and `sha256` are ours (docs/protocol.md). */
export type TusMetadata = Record<string, string | null>;

/**
 * Resumable uploads as the tus library sees them. It knows ids only: whose they are comes with the request. So one owner
 * neither reads nor writes what another one has begun, though both may name the same id.
 */
export class TusStore extends DataStore {
  readonly #uploads: ResumableUploads;
  readonly #requests: TusRequests;

  constructor(uploads: ResumableUploads, requests: TusRequests) {
    super();
    this.extensions = ['creation', 'creation-with-upload', 'expiration', 'termination'];
    this.#uploads = uploads;
    this.#requests = requests;
  }

  override async create(upload: Upload): Promise<Upload> {
    const { id, size: length = 0, metadata } = upload;
    const { filename, name, sha256 } = metadata ?? {};
    await this.#uploads.begin({
      id,
      owner: this.#owner,
      length,
      name: filename ?? name ?? '',
      sha256: sha256 ? Buffer.from(sha256, 'hex') : undefined,
    });
    // Its offset stays 0: a body that came along begins there, and is told off where the upload has gone on before.
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const standing = await this.#uploads.find(id, this.#owner);
    if (!standing) throw new TusRefusal('UPLOAD_NOT_FOUND');
    return uploadOf(standing);
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    return this.#uploads.append(id, this.#owner, offset, stream);
  }

  override async remove(id: string): Promise<void> {
    if (!(await this.#uploads.drop(id, this.#owner))) throw new TusRefusal('UPLOAD_NOT_FOUND');
  }

  /** From the last bytes: `creation_date` is when those came. */
  override getExpiration(): number {
    return idleMs;
  }

  get #owner(): string {
    const owner = this.#requests.getStore()?.owner;
    if (owner === undefined) throw new Error('an upload without an owner');
    return owner;
  }
}

function uploadOf({ id, length: size, received: offset, activeAt, name }: Standing): Upload {
  const metadata = name === '' ? {} : { metadata: { filename: name } };
  return new Upload({ id, size, offset, ...metadata, ...(activeAt && { creation_date: activeAt.toISOString() }) });
}
