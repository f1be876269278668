import type { Queryable } from '../../server/src/db/types.ts';
import type { Host, HostTransaction } from '../../server/src/host/host.ts';

/**
 * A process that ends at its n-th step, as after `kill -9`. Each statement is two steps, before it is sent and before
 * its answer arrives, and so is each commit on the host. From then on its requests are dropped, and its open
 * transactions are rolled back.
 */
export class KillableProcess {
  #remainingSteps: number;
  #isKilled = false;

  constructor(steps: number) {
    this.#remainingSteps = steps;
  }

  get isKilled(): boolean {
    return this.#isKilled;
  }

  database(db: Queryable): Queryable {
    return { query: (statement, values) => this.#step(() => db.query(statement, values)) };
  }

  host(host: Host): Host {
    const open = (tx: HostTransaction): HostTransaction => ({
      query: (sql, parameters) => this.#step(() => tx.query(sql, parameters)),
      execute: (sql, parameters) => this.#step(() => tx.execute(sql, parameters)),
    });
    return {
      ...host,
      query: (sql, parameters) => this.#step(() => host.query(sql, parameters)),
      transaction: async (work) => {
        this.#checkAlive();
        const answer = await host.transaction(async (tx) => {
          const result = await work(open(tx));
          this.#checkAlive();
          return result;
        });
        this.#checkAlive();
        return answer;
      },
    };
  }

  async #step<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.#checkAlive();
    const answer = await work();
    this.#checkAlive();
    return answer;
  }

  #checkAlive(): void {
    if (!this.#isKilled && this.#remainingSteps-- <= 0) this.#isKilled = true;
    if (this.#isKilled) throw new Killed('this process was killed');
  }
}

class Killed extends Error {}

/** For a promise of work in a killed process. @throws any other error */
export function unlessKilled(error: unknown): void {
  if (!(error instanceof Killed)) throw error;
}
