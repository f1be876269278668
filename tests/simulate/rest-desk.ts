import { restChange } from '../support/rest-change.ts';
import type { Chance } from './chance.ts';
import type { Said } from './diary.ts';
import { driversOf, routeOf, STOPS } from './fixture.ts';
import type { ServerNode } from './server-node.ts';
import type { WorldTime } from './world-time.ts';

/** A change by REST. The client repeats it with the same key until an answer comes. */
export interface Asked {
  readonly id: string;
  readonly stop: number;
  readonly said: Said;
  isAnswered: boolean;
}

export interface DeskDeps {
  readonly seed: number;
  readonly time: WorldTime;
  readonly chance: Chance;
}

/** Drivers whose app uses REST, beside the phones. One pipeline serves both. */
export class RestDesk {
  readonly asked: Asked[] = [];
  readonly #deps: DeskDeps;

  constructor(deps: DeskDeps) {
    this.#deps = deps;
  }

  get isAnswered(): boolean {
    return this.asked.every(({ isAnswered }) => isAnswered);
  }

  /** Repeats an unanswered request, or else changes a shared stop. @returns the request, for the log */
  ask(node: ServerNode): string {
    const open = this.asked.find(({ isAnswered }) => !isAnswered) ?? this.#think();
    const { seed, time } = this.#deps;
    const now = new Date(time.now);
    const { id, stop, said } = open;
    const change = restChange(routeOf(seed), { id: stop, updates: said }, driversOf(seed)[0] ?? '', {
      id,
      editTime: now,
      receivedAt: now,
      dedupeByContent: false,
    });
    void node.submit(change).then(
      () => (open.isAnswered = true),
      () => undefined, // the server died without an answer
    );
    return `  by REST on stop ${stop}: ${JSON.stringify(said)} as ${id}`;
  }

  #think(): Asked {
    const { seed, chance } = this.#deps;
    const drivers = driversOf(seed).length;
    const n = 2_000 + this.asked.length;
    const asked = {
      // The idempotency key of a request, derived from the seed.
      id: `${seed.toString(16).padStart(8, '0')}-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
      stop: drivers + 1 + chance.below(STOPS - drivers),
      said: chance.odds(0.7) ? { driver_comments: `REST ${n}` } : { store_emp_name: `REST ${n}` },
      isAnswered: false,
    };
    this.asked.push(asked);
    return asked;
  }
}
