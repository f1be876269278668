import type { HostChanges, HostChange } from '../../server/src/host/reads/host-changes.ts';
import { userSetting } from '../../server/src/host/files/standin-schema.ts';
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
  hasNamedLines,
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

/** A row of the route, a stop, or a line of a stop; and who writes it. */
interface LineKey {
  readonly by?: string;
  readonly stop?: number;
  readonly item?: string;
}

const clerks = ['ANNA', 'BERT', 'CLARA'] as const;
/** Rows of a stop that clerks correct: its result, and two of its lines. */
const correctedRows = ['comment', 'EGGS', 'MILK'] as const;
type CorrectedRow = (typeof correctedRows)[number];
/** The user in the audit tail of a row, where the lines of the doorbell name the clerks. */
const SCREEN = 'SCREEN';

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
   * A clerk corrects a stop that all drivers share. At times another clerk corrects another row of it a moment later,
   * before an import.
   *
   * @returns the written values, for the log
   */
  async correct(): Promise<string> {
    const { chance, time } = this.#deps;
    const stops = await this.#sharedStopsOnHost();
    if (stops.length === 0) return '  the host has no row that a clerk could correct';
    const stop = chance.one(stops);
    const row = chance.weighted<CorrectedRow>([
      [6, 'comment'],
      [3, 'EGGS'],
      [1, 'MILK'],
    ]);
    const first = await this.#correctRow(stop, row);
    if (!chance.odds(0.3)) return first;
    time.advance(1 + chance.below(50));
    const other = chance.one(correctedRows.filter((each) => each !== row));
    return `${first}\n${await this.#correctRow(stop, other)}`;
  }

  async #sharedStopsOnHost(): Promise<number[]> {
    const { seed, clerk } = this.#deps;
    const rows = await clerk.query(
      `select RUSTP from ${clerk.library}.RTSTUP
        where RUFAC = ? and RURTE = ? and RUWKE = ? and RUSTP > ? and RUSTP <= ? order by RUSTP`,
      [FACILITY, routeOf(seed).id, WEEK, `${driversOf(seed).length}`, `${STOPS}`],
    );
    return rows.map(({ RUSTP }) => Number(RUSTP));
  }

  async #correctRow(stop: number, row: CorrectedRow): Promise<string> {
    const { clerk, time } = this.#deps;
    // Values of the office are distinct, so that each shows its origin.
    const n = 1_000 + this.edits.length;
    const by = clerks[n % clerks.length] ?? clerks[0];
    const at = { by, stop };
    const corrections: Record<CorrectedRow, [StopValues, () => Promise<number>]> = {
      comment: [{ driver_comments: `office ${n}` }, () => this.#write('RTSTUP', 'RU', 'RUCMT', `office ${n}`, at)],
      EGGS: [{ delivered: n }, () => this.#write('RTPRUP', 'RQ', 'RQDLV', `${n}`, { ...at, item: 'EGGS' })],
      MILK: [{ returned: n }, () => this.#write('RTPRUP', 'RQ', 'RQRTN', `${n}`, { ...at, item: 'MILK' })],
    };
    const [values, write] = corrections[row];
    if ((await write()) === 0) return `  the host has no such row of stop ${stop}`;
    this.edits.push({ stop, values, at: time.now, by });
    await this.#recordChangeTimes(clerk);
    return `  the office on stop ${stop}: ${JSON.stringify(values)} by ${by}`;
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

  /** The changes of this world, with ages in the time of the world. In some worlds no line names its user. */
  changes(host: Host): HostChanges {
    const { time, seed } = this.#deps;
    const userOf = hasNamedLines(seed) ? ({ user }: HostChange): string => user : (): string => '';
    const pollAgain = async (): Promise<HostChange[]> => {
      const changes = await this.#changes(host);
      return changes.map((change) => ({
        ...change,
        user: userOf(change),
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
    const { by = dispatcher.user } = line;
    const stop = line.stop === undefined ? [] : [`${line.stop}`];
    const key = [FACILITY, routeOf(seed).id, WEEK, ...stop, ...(line.item === undefined ? [] : [line.item])];
    const place = ['FAC', 'RTE', 'WKE', 'STP', 'ITM'].slice(0, key.length).map((name) => `${prefix}${name} = ?`);
    const text = `update ${clerk.library}.${file} set ${column} = ?, ${prefix}UUSR = ? where ${place.join(' and ')}`;
    return clerk.transaction(async (tx) => {
      await tx.query('select set_config(?, ?, true)', [userSetting, by]);
      return tx.execute(text, [value, hasNamedLines(seed) ? SCREEN : by, ...key]);
    });
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
