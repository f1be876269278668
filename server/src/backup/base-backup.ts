import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { reasonOf, StartError } from '../runtime/start-error.ts';
import { ARCHIVE, MANIFEST, nameOf, PARTIAL } from './backups.ts';

/**
 * Writes a base backup of the whole PostgreSQL into a new folder of `into`: an archive and a manifest, as `pg_basebackup
 * --format=tar --gzip --wal-method=fetch` writes them. The log of the time of the backup is in it. The folder has its name
 * once everything is on the disk.
 *
 * @param url a role that may replicate
 * @returns the folder
 * @throws StartError where PostgreSQL refuses, or the folder takes no more
 */
export async function takeBackup(url: string, into: string, now: Date): Promise<string> {
  const folder = join(into, nameOf(now));
  const partial = `${folder}${PARTIAL}`;
  const client = await connect(url);
  try {
    await mkdir(partial, { recursive: true, mode: 0o700 });
    const receiver = new Receiver(client, partial);
    client.query(receiver);
    await receiver.done;
    await sync(partial);
    await rename(partial, folder);
    await sync(into);
    return folder;
  } catch (cause) {
    await rm(partial, { recursive: true, force: true });
    throw refusalOf(cause, into);
  } finally {
    await client.end();
  }
}

function refusalOf(cause: unknown, into: string): unknown {
  if (cause instanceof pg.DatabaseError)
    return new StartError(`PostgreSQL made no backup: ${cause.message}`, { cause });
  const isOfSystem = cause instanceof Error && 'syscall' in cause;
  return isOfSystem ? new StartError(`no backup was made in ${into}: ${cause.message}`, { cause }) : cause;
}

async function connect(url: string): Promise<pg.Client> {
  const address = new URL(url);
  address.searchParams.set('replication', 'true');
  address.searchParams.set('application_name', 'tailgate backup');
  const client = new pg.Client({ connectionString: address.href, keepAlive: true });
  // A connection that breaks fails the query, too.
  client.on('error', () => undefined);
  await client.connect().catch((cause: unknown) => {
    const needs = 'a role that may replicate (alter role … replication; pg_hba.conf: replication)';
    throw new StartError(`a backup needs ${needs}: ${reasonOf(cause)} (BACKUP_URL)`, { cause });
  });
  return client;
}

const COMMAND = `BASE_BACKUP (LABEL 'tailgate', CHECKPOINT 'fast', WAL true, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')`;

/**
 * Receives the answer: result sets, then copy data. Each message begins with its kind: `n` a new archive, `m` the manifest,
 * `d` bytes of the present one, `p` progress (PostgreSQL's documentation, streaming replication protocol).
 */
class Receiver implements pg.Submittable {
  readonly done: Promise<void>;
  readonly #client: pg.Client;
  readonly #folder: string;
  readonly #settle: { resolve: () => void; reject: (error: Error) => void };
  readonly #files: Promise<unknown>[] = [];
  #sink: Writable | undefined;
  #failure: Error | undefined;
  #isPaused = false;

  constructor(client: pg.Client, folder: string) {
    this.#client = client;
    this.#folder = folder;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.done = promise;
    this.#settle = { resolve, reject };
    client.once('end', () => reject(new StartError('the connection broke during the backup')));
  }

  submit(connection: pg.Connection): void {
    connection.query(COMMAND);
  }

  handleRowDescription(): void {
    // Positions in the log and table spaces: the archive contains both.
  }

  handleDataRow(): void {
    // As above.
  }

  handleCommandComplete(): void {
    // The end of one of several results.
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    if (this.#failure) return;
    const kind = chunk.toString('latin1', 0, 1);
    if (kind === 'n') this.#begin(chunk.toString('utf8', 1, chunk.indexOf(0, 1)));
    else if (kind === 'm') this.#open(MANIFEST);
    // The parser uses its buffer again.
    else if (kind === 'd') this.#write(Buffer.from(chunk.subarray(1)));
  }

  handleError(error: Error): void {
    this.#settle.reject(error);
  }

  handleReadyForQuery(): void {
    this.#sink?.end();
    if (this.#failure) return this.#settle.reject(this.#failure);
    Promise.all(this.#files).then(() => this.#settle.resolve(), this.#settle.reject);
  }

  #begin(archive: string): void {
    if (archive === 'base.tar') return this.#open(ARCHIVE);
    this.#fail(new StartError(`table spaces outside of the data folder (${archive}): use pg_basebackup`));
  }

  #open(name: string): void {
    this.#sink?.end();
    const file = createWriteStream(join(this.#folder, name), { mode: 0o600, flush: true });
    const written = finished(file);
    // A full disk fails it before anything awaits it.
    written.catch((error: Error) => this.#fail(error));
    this.#files.push(written);
    if (name === ARCHIVE) {
      // Photos do not compress; tables do at the lowest level, too.
      this.#sink = createGzip({ level: 1, chunkSize: 1 << 20 });
      this.#sink.pipe(file);
    } else {
      this.#sink = file;
    }
    // A file that the next one ends emits no `drain` any more.
    for (const event of ['drain', 'finish']) this.#sink.on(event, () => this.#resume());
  }

  /** A slow disk slows PostgreSQL down. Messages that the socket has read already still arrive. */
  #write(bytes: Buffer): void {
    const sink = this.#sink;
    if (!sink || sink.write(bytes) || this.#isPaused) return;
    this.#isPaused = true;
    this.#client.connection.stream.pause();
  }

  #resume(): void {
    this.#isPaused = false;
    this.#client.connection.stream.resume();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#settle.reject(error);
  }
}

/** A folder's names outlive a power cut. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
