import type { WaitingFiles } from '@tailgate/sync-protocol';
import type { HttpStack } from 'tus-js-client';
import { platform } from '../platform/environment.ts';
import type { Environment } from '../platform/environment.ts';
import { messageOf, NotSignedIn } from '../platform/errors.ts';
import { fields, text } from '../platform/reading.ts';
import type { UploadDeps, UploadsPart } from '../upload-port.ts';
import type { Watch } from '../platform/watch.ts';
import { Signal } from '../platform/watch.ts';
import type { FileInput, OpenFile } from './file-source.ts';
import { openInput, readPieces } from './file-source.ts';
import type { FileKind, FileState, FileStore, KeptFile } from './file-store.ts';
import { UploadLoop } from './loop.ts';
import { hexOf, computeAssetId, newSalt } from './asset-id.ts';
import type { PhotoOptions, ResizePhoto } from './photo.ts';
import { defaultPhotoOptions, reencode } from './photo.ts';
import type { UploadPort } from './port.ts';
import { openPort } from './port.ts';
import type { Sha256 } from './sha256.ts';
import { platformSha256 } from './sha256.ts';
import { BytesMissing, FileRegistry } from './file-registry.ts';

/** The options of `openUploads`. */
export interface UploadsOptions {
  /** The store of files; separate from the client's store. */
  readonly store: FileStore;
  /** How photos are reduced before they are stored, where the platform can; `false` stores the originals. */
  readonly photos?: Partial<PhotoOptions> | false;
  /** Reduces photos instead of `OffscreenCanvas`. Where it fails, the original is stored. */
  readonly resizePhoto?: ResizePhoto;
  /** Opens a file that is added by its address. */
  readonly openFile?: OpenFile;
  /**
   * Returns a new hash for each file. Default: WebCrypto; without it a script, which takes half a second per megabyte
   * where scripts are interpreted.
   */
  readonly sha256?: () => Sha256;
  /**
   * Bytes per request: the most that a broken request loses behind a proxy that passes on whole requests only. Default:
   * 1 MiB; 256 KiB with `fetch`, whose requests report no progress.
   */
  readonly chunkBytes?: number;
  /**
   * The HTTP stack, as `tus-js-client` defines it, for an app with a native network (pinned certificates); `fetchStack`
   * makes one of a `fetch`. Default: XMLHttpRequest in a page and `node:http` in Node, which report progress; without
   * them the client's `fetch`.
   */
  readonly httpStack?: HttpStack;
  /**
   * How long files remain after the server has them, in case it is restored from a backup, and failed ones after they
   * failed; ms. Default: seven days.
   */
  readonly keepMs?: number;
}

/** The description of a new file. */
export interface NewFile {
  readonly kind: FileKind;
  /** A display name. */
  readonly name?: string;
  /** The owner; default: the signed-in driver. */
  readonly employee?: string;
}

/** A file that the server does not have. */
export type UnsentFile = Pick<KeptFile, 'id' | 'employee' | 'kind' | 'name' | 'size' | 'added'>;

/** A file that the server refuses, or whose bytes are gone. The list keeps it for `keepMs`. */
export type FailedFile = Pick<KeptFile, 'id' | 'employee' | 'name'> & { readonly reason: string };

/** The state of this device's files. */
export interface UploadStatus {
  /** Unsent files, the current one included. */
  readonly waiting: number;
  /** Bytes of all unsent files, less the sent bytes of the current one. */
  readonly bytes: number;
  /** The unsent files, the oldest first. */
  readonly files: readonly UnsentFile[];
  readonly sending: { readonly id: string; readonly sent: number; readonly size: number } | undefined;
  /** Files that cannot be sent: take them again, or inform the office. */
  readonly failed: readonly FailedFile[];
}

/** A page or a worker; Node has the channel, too, but an open one would keep its process running. */
const isOfBrowser = 'document' in globalThis || 'WorkerGlobalScope' in globalThis;

const week = 7 * 86_400_000;

/** The message of a page that has discarded a file. */
const isDiscarded = fields({ discarded: text });

/**
 * Photos, signatures and documents of a device. An added file is on the disk. It is sent once a network is available,
 * resumes after an interruption, and survives a restart of the app. `createClient` runs it.
 */
