import type { HostChanges, HostChange } from '../../server/src/host/reads/host-changes.ts';
import { Doorbell } from '../../server/src/host/reads/doorbell.ts';
import type { Host } from '../../server/src/host/host.ts';
import { dispatchRoute } from '../../server/src/host/tools/dispatch.ts';
import { parseRouteFile } from '../../server/src/host/tools/load-file.ts';
import type { Chance } from './chance.ts';
import type { StopValues } from './model/diary.ts';
import type { OfficeEdit } from './model/evidence.ts';
import {
  driversOf,
  FACILITY,
  initialPlan,
  type Plan,
  QUANTITY,
  routeFile,
  routeOf,
  routesOf,
  secondDriversOf,
  secondRouteFile,
  STOPS,
  WEEK,
} from './model/fixture.ts';
import type { WorldTime } from './world-time.ts';

/** The dispatch program's user. */
export const dispatcher = { user: 'OFFICE', now: new Date(Date.UTC(2026, 10, 20)) };

export interface OfficeDeps {
  readonly seed: number;
  readonly clerk: Host;
  readonly time: WorldTime;
  readonly chance: Chance;
}

/** A row of the route, a stop, or a line of a stop. */
interface LineKey {
  readonly stop?: number;
  readonly item?: string;
}

/** The back office of one route. Its clerks correct drivers' values with programs of their own. */
export class Office {
  readonly edits: OfficeEdit[] = [];
  #plan: Plan;
  #plans = 0;
  /** One list for each assignment of the second route, the latest last. */
  readonly secondDriverLists: (readonly string[])[];
  readonly #deps: OfficeDeps;
  /** Doorbell rows and the times of their writing. The host's own clock is not part of the world. */
  readonly #changeTimes = new Map<string, number>();

  constructor(deps: OfficeDeps) {
    this.#deps = deps;
    this.#plan = initialPlan(deps.seed);
    this.secondDriverLists = [secondDriversOf(deps.seed)];
  }

  /** The drivers of the second route. */
  get secondDrivers(): readonly string[] {
    return this.secondDriverLists.at(-1) ?? [];
  }

  /** The route as the office dispatched it last. */
  get plan(): Plan {
    return this.#plan;
  }

