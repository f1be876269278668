interface Closable {
  close(): Promise<unknown>;
}

/** Limit for one connection. A stop needs a dozen shapes; the rest are single statements of clerks and operators. */
const MAX_STATEMENTS = 100;

/** Keeps statements prepared, by their text; the least recently used one is closed. */
export class StatementCache<Statement extends Closable> {
  readonly #prepare: (sql: string) => Promise<Statement>;
  readonly #statements = new Map<string, Statement>();

  constructor(prepare: (sql: string) => Promise<Statement>) {
    this.#prepare = prepare;
  }

  /** A failed statement is prepared anew next time: the file may have changed. */
  async use<Answer>(sql: string, work: (statement: Statement) => Promise<Answer>): Promise<Answer> {
    const statement = await this.#prepared(sql);
    try {
      const answer = await work(statement);
      await this.#cache(sql, statement);
      return answer;
    } catch (error) {
      // Of the two failures the first one matters.
      await statement.close().catch(() => undefined);
      throw error;
    }
  }

  async #prepared(sql: string): Promise<Statement> {
    const known = this.#statements.get(sql);
    this.#statements.delete(sql);
    return known ?? this.#prepare(sql);
  }

  async #cache(sql: string, statement: Statement): Promise<void> {
    this.#statements.set(sql, statement);
    const [oldest] = this.#statements;
    if (this.#statements.size <= MAX_STATEMENTS || !oldest) return;
    this.#statements.delete(oldest[0]);
    await oldest[1].close();
  }
}
