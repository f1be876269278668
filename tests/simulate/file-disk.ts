import type { FileStore } from '@tailgate/client-sdk/uploads';
import { MemoryFiles } from '@tailgate/client-sdk/uploads';

type Put = Parameters<FileStore['put']>;

/** A phone's storage of files and their bytes. A write is atomic here, too. */
export class FileDisk {
  readonly #files = new MemoryFiles();
  #underWay: { readonly put: Put; readonly done: () => void }[] = [];
  #onBegin: () => void = () => undefined;

  get isWriting(): boolean {
    return this.#underWay.length > 0;
  }

  /** Resolves when a write begins. Computation before the write is not part of the world's time. */
  untilWriting(): Promise<void> {
    return new Promise((resolve) => (this.#onBegin = resolve));
  }

  /** The disk as one run of the app sees it. */
  store(isAlive: () => boolean): FileStore {
    return {
      files: () => this.#files.files(),
      piece: (id, index) => this.#files.piece(id, index),
      put: (...put) =>
        new Promise((done) => {
          if (isAlive()) this.#underWay.push({ put, done });
          this.#onBegin();
        }),
      remove: (id) => this.#files.remove(id),
      close: () => Promise.resolve(),
    };
  }

  /** Ends the oldest write. */
  async finish(): Promise<void> {
    const write = this.#underWay.shift();
    if (!write) return;
    await this.#files.put(...write.put);
    write.done();
  }

  /** The app is gone. The first `completed` open writes have reached the disk. */
  async crash(completed: number): Promise<void> {
    const writes = this.#underWay;
    this.#underWay = [];
    for (const { put } of writes.slice(0, completed)) await this.#files.put(...put);
  }

  /** The records of the files on the disk, with their bytes. */
  async rows(): Promise<{ value: unknown; bytes: Buffer }[]> {
    const rows = await this.#files.files();
    return Promise.all(
      rows.map(async ({ key, value }) => {
        const pieces: Uint8Array[] = [];
        for (let n = 0; ; n++) {
          const piece = await this.#files.piece(key, n);
          if (piece === undefined) return { value, bytes: Buffer.concat(pieces) };
          pieces.push(piece);
        }
      }),
    );
  }
}
