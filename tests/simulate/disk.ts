import type { Row, Store, StoreChange, Table } from '@tailgate/client-sdk';
import { MemoryStore } from '@tailgate/client-sdk';
import { copyOf } from '../support/store-copy.ts';

interface Write {
  readonly changes: readonly StoreChange[];
  readonly done: () => void;
  readonly fail: (error: Error) => void;
}

/** A phone's storage. The scheduler ends each write. A write is atomic, even when the app is killed. */
export class Disk {
  #rows = new MemoryStore();
  #underWay: Write[] = [];

  get isWriting(): boolean {
    return this.#underWay.length > 0;
  }

  /** The disk as one run of the app sees it. */
  store(isAlive: () => boolean): Store {
    return {
      readAll: (table: Table): Promise<Row[]> => this.#rows.readAll(table),
      write: (changes) =>
        new Promise((done, fail) => {
          if (isAlive()) this.#underWay.push({ changes, done, fail });
        }),
      close: () => Promise.resolve(),
    };
  }

  /** Ends the oldest write. */
  async finish(): Promise<void> {
    const write = this.#underWay.shift();
    if (!write) return;
    await this.#rows.write(write.changes, 'strict');
    write.done();
  }

  /** The oldest write fails, because the disk is full. */
  refuse(): void {
    this.#underWay.shift()?.fail(new Error('the quota is exceeded'));
  }

  /** The app is gone. The first `completed` open writes have reached the disk; their promises never settle. */
  async crash(completed: number): Promise<void> {
    const writes = this.#underWay;
    this.#underWay = [];
    for (const { changes } of writes.slice(0, completed)) await this.#rows.write(changes, 'strict');
  }

  /** The content of a disk before the first run of an app. */
  put(changes: readonly StoreChange[]): Promise<void> {
    return this.#rows.write(changes, 'strict');
  }

  readAll(table: Table): Promise<Row[]> {
    return this.#rows.readAll(table);
  }

  /** All that has reached the disk, as a backup contains it. */
  image(): Promise<Store> {
    return copyOf(this.#rows);
  }

  /** The disk gets the content of a backup. The app must not run. */
  async setTo(image: Store): Promise<void> {
    this.#rows = await copyOf(image);
  }
}
