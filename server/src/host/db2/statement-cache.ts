interface Closable {
  close(): Promise<unknown>;
}

/** Of one connection. A stop of ours is a dozen shapes; the rest is a clerk's or an operator's, seen once. */
const MOST = 100;

/** Statements that stay prepared, by their text; the one that was used longest ago makes room. */
export class StatementCache<Statement extends Closable> {
  readonly #prepare: (sql: string) => Promise<Statement>;
  readonly #kept = new Map<string, Statement>();

  constructor(prepare: (sql: string) => Promise<Statement>) {
    this.#prepare = prepare;
  }

  /** A statement that failed is prepared anew next time: the file may have changed under it. */
  async use<Answer>(sql: string, work: (statement: Statement) => Promise<Answer>): Promise<Answer> {
    const statement = await this.#take(sql);
    try {
      const answer = await work(statement);
      await this.#keep(sql, statement);
      return answer;
    } catch (error) {
      // Of the two failures the first one matters.
      await statement.close().catch(() => undefined);
      throw error;
    }
  }

  async #take(sql: string): Promise<Statement> {
    const known = this.#kept.get(sql);
    this.#kept.delete(sql);
    return known ?? this.#prepare(sql);
  }

  async #keep(sql: string, statement: Statement): Promise<void> {
    this.#kept.set(sql, statement);
    const [oldest] = this.#kept;
    if (this.#kept.size <= MOST || !oldest) return;
    this.#kept.delete(oldest[0]);
    await oldest[1].close();
  }
}
