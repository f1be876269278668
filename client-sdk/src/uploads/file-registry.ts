import { callAll, Signal } from '../platform/watch.ts';
import type { FileState, FileStore, KeptFile } from './file-store.ts';
import { fileKinds, isKeptFile } from './file-store.ts';
import { joined } from './sha256.ts';

/** An unsent file has gone from the storage. */
export class BytesMissing extends Error {
  override readonly name = 'Vanished';
}

/** Whether another page has added a failed file again: its record is newer than the state of the page that sends. */
const isAddedAgain = (known: KeptFile, stored: KeptFile): boolean =>
  known.state.at === 'failed' && stored.state.at === 'saved' && stored.added !== known.added;

/** All files of this device: the stored records, in memory. The page that sends is the only writer of their states. */
export class FileRegistry {
  readonly #store: FileStore;
  readonly #files = new Map<string, KeptFile>();
  readonly #states = new Map<string, Signal<FileState | undefined>>();
  readonly #listeners = new Set<(file: KeptFile) => void>();
  #onWritten: (file: KeptFile) => void = () => {};
  #onDiscarded: (id: string) => void = () => {};

  private constructor(store: FileStore) {
    this.#store = store;
  }

  static async open(store: FileStore): Promise<FileRegistry> {
    const registry = new FileRegistry(store);
    await registry.reread();
    return registry;
  }

  /**
   * Reads files and states that other pages have stored.
   *
   * @param sends whether this page sends: its own states are then newer than the stored ones; asked after the read
   */
  async reread(sends: () => boolean = () => false): Promise<void> {
    for (const { value } of await this.#store.files()) {
      if (!isKeptFile(value)) continue;
      const known = this.#files.get(value.id);
      if (!known || isAddedAgain(known, value) || (!sends() && known.state.at !== value.state.at)) this.#update(value);
    }
  }

  get files(): IterableIterator<KeptFile> {
    return this.#files.values();
  }

  find(id: string): KeptFile | undefined {
    return this.#files.get(id);
  }

  state(id: string): Signal<FileState | undefined> {
    const known = this.#states.get(id) ?? new Signal(this.#files.get(id)?.state);
    this.#states.set(id, known);
    return known;
  }

  /** Calls the listener with each file whose state has changed. */
  onChange(listener: (file: KeptFile) => void): void {
    this.#listeners.add(listener);
  }

  /** Calls the listener with each file that this page has written. */
  onWrite(listener: (file: KeptFile) => void): void {
    this.#onWritten = listener;
  }

  /** Calls the listener with the id of each file that this page has discarded. */
  onDiscard(listener: (id: string) => void): void {
    this.#onDiscarded = listener;
  }

  /** Unsent files in the order of sending: signatures, documents, photos, each by age. */
  get waiting(): KeptFile[] {
    const rank = ({ kind }: KeptFile): number => fileKinds.indexOf(kind);
    return [...this.#files.values()]
      .filter(({ state }) => state.at === 'saved')
      .sort((a, b) => rank(a) - rank(b) || a.added - b.added);
  }

  /**
   * Stores a file with its bytes; durable when it resolves. On a full disk it first deletes files that the server has.
   */
  async put(file: KeptFile, pieces: readonly Uint8Array<ArrayBuffer>[]): Promise<void> {
    try {
      await this.#store.put(file.id, file, pieces);
    } catch (error) {
      if ((await this.forget(() => true)) === 0) throw error;
      await this.#store.put(file.id, file, pieces);
    }
    this.#update(file);
    this.#onWritten(file);
  }

  /**
   * Sets the state of a file, at once for this run. On a full disk it deletes files that the server has, this one
   * included. If no write succeeds, a later run asks the server again.
   */
  async move(file: KeptFile, state: FileState): Promise<void> {
    const known = this.#files.get(file.id);
    if (!known) return; // deleted meanwhile
    const updated = { ...known, state };
    this.#update(updated);
    try {
      await this.#store.put(updated.id, updated);
    } catch (error) {
      if ((await this.forget(() => true)) === 0) throw error;
      if (state.at !== 'here') await this.#store.put(updated.id, updated);
    }
    this.#onWritten(updated);
  }

  /** Its bytes begin to leave this device: the next attempt asks the server for the offset. */
  async begin({ id }: KeptFile): Promise<void> {
    const file = this.#files.get(id);
    if (!file || file.begun === true) return;
    const begun = { ...file, begun: true };
    this.#files.set(id, begun);
    await this.#store.put(id, begun);
  }

  /** The bytes of a file. Throws `BytesMissing` where a piece is gone. */
  async bytesOf({ id, pieces: count, size, name }: KeptFile): Promise<Uint8Array<ArrayBuffer>> {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for (let i = 0; i < count; i++) {
      const piece = await this.#store.piece(id, i);
      if (!piece) throw new BytesMissing(`piece ${i} of the file ${name || id} is no longer on this device`);
      pieces.push(piece);
    }
    const bytes = joined(pieces);
    if (bytes.length !== size)
      throw new BytesMissing(`of the file ${name || id} ${bytes.length} of ${size} bytes are left`);
    return bytes;
  }

  /** Deletes an unsent file with its bytes. */
  async discard(file: KeptFile): Promise<void> {
    if (file.state.at === 'here') return;
    this.drop(file.id);
    await this.#store.remove(file.id);
    this.#onDiscarded(file.id);
  }

  /** Removes a file that another page has deleted. */
  drop(id: string): void {
    const file = this.#files.get(id);
    if (!file) return;
    this.#files.delete(id);
    this.#states.get(id)?.set(undefined);
    callAll(this.#listeners, file);
  }

  /** Deletes files that the server has; returns how many. */
  async forget(isOld: (since: number) => boolean): Promise<number> {
    const old = [...this.#files.values()].filter(({ state }) => state.at === 'here' && isOld(state.since));
    for (const file of old) {
      await this.#store.remove(file.id);
      this.#files.delete(file.id);
    }
    return old.length;
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #update(file: KeptFile): void {
    this.#files.set(file.id, file);
    this.state(file.id).set(file.state);
    callAll(this.#listeners, file);
  }
}
