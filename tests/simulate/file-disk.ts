import type { FileStore, KeptFile } from '@tailgate/client-sdk/uploads';
import { MemoryFiles } from '@tailgate/client-sdk/uploads';

type Put = Parameters<FileStore['put']>;

/** Where a phone keeps files and their bytes: a write of it is whole or not at all, too. */
export class FileDisk {
  readonly #files = new MemoryFiles();
  #underWay: { readonly put: Put; readonly done: () => void }[] = [];
  #begun: () => void = () => undefined;

  get isWriting(): boolean {
    return this.#underWay.length > 0;
  }

  /** Resolves when a write is begun: what is computed before it is no part of the world's time. */
  untilWriting(): Promise<void> {
    return new Promise((resolve) => (this.#begun = resolve));
  }

  /** The disk as one run of the app has it. */
  store(isAlive: () => boolean): FileStore {
    return {
      files: () => this.#files.files(),
      piece: (id, index) => this.#files.piece(id, index),
      put: (...put) =>
        new Promise((done) => {
          if (isAlive()) this.#underWay.push({ put, done });
          this.#begun();
        }),
      remove: (id) => this.#files.remove(id),
      close: () => Promise.resolve(),
    };
  }

  /** Ends the write that was begun first. */
  async finish(): Promise<void> {
    const write = this.#underWay.shift();
    if (!write) return;
    await this.#files.put(...write.put);
    write.done();
  }

  /** The app is gone: of what was under way, so many writes have reached the disk. */
  async lose(kept: number): Promise<void> {
    const writes = this.#underWay;
    this.#underWay = [];
    for (const { put } of writes.slice(0, kept)) await this.#files.put(...put);
  }

  /** What the disk holds, with the bytes. */
  async kept(isFile: (value: unknown) => value is KeptFile): Promise<{ file: KeptFile; bytes: Buffer }[]> {
    const rows = await this.#files.files();
    return Promise.all(
      rows
        .map(({ value }) => value)
        .filter(isFile)
        .map(async (file) => {
          const pieces = Array.from({ length: file.pieces }, (_, n) => this.#files.piece(file.id, n));
          const bytes = (await Promise.all(pieces)).map((piece) => piece ?? Buffer.alloc(0));
          return { file, bytes: Buffer.concat(bytes) };
        }),
    );
  }
}
