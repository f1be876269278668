import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

/** The cost of an argon2 hash. */
export interface HashCost {
  /** KiB. */
  readonly memoryCost: number;
  /** Passes over them. */
  readonly timeCost: number;
  /** Lanes. */
  readonly parallelism: number;
}

/** argon2id (the library's default) with OWASP's minimum: 19 MiB, two passes, one lane. */
export const safeCost: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** The most requests that wait for a hash. A full queue is about a second of work; more would time out. */
const longestQueue = 20;

/** The queue of password hashes is full: try again in a moment. */
export class HashingBusyError extends Error {
  override readonly name = 'HashingBusyError';
}

/** Creates the decoy hash at start, so that the first unknown id costs as much as later ones. */
export async function openPasswords(cost = safeCost): Promise<Passwords> {
  return new Passwords(await hash(randomBytes(16), cost), cost);
}

/**
 * Hashes one password at a time. Each hash takes 19 MiB and a core. A storm of sign-ins waits here and does not starve
 * the sync of signed-in drivers.
 */
export class Passwords {
  readonly #decoy: string;
  readonly #cost: HashCost;
  #last: Promise<unknown> = Promise.resolve();
  #queued = 0;

  constructor(decoy: string, cost: HashCost) {
    this.#decoy = decoy;
    this.#cost = cost;
  }

  /** @throws HashingBusyError */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(comparable(password), this.#cost));
  }

  /**
   * Whether the password fits. Without a stored hash (an unknown name) it takes equally long and returns false.
   * @throws HashingBusyError
   */
  async matches(stored: string | undefined, password: string): Promise<boolean> {
    const fits = await this.#inTurn(() => verify(stored ?? this.#decoy, comparable(password)));
    return fits && stored !== undefined;
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    // The running hash counts as well.
    if (this.#queued > longestQueue) throw new HashingBusyError('too many passwords wait to be hashed');
    this.#queued += 1;
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      this.#queued -= 1;
    }
  }
}

/** Keyboards compose accents differently. Passwords that look equal must be equal. */
const comparable = (password: string): string => password.normalize('NFKC');
