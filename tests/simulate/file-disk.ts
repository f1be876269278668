import type { FileStore } from '@tailgate/client-sdk/uploads';
import { MemoryFiles } from '@tailgate/client-sdk/uploads';

interface Write {
  readonly run: () => Promise<void>;
  readonly done: () => void;
}

/** A phone's storage of files and their bytes. A write is atomic here, too, and a deletion is a write. */
export class FileDisk {
  #files = new MemoryFiles();
  /** Files that the server had when the app deleted them, or when a backup took the place of the disk. */
  readonly #former = new Map<string, { value: unknown; bytes: Buffer }>();
  #underWay: Write[] = [];
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
    const write = (run: () => Promise<void>): Promise<void> =>
      new Promise((done) => {
        if (isAlive()) this.#underWay.push({ run, done });
        this.#onBegin();
      });
    return {
      files: () => this.#files.files(),
      piece: (id, index) => this.#files.piece(id, index),
      put: (...put) => write(() => this.#files.put(...put)),
      remove: (id) => write(() => this.#remove(id)),
      close: () => Promise.resolve(),
    };
  }

  /** Ends the oldest write. */
  async finish(): Promise<void> {
    const write = this.#underWay.shift();
    if (!write) return;
    await write.run();
    write.done();
  }

  /** The app is gone. The first `completed` open writes have reached the disk. */
  async crash(completed: number): Promise<void> {
    const writes = this.#underWay;
    this.#underWay = [];
    for (const { run } of writes.slice(0, completed)) await run();
  }

  /** The records of the files that are or were on the disk, with their bytes. */
  async rows(): Promise<{ value: unknown; bytes: Buffer }[]> {
    const kept = new Map(this.#former);
    for (const { key, value } of await this.#files.files())
      kept.set(key, { value, bytes: Buffer.concat(await piecesOf(this.#files, key)) });
    return [...kept.values()];
  }

  /** All that has reached the disk, as a backup contains it. */
  image(): Promise<MemoryFiles> {
    return copyOf(this.#files);
  }

  /** The disk gets the content of a backup, unless that lacks a file that the server may not have yet. */
  async setTo(image: MemoryFiles, isHere: (value: unknown) => boolean): Promise<void> {
    const kept = new Set((await image.files()).map(({ key }) => key));
    const lost = (await this.#files.files()).filter(({ key }) => !kept.has(key));
    if (!lost.every(({ value }) => isHere(value))) return;
    for (const { key } of lost) await this.#remember(key);
    this.#files = await copyOf(image);
  }

  async #remove(id: string): Promise<void> {
    await this.#remember(id);
    await this.#files.remove(id);
  }

  async #remember(id: string): Promise<void> {
    const file = (await this.#files.files()).find(({ key }) => key === id);
    if (file) this.#former.set(id, { value: file.value, bytes: Buffer.concat(await piecesOf(this.#files, id)) });
  }
}

async function copyOf(files: MemoryFiles): Promise<MemoryFiles> {
  const copy = new MemoryFiles();
  for (const { key, value } of await files.files()) await copy.put(key, value, await piecesOf(files, key));
  return copy;
}

async function piecesOf(files: MemoryFiles, id: string): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let n = 0; ; n++) {
    const piece = await files.piece(id, n);
    if (piece === undefined) return pieces;
    pieces.push(piece);
  }
}
