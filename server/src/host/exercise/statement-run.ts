import { HostError, type Host, type HostRow, type HostTransaction } from '../host.ts';
import type { HostValue } from '../files/columns.ts';

/** A statement that the host has refused. */
export interface RefusedStatement {
  readonly sql: string;
  readonly sqlstate: string;
  readonly message: string;
}

/** Ends a transaction without an effect. */
class Undo extends Error {}

/** Sends each text once, and takes every write back. A refusal is noted, and the next statement follows. */
export class StatementRun {
  readonly refused: RefusedStatement[] = [];
  readonly #sent = new Set<string>();
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  get count(): number {
    return this.#sent.size;
  }

  /** The host as statements see it. */
  asHost(): Host {
    const tx: HostTransaction = {
      query: (sql, values) => this.#query(sql, values),
      execute: async (sql, values) => {
        await this.#once(sql, () => this.#undone(sql, values));
        return 0;
      },
    };
    return {
      ...this.#host,
      query: (sql, values) => this.#query(sql, values),
      transaction: (work) => work(tx),
    };
  }

  async #query(sql: string, values?: readonly HostValue[]): Promise<HostRow[]> {
    return (await this.#once(sql, () => this.#host.query(sql, values))) ?? [];
  }

  async #undone(sql: string, values?: readonly HostValue[]): Promise<void> {
    try {
      await this.#host.transaction(async (tx) => {
        await tx.execute(sql, values);
        throw new Undo();
      });
    } catch (error) {
      if (!(error instanceof Undo)) throw error;
    }
  }

  async #once<Answer>(sql: string, send: () => Promise<Answer>): Promise<Answer | undefined> {
    if (this.#sent.has(sql)) return undefined;
    this.#sent.add(sql);
    try {
      return await send();
    } catch (error) {
      // Without a connection nothing that follows says anything about the statements.
      if (!(error instanceof HostError) || error.sqlstate.startsWith('08')) throw error;
      this.refused.push({ sql, sqlstate: error.sqlstate, message: error.message });
      return undefined;
    }
  }
}