export class Uploads implements UploadsPart {
  readonly status: Watch<UploadStatus>;
  readonly #status: Signal<UploadStatus>;
  readonly #options: UploadsOptions;
  readonly #registry: FileRegistry;
  #running: { readonly port: UploadPort; readonly loop: UploadLoop; readonly unsubscribe: () => void } | undefined;
  #driver: Watch<{ readonly employeeId: string } | undefined> | undefined;
  #sending: UploadStatus['sending'];
  #ended = false;
  #reading: Promise<void> = Promise.resolve();
  /** Pages and service worker share the files: one of them sends, all of them show the state. */
  readonly #channel: BroadcastChannel | undefined;

  /** Use `openUploads`. */
  constructor(registry: FileRegistry, options: UploadsOptions) {
    this.#registry = registry;
    this.#options = options;
    this.#channel = isOfBrowser ? new BroadcastChannel(options.store.name ?? 'tailgate-files') : undefined;
    this.#status = new Signal(this.#computeStatus());
    this.status = this.#status;
    registry.onChange(() => this.#showStatus());
    registry.onWrite(({ id }) => this.#channel?.postMessage(id));
    registry.onDiscard((discarded) => this.#channel?.postMessage({ discarded }));
    this.#channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (isDiscarded(data)) registry.drop(data.discarded);
      else this.#reread((loop) => loop.pump());
    });
  }

  /**
   * Stores a file; it is on the disk when this resolves. A stop refers to its `id`. The same bytes again are the same
   * file.
   *
   * @param input a blob, bytes, or an address that the option `openFile` opens
   * @throws NotSignedIn; an error after the client was closed; the platform's error where storage is full
   */
  async add(input: FileInput, { kind, name = '', employee }: NewFile): Promise<{ readonly id: string }> {
    if (this.#ended) throw new Error('these uploads were closed with their client: open new ones');
    const owner = employee ?? this.#driver?.current?.employeeId;
    if (owner === undefined) throw new NotSignedIn();
    const { pieces, length, sha256 } = await this.#read(kind === 'photo' ? await this.#reduce(input) : input);
    const { random, sha256: sha256OfText, clock } = this.#environment;
    const salt = this.#saltOf(owner) ?? newSalt(random);
    const id = await computeAssetId({ salt, length, sha256 }, sha256OfText);
    const known = this.#registry.find(id);
    // A failed file may be added again: its bytes may be available now.
    if (known && known.state.at !== 'failed') return { id };
    const facts = { id, employee: owner, kind, name, size: length, pieces: pieces.length, sha256, salt };
    const file: KeptFile = { ...facts, added: clock.now(), begun: false, state: { at: 'saved' } };
    await this.#registry.put(file, pieces);
    this.#running?.loop.pump();
    return { id };
  }

  /** The progress of a file; undefined where this device does not have it. */
  file(id: string): Watch<FileState | undefined> {
    return this.#registry.state(id);
  }

  /** The stored bytes of a file, such as for a thumbnail; undefined where this device does not have them. */
  async read(id: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const file = this.#registry.find(id);
    try {
      return file && (await this.#registry.bytesOf(file));
    } catch (error) {
      if (error instanceof BytesMissing) return undefined;
      throw error;
    }
  }

  /**
   * Deletes a file that the server does not have, such as a photo that was taken again. No recorded
   * change may name it, because the server would await it. Bytes that are under way may still arrive.
   */
  async discard(id: string): Promise<void> {
    const file = this.#registry.find(id);
    if (file) await this.#registry.discard(file);
  }

  /** Resolves when the server has verified and stored the file; rejects where it cannot be sent. */
  here(id: string): Promise<void> {
    const state = this.#registry.state(id);
    return new Promise((resolve, reject) => {
      const settle = (now: FileState | undefined): boolean => {
        if (now?.at === 'here') resolve();
        else if (now?.at === 'failed') reject(new Error(now.reason));
        else return false;
        return true;
      };
      if (settle(state.current)) return;
      const stop = state.subscribe((now) => {
        if (settle(now)) stop();
      });
    });
  }

  serve(driver: Watch<{ readonly employeeId: string } | undefined>): void {
    this.#driver = driver;
  }

  /** Called by the client that runs the uploads. */
  start(client: UploadDeps): void {
    const port = openPort(client);
    port.reportFiles((employee) => this.#waitingOf(employee));
    const { chunkBytes, httpStack, keepMs = week } = this.#options;
    const progress = (file: KeptFile | undefined, sent: number): void => {
      this.#sending = file && { id: file.id, sent, size: file.size };
      this.#showStatus();
    };
    const loop = new UploadLoop({ registry: this.#registry, port, chunkBytes, httpStack, keepMs, progress });
    let { connection, employeeId } = port.status.current;
    const unsubscribe = port.status.subscribe((status) => {
      if (status.connection === connection && status.employeeId === employeeId) return;
      ({ connection, employeeId } = status);
      if (connection === 'online') loop.wake();
      else loop.pump();
    });
    this.#running = { port, loop, unsubscribe };
    this.#reportWaiting();
    loop.pump();
  }

  /** Reads files of other pages, and tries again: the network may be back. */
  wake(): void {
    this.#reread((loop) => loop.wake());
  }

  #reread(then: (loop: UploadLoop) => void): void {
    const reading = this.#reading.then(() => this.#registry.reread(() => this.#running !== undefined));
    // One read after the other: a late result of an older read would show an older state.
    this.#reading = reading.then(
      () => this.#running && then(this.#running.loop),
      (error: unknown) => this.#running?.port.trouble('FILES', messageOf(error)),
    );
  }

  async makeRoom(): Promise<boolean> {
    return (await this.#registry.forget(() => true)) > 0;
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.#ended = true;
    running?.unsubscribe();
    this.#channel?.close();
    await running?.loop.stop();
    await this.#registry.close();
  }

  /** Reduces a photo as the app requests. After a failure the original is stored: it is evidence, too. */
  async #reduce(photo: FileInput): Promise<FileInput> {
    const { photos, resizePhoto = reencode } = this.#options;
    if (photos === false) return photo;
    try {
      return await resizePhoto(photo, { ...defaultPhotoOptions, ...photos });
    } catch (error) {
      this.#running?.port.trouble('PHOTO', messageOf(error));
      return photo;
    }
  }

  /** Reads the bytes to store and their hash in one pass. */
  async #read(input: FileInput) {
    const { openFile, sha256 = platformSha256 } = this.#options;
    const hash = sha256();
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    const source = await openInput(input, openFile);
    await readPieces(source, (piece) => {
      hash.update(piece);
      pieces.push(piece);
    });
    return { pieces, length: source.size, sha256: hexOf(await hash.digest()) };
  }

  get #environment(): Environment {
    return this.#running?.port.environment ?? platform;
  }

  /** One salt per driver on this device: the same photo of two drivers is two files. */
  #saltOf(employee: string): string | undefined {
    for (const file of this.#registry.files) if (file.employee === employee) return file.salt;
    return undefined;
  }

  #showStatus(): void {
    this.#status.set(this.#computeStatus());
    this.#reportWaiting();
  }

  #reportWaiting(): void {
    const files: Record<string, number> = {};
    for (const { employee } of this.#registry.waiting) files[employee] = (files[employee] ?? 0) + 1;
    this.#running?.port.waiting(files);
  }

  /** For the office. */
  #waitingOf(employee: string): WaitingFiles {
    const files = this.#registry.waiting.filter((file) => file.employee === employee);
    return {
      count: files.length,
      bytes: files.reduce((sum, { size }) => sum + size, 0),
      oldest_at: files.length > 0 ? new Date(Math.min(...files.map(({ added }) => added))).toISOString() : null,
    };
  }

  #computeStatus(): UploadStatus {
    const { waiting } = this.#registry;
    const sending = this.#sending;
    const bytes = waiting.reduce((sum, { size }) => sum + size, 0) - (sending?.sent ?? 0);
    const failed = [...this.#registry.files].flatMap(({ id, employee, name, state }) =>
      state.at === 'failed' ? [{ id, employee, name, reason: state.reason }] : [],
    );
    const files = waiting
      .map(({ id, employee, kind, name, size, added }): UnsentFile => ({ id, employee, kind, name, size, added }))
      .sort((a, b) => a.added - b.added);
    return { waiting: waiting.length, bytes: Math.max(bytes, 0), files, sending, failed };
  }
}

/** Opens the files of this device; a client has to run them before any is sent. */
export async function openUploads(options: UploadsOptions): Promise<Uploads> {
  return new Uploads(await FileRegistry.open(options.store), options);
}
