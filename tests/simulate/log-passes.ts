import { Chance } from './chance.ts';
import type { Depot } from './depot.ts';
import { hasRestores } from './model/fixture.ts';
import type { KillPoint } from './killable-database.ts';
import type { Quiescence } from './quiescence.ts';

/** The passes of the log's workers in one world. Their random numbers are their own: they change nothing else in it. */
export class LogPasses {
  readonly #depot: Depot;
  readonly #quiescence: Quiescence;
  readonly #chance: Chance;
  readonly #odds: number;

  constructor(depot: Depot, seed: number, quiescence: Quiescence) {
    this.#depot = depot;
    this.#quiescence = quiescence;
    this.#chance = new Chance(seed * 1_000_003);
    this.#odds = hasRestores(seed) ? 0.1 : 0.02;
  }

  /** A pass now and then, which may be killed. @returns what an auditor finds wrong */
  async sometimes(): Promise<string[]> {
    if (!this.#chance.odds(this.#odds)) return [];
    const moment = this.#chance.odds(0.5) ? 'before' : 'after';
    const killPoint = { count: this.#chance.below(30), of: 'statements', moment } as const;
    return this.pass(this.#chance.odds(0.5) ? killPoint : undefined);
  }

  pass(killPoint?: KillPoint): Promise<string[]> {
    const depot = this.#depot;
    return depot.inTurn(() => depot.logWriter.pass(this.#quiescence, killPoint));
  }
}
