import { routesChannel } from '../db/notify-sql.ts';
import { codesScope } from '@tailgate/sync-protocol';
import type { Listener } from '../db/listen.ts';
import type { Queryable } from '../db/types.ts';
import type { Log } from '../runtime/log.ts';
import type { CodeBook, CodeRow } from './code-book.ts';
import { codeBook } from './code-book.ts';
import { loadCodes } from './sql.ts';

/** The current code book. It is read at start and after each import that changed the host's lists. */
export class CurrentCodes {
  readonly #db: Queryable;
  readonly #log: Log;
  #book: CodeBook = codeBook([]);

  constructor(db: Queryable, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  get book(): CodeBook {
    return this.#book;
  }

  async follow(listener: Pick<Listener, 'onNotify' | 'onReconnect'>): Promise<void> {
    const again = (): void => {
      // With an old list a new code causes a warning; the update is applied.
      this.#read().catch((err: unknown) => this.#log.warn({ err }, 'the code lists could not be read again'));
    };
    listener.onReconnect(again);
    await listener.onNotify(routesChannel, (payload) => {
      if (payload === '*' || payload.split(' ').includes(codesScope)) again();
    });
    await this.#read();
  }

  async #read(): Promise<void> {
    const { rows } = await this.#db.query<CodeRow>(loadCodes);
    this.#book = codeBook(rows);
  }
}
