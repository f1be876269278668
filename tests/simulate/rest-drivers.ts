import { restChange } from '../support/rest-change.ts';
import type { Chance } from './chance.ts';
import type { RestRequest } from './model/evidence.ts';
import { closingOf, driversOf, hasLateStop, LATE_STOP, routeOf, STOPS, WAREHOUSE } from './model/fixture.ts';
import type { ServerNode } from './server-node.ts';
import { returnValues } from './taps.ts';
import type { WorldTime } from './world-time.ts';

interface SentRequest extends RestRequest {
  readonly sentAt: number[];
  isAnswered: boolean;
  /** The server could not apply it. Its client may send it again later. */
  isRefused: boolean;
}

export interface RestDriversDeps {
  readonly seed: number;
  readonly time: WorldTime;
  readonly chance: Chance;
}

/** Drivers whose app uses REST, beside the phones. One pipeline serves both. */
export class RestDrivers {
  readonly requests: SentRequest[] = [];
  readonly #deps: RestDriversDeps;

  constructor(deps: RestDriversDeps) {
    this.#deps = deps;
  }

  get isAnswered(): boolean {
    return this.requests.every(({ isAnswered }) => isAnswered);
  }

  /** Repeats an unanswered request, or else changes a shared stop. @returns the request, for the log */
  send(node: ServerNode): string {
    const { chance } = this.#deps;
    const open =
      this.requests.find(({ isAnswered, isRefused }) => !isAnswered && (!isRefused || chance.odds(0.3))) ??
      this.#newRequest();
    const { seed, time } = this.#deps;
    const now = node.clock();
    const { id, stop, values, employee, isByV20 } = open;
    const { arrived, ...updates } = values;
    open.sentAt.push(time.now);
    const change = restChange(routeOf(seed), { id: stop, ...(arrived ? { arrived } : {}), updates }, employee, {
      id,
      paths: isByV20 ? 'v20' : 'current',
      editTime: now,
      receivedAt: now,
      dedupeByContent: false,
    });
    void node.submit(change).then(
      ({ result }) => {
        open.isRefused = result === 'quarantined';
        return (open.isAnswered = !open.isRefused);
      },
      () => undefined, // the server was killed without an answer
    );
    return `  by REST on stop ${stop}: ${JSON.stringify(values)} as ${id}`;
  }

  #newRequest(): SentRequest {
    const { seed, chance } = this.#deps;
    const drivers = driversOf(seed).length;
    const n = 2_000 + this.requests.length;
    const closing = closingOf(seed);
    const returns = closing && chance.odds(0.5) ? closing : undefined;
    const request: SentRequest = {
      // The idempotency key of a request, derived from the seed.
      id: `${seed.toString(16).padStart(8, '0')}-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
      stop: returns
        ? WAREHOUSE
        : hasLateStop(seed) && chance.odds(0.3)
          ? LATE_STOP
          : drivers + 1 + chance.below(STOPS - drivers),
      values: returns
        ? returnValues(chance, returns)
        : chance.odds(0.7)
          ? { driver_comments: `REST ${n}` }
          : { store_emp_name: `REST ${n}` },
      isByV20: returns !== undefined && chance.odds(0.5),
      employee: chance.one(driversOf(seed)),
      sentAt: [],
      isAnswered: false,
      isRefused: false,
    };
    this.requests.push(request);
    return request;
  }
}
