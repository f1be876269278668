import type { Row, Store, StoreChange, Table } from '@tailgate/client-sdk';
import { MemoryStore } from '@tailgate/client-sdk';

interface Write {
  readonly changes: readonly StoreChange[];
  readonly done: () => void;
  readonly fail: (error: Error) => void;
}

/** A phone's storage. A write is under way until the scheduler ends it: whole or not at all, whatever is killed. */
export class Disk {
  readonly #rows = new MemoryStore();
  #underWay: Write[] = [];

  get isWriting(): boolean {
    return this.#underWay.length > 0;
  }

  /** The disk as one run of the app has it. */
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

  /** Ends the write that was begun first. */
  async finish(): Promise<void> {
    const write = this.#underWay.shift();
    if (!write) return;
    await this.#rows.write(write.changes, 'strict');
    write.done();
  }

  /** There is no room for it. */
  refuse(): void {
    this.#underWay.shift()?.fail(new Error('the quota is exceeded'));
  }

  /** The app is gone: of what was under way, so many writes have reached the disk, and nobody is told. */
  async lose(kept: number): Promise<void> {
    const writes = this.#underWay;
    this.#underWay = [];
    for (const { changes } of writes.slice(0, kept)) await this.#rows.write(changes, 'strict');
  }

  /** What is there before an app has ever run. */
  put(changes: readonly StoreChange[]): Promise<void> {
    return this.#rows.write(changes, 'strict');
  }

  rows(table: Table): Promise<Row[]> {
    return this.#rows.readAll(table);
  }
}
