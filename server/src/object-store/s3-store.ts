import { Readable } from 'node:stream';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { NoSuchObject, storeUnavailable, type ByteRange, type ListedObject, type ObjectStore } from './object-store.ts';
import type { StoreAddress } from '../setting-values.ts';

/** The smallest part that S3 accepts, and the memory of one transfer. */
const partBytes = 5 * 1024 * 1024;
const attempts = 3;
const maxConnections = 50;

/** A store that accepts no connection, or stays silent this long, counts as away. */
export interface StoreTimeouts {
  readonly connectMs: number;
  readonly silenceMs: number;
}
const ordinaryTimeouts: StoreTimeouts = { connectMs: 2_000, silenceMs: 10_000 };

/** An S3-compatible store, by path-style addresses, which every such store accepts. */
export class S3Store implements ObjectStore {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor({ endpoint, bucket, region, credentials }: StoreAddress, timeouts = ordinaryTimeouts) {
    this.#bucket = bucket;
    this.#client = new S3Client({
      endpoint,
      region,
      forcePathStyle: true,
      maxAttempts: attempts,
      requestHandler: {
        connectionTimeout: timeouts.connectMs,
        socketTimeout: timeouts.silenceMs,
        httpAgent: { maxSockets: maxConnections, keepAlive: true },
        httpsAgent: { maxSockets: maxConnections, keepAlive: true },
      },
      ...(credentials && { credentials }),
    });
  }

  async put(key: string, bytes: Buffer): Promise<void> {
    await reached(this.#client.send(new PutObjectCommand({ ...this.#at(key), Body: bytes })));
  }

  async putStream(key: string, bytes: AsyncIterable<Buffer>): Promise<void> {
    const params = { ...this.#at(key), Body: Readable.from(bytes, { objectMode: false }) };
    await reached(new Upload({ client: this.#client, params, partSize: partBytes, queueSize: 1 }).done());
  }

  async sizeOf(key: string): Promise<number | undefined> {
    const answer = await reached(this.#client.send(new HeadObjectCommand(this.#at(key))).catch(undefinedIfMissing));
    return answer?.ContentLength;
  }

  async *read(key: string, { start, end }: ByteRange): AsyncGenerator<Buffer, void, undefined> {
    const command = new GetObjectCommand({ ...this.#at(key), Range: `bytes=${start}-${end - 1}` });
    const answer = await reached(this.#client.send(command).catch(undefinedIfMissing));
    if (!answer) throw new NoSuchObject(`the object store has no ${key}`);
    if (!(answer.Body instanceof Readable)) throw new TypeError('the answer of the object store is no stream');
    try {
      for await (const piece of answer.Body) {
        if (!Buffer.isBuffer(piece)) throw new TypeError('the object store sends no bytes');
        yield piece;
      }
    } catch (error) {
      throw error instanceof TypeError ? error : storeUnavailable(error);
    } finally {
      answer.Body.destroy();
    }
  }

  async readText(key: string): Promise<string | undefined> {
    const answer = await reached(this.#client.send(new GetObjectCommand(this.#at(key))).catch(undefinedIfMissing));
    return answer && (await reached(answer.Body?.transformToString() ?? Promise.resolve('')));
  }

  async delete(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
    const { Errors = [] } = await reached(
      this.#client.send(new DeleteObjectsCommand({ Bucket: this.#bucket, Delete })),
    );
    const [first] = Errors;
    if (first) throw storeUnavailable(new Error(`${Errors.length} objects were not deleted: ${first.Code}`));
  }

  async list(prefix: string, after: string): Promise<ListedObject[]> {
    const command = new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: prefix, StartAfter: after });
    const { Contents = [] } = await reached(this.#client.send(command));
    return Contents.flatMap(({ Key, LastModified }) =>
      Key !== undefined && LastModified ? [{ key: Key, modifiedAt: LastModified }] : [],
    );
  }

  async fault(): Promise<string | undefined> {
    try {
      await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }));
      return undefined;
    } catch (error) {
      const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
      if (status === 404) return `the bucket ${this.#bucket} does not exist`;
      if (status === 403 || status === 401) return `the credentials do not open the bucket ${this.#bucket}`;
      throw storeUnavailable(error);
    }
  }

  close(): void {
    this.#client.destroy();
  }

  #at(key: string) {
    return { Bucket: this.#bucket, Key: key };
  }
}

/** The SDK repeats requests. A lasting failure is a matter of the store or its settings. */
async function reached<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    throw storeUnavailable(error);
  }
}

function undefinedIfMissing(error: unknown): undefined {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  if (status === 404) return undefined;
  throw error;
}
