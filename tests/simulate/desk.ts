import type { Depot } from './depot.ts';
import { hasLateStop, driversOf, routeOf } from './model/fixture.ts';
import type { Driver } from './driver.ts';
import { type Account, hasAccounts } from './model/accounts.ts';
import { possibleMates } from './model/assignments.ts';
import { hasRefusals } from './model/parked-stops.ts';
import { Rulings } from './model/rulings.ts';
import type { Office } from './office.ts';
import { Operator, type Decision } from './operator.ts';
import type { Chance } from './chance.ts';
import type { Quiescence } from './quiescence.ts';
import { RestNode } from './rest-node.ts';
import { SignIns } from './sign-ins.ts';
import type { WorldTime } from './world-time.ts';

export interface DeskDeps {
  readonly depot: Depot;
  readonly seed: number;
  readonly time: WorldTime;
  readonly quiescence: Quiescence;
  readonly chance: Chance;
  readonly office: Office;
  readonly log: (text: string) => void;
}

/** The operator of a world, before a server process of its own. Most worlds have none. */
export class Desk {
  readonly rulings = new Rulings();
  /** Whether drivers record a stop that the dispatch plans later. */
  readonly hasLateStop: boolean;
  /** Whether the host refuses some comments. */
  readonly hasRefusals: boolean;
  /** The beliefs of a world whose drivers sign in through the product. */
  readonly accounts = new Map<string, Account>();
  /** Undefined where the sessions of a world begin and end in the database. */
  readonly signIns: SignIns | undefined;
  readonly #deps: DeskDeps;
  readonly #operator: Operator;
  #node: RestNode | undefined;

  constructor(deps: DeskDeps) {
    const { seed, chance, time, office } = deps;
    this.#deps = deps;
    this.hasLateStop = hasLateStop(seed);
    this.hasRefusals = hasRefusals(seed);
    const { accounts } = this;
    this.signIns = hasAccounts(seed) ? new SignIns({ node: () => this.#rest(), time, accounts }) : undefined;
    const isOwn = (employee: string): boolean => driversOf(seed).includes(employee);
    const { rulings } = this;
    this.#operator = new Operator({ chance, time, office, rulings, route: routeOf(seed).id, isOwn });
  }

  /** Whether the dispatch has still to plan the stop that drivers may have recorded. */
  get lacksLateStop(): boolean {
    return this.hasLateStop && !this.#deps.office.hasPlannedLateStop;
  }

  async planLateStop(): Promise<void> {
    this.#deps.log(await this.#deps.office.planLateStop());
  }

  /** A driver signs in through the product, which may end the sessions of the others. @returns what is wrong with it */
  async signIn(driver: Driver, drivers: readonly Driver[], confirms: boolean): Promise<readonly string[]> {
    const { employee } = driver;
    const mates = possibleMates(employee, drivers, this.#deps.office.secondDriverLists);
    const { token, evicted = [], wrong = [] } = (await this.signIns?.signIn(employee, mates, confirms)) ?? {};
    for (const other of drivers) if (evicted.includes(other.employee)) other.leave();
    if (token !== undefined) await driver.enter(token);
    const is = token === undefined ? 'is not' : 'is';
    this.#deps.log(`  ${employee} ${is} signed in, without ${evicted.join()}`);
    return wrong;
  }

  /** An operator decides about a change that the server could not apply. @returns what is wrong with the answer */
  decide(): Promise<readonly string[]> {
    return this.#note((node) => this.#operator.decide(node));
  }

  /** An operator repairs or skips a stop that the host refuses. @returns what is wrong with the answer */
  attendParked(): Promise<readonly string[]> {
    return this.#note((node) => this.#operator.attend(node));
  }

  /** The work of an operator in a round of a healed world. @returns what is wrong with the answers */
  async heal(round: number): Promise<readonly string[]> {
    if (this.hasRefusals) return this.attendParked();
    if (!this.hasLateStop) return [];
    if (!this.lacksLateStop) return this.#logged(await this.#operator.releaseAll(await this.#rest()));
    if (round >= ROUNDS_WITHOUT_STOP) await this.planLateStop();
    return this.decide();
  }

  async close(): Promise<void> {
    await this.#node?.close();
  }

  async #note(decide: (node: RestNode) => Promise<Decision>): Promise<readonly string[]> {
    return this.#logged([await decide(await this.#rest())]);
  }

  /** @returns what is wrong with the answers */
  #logged(decisions: readonly Decision[]): readonly string[] {
    for (const { text } of decisions) this.#deps.log(text);
    return decisions.flatMap(({ wrong }) => wrong);
  }

  async #rest(): Promise<RestNode> {
    this.#node ??= await RestNode.start(this.#deps);
    return this.#node;
  }
}

/** Healing rounds before the dispatch plans the late stop: the phones' changes arrive meanwhile. */
const ROUNDS_WITHOUT_STOP = 6;
