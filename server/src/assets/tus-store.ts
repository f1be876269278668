import type { Readable } from 'node:stream';
import { DataStore, Upload } from '@tus/server';
import { UploadRefusal } from './refusal.ts';
import type { ResumableUploads, UploadState } from './resumable.ts';
import { idleMs } from './resumable.ts';

/** Metadata of an upload in the form of tus clients; `asset_id`, `salt` and `sha256` are our own (docs/protocol.md). */
export type TusMetadata = Record<string, string | null>;

/**
 * Resumable uploads as a store of the tus library. The library passes ids only; the owner comes from the current request.
 * One owner neither reads nor writes an upload of another one, though both may name the same id.
 */
export class TusStore extends DataStore {
  readonly #uploads: ResumableUploads;
  readonly #ownerOfRequest: () => string | undefined;
  readonly #clock: () => Date;

  constructor(uploads: ResumableUploads, ownerOfRequest: () => string | undefined, clock: () => Date) {
    super();
    this.extensions = ['creation', 'creation-with-upload', 'expiration', 'termination'];
    this.#uploads = uploads;
    this.#ownerOfRequest = ownerOfRequest;
    this.#clock = clock;
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
    // The offset stays 0: a body in the same request begins there, and conflicts where the upload has more bytes.
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const upload = await this.#uploads.find(id, this.#owner);
    if (!upload) throw new UploadRefusal('UPLOAD_NOT_FOUND', 'There is no such upload.');
    return this.#uploadOf(upload);
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    return this.#uploads.append(id, this.#owner, offset, stream);
  }

  override async remove(id: string): Promise<void> {
    if (!(await this.#uploads.drop(id, this.#owner)))
      throw new UploadRefusal('UPLOAD_NOT_FOUND', 'There is no such upload.');
  }

  /** `creation_date` is the time of the last bytes. */
  override getExpiration(): number {
    return idleMs;
  }

  /**
   * The library compares `creation_date` with the clock of the machine, which may be wrong: the age of the upload by the
   * service's clock counts, as of the machine's present time.
   */
  #uploadOf({ id, length: size, received: offset, activeAt, name }: UploadState): Upload {
    const metadata = name === '' ? {} : { metadata: { filename: name } };
    const age = activeAt && this.#clock().getTime() - activeAt.getTime();
    const creation = age === undefined ? {} : { creation_date: new Date(Date.now() - age).toISOString() };
    return new Upload({ id, size, offset, ...metadata, ...creation });
  }

  get #owner(): string {
    const owner = this.#ownerOfRequest();
    if (owner === undefined) throw new Error('an upload without an owner');
    return owner;
  }
}
