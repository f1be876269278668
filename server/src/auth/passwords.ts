import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

/** What an argon2 hash costs whoever guesses, and us. */
export interface HashCost {
  /** KiB. */
  readonly memoryCost: number;
  /** Passes over them. */
  readonly timeCost: number;
  /** Lanes. */
  readonly parallelism: number;
}

/** argon2id (the library's algorithm unless told otherwise) with OWASP's minimum: 19 MiB, two passes, one lane. */
export const safeCost: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Who waits behind the running hash. A full queue is about a second of work; more would only time out. */
const longestQueue = 20;

/** The queue of password hashes is full: try again in a moment. */
export class HashingBusyError extends Error {
  override readonly name = 'HashingBusyError';
}

/** Makes the decoy hash as well, so that the first unknown id costs what every other one does. */
export async function openPasswords(cost = safeCost): Promise<Passwords> {
  return new Passwords(await hash(randomBytes(16), cost), cost);
}

/**
 * Hashes one password at a time: each takes 19 MiB and a core, so that a storm of sign-ins waits here instead of
 * starving the sync of those who are signed in.
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
   * Whether the password fits. Without a stored hash (nobody of that name) it takes as long and is false.
   * @throws HashingBusyError
   */
  async matches(stored: string | undefined, password: string): Promise<boolean> {
    const fits = await this.#inTurn(() => verify(stored ?? this.#decoy, comparable(password)));
    return fits && stored !== undefined;
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    // The one that runs is counted, too.
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

/** Keyboards compose accents differently; what looks the same must be the same password. */
const comparable = (password: string): string => password.normalize('NFKC');