  /**
   * A clerk corrects a stop that all drivers share. Without a row on the host there is nothing to correct.
   *
   * @returns the written values, for the log
   */
  async correct(): Promise<string> {
    const { seed, clerk, chance, time } = this.#deps;
    const drivers = driversOf(seed).length;
    const stop = drivers + 1 + chance.below(STOPS - drivers);
    // Values of the office are distinct, so that each shows its origin.
    const n = 1_000 + this.edits.length;
    const [values, written] = chance.weighted<[StopValues, () => Promise<number>]>([
      [6, [{ driver_comments: `office ${n}` }, () => this.#write('RTSTUP', 'RU', 'RUCMT', `office ${n}`, { stop })]],
      [3, [{ delivered: n }, () => this.#write('RTPRUP', 'RQ', 'RQDLV', `${n}`, { stop, item: 'EGGS' })]],
      [1, [{ returned: n }, () => this.#write('RTPRUP', 'RQ', 'RQRTN', `${n}`, { stop, item: 'MILK' })]],
    ]);
    if ((await written()) === 0) return `  the host has no such row of stop ${stop}`;
    this.edits.push({ stop, values, at: time.now });
    await this.#recordChangeTimes(clerk);
    return `  the office on stop ${stop}: ${JSON.stringify(values)}`;
  }

  /**
   * The dispatch changes the plan of an open route: the quantity to deliver at a stop, or the route's name.
   *
   * @returns the written values, for the log
   */
  async replan(): Promise<string> {
    const { clerk, chance } = this.#deps;
    const n = 100 + ++this.#plans;
    const stop = chance.odds(0.7) ? 1 + chance.below(STOPS) : undefined;
    if (stop === undefined) {
      await this.#write('RTHDRP', 'RH', 'RHNAM', `Plan ${n}`);
      this.#plan = { ...this.#plan, name: `Plan ${n}` };
    } else {
      await this.#write('RTPRDP', 'RP', 'RPQTY', `${n}`, { stop, item: 'EGGS' });
      this.#plan = { ...this.#plan, quantities: this.#plan.quantities.with(stop - 1, n) };
    }
    await this.#recordChangeTimes(clerk);
    return stop === undefined ? `  the route is called Plan ${n}` : `  ${n} are to be delivered at stop ${stop}`;
  }

  /** Whether the dispatch has planned the further stop. */
  get hasPlannedLateStop(): boolean {
    return this.#plan.quantities.length > STOPS;
  }

  /** The dispatch plans a further stop: it writes the whole route again. @returns the log */
  async planLateStop(): Promise<string> {
    const { clerk, seed } = this.#deps;
    this.#plan = { ...this.#plan, quantities: [...this.#plan.quantities, QUANTITY] };
    for (const file of parseRouteFile(routeFile(seed, this.#plan))) await dispatchRoute(clerk, file, dispatcher);
    await this.#recordChangeTimes(clerk);
    return `  stop ${STOPS + 1} is planned`;
  }

  /**
   * Another driver gets the second route, or a driver leaves it.
   *
   * @returns the drivers, for the log
   */
  async reassign(): Promise<string> {
    const { seed, clerk, chance, time } = this.#deps;
    const employee = chance.one(driversOf(seed));
    const others = this.secondDrivers.filter((each) => each !== employee);
    const isLeaving = others.length < this.secondDrivers.length && others.length > 0;
    this.secondDriverLists.push(isLeaving ? others : [...others, employee]);
    const now = { user: 'OFFICE', now: new Date(time.now) };
    for (const file of parseRouteFile(secondRouteFile(seed, this.secondDrivers))) await dispatchRoute(clerk, file, now);
    await this.#recordChangeTimes(clerk);
    return `  the second route has the drivers ${this.secondDrivers.join(' ')}`;
  }

  /** The changes of this world, with ages in the time of the world. */
  changes(host: Host): HostChanges {
    const { time } = this.#deps;
    const pollAgain = async (): Promise<HostChange[]> => {
      const changes = await this.#changes(host);
      return changes.map((change) => ({
        ...change,
        age: time.now - (this.#changeTimes.get(change.sequence) ?? time.now),
      }));
    };
    return {
      comparesAll: false,
      poll: async () => ({ changes: await pollAgain(), unparsable: [] }),
      pollAgain,
      acknowledge: (sequences) => new Doorbell(host).acknowledge(sequences),
    };
  }

  #write(file: string, prefix: string, column: string, value: string, line: LineKey = {}): Promise<number> {
    const { seed, clerk } = this.#deps;
    const stop = line.stop === undefined ? [] : [`${line.stop}`];
    const key = [FACILITY, routeOf(seed).id, WEEK, ...stop, ...(line.item === undefined ? [] : [line.item])];
    const place = ['FAC', 'RTE', 'WKE', 'STP', 'ITM'].slice(0, key.length).map((name) => `${prefix}${name} = ?`);
    const text = `update ${clerk.library}.${file} set ${column} = ? where ${place.join(' and ')}`;
    return clerk.transaction((tx) => tx.execute(text, [value, ...key]));
  }

  async #recordChangeTimes(host: Host): Promise<void> {
    for (const { sequence } of await this.#changes(host))
      if (!this.#changeTimes.has(sequence)) this.#changeTimes.set(sequence, this.#deps.time.now);
  }

  async #changes(host: Host): Promise<HostChange[]> {
    const ids = routesOf(this.#deps.seed).map(({ id }) => id);
    const { changes } = await new Doorbell(host).poll();
    return changes.filter(({ key }) => ids.includes(String(Object.values(key)[1])));
  }
}
