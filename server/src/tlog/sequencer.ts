import { parseScope, type RouteKey } from '@tailgate/sync-protocol';
import type { Listener } from '../db/listen.ts';
import { routesChannel } from '../db/notify-sql.ts';
import { withTransaction } from '../db/transaction.ts';
import type { Db } from '../db/types.ts';
import { reportOnce } from '../incidents/sql.ts';
import type { Log } from '../runtime/log.ts';
import { appendFacts, ForeignKey, JustBegun } from './append.ts';
import { allFacilities, facilitiesWithFacts } from './facts-sql.ts';
import type { ReadKeys } from './keys.ts';
import { nameOf } from './log.ts';
import type { NewestCheckpoints } from './newest-checkpoints.ts';
import type { Witnesses } from './witnesses.ts';

export interface SequencerOptions {
  readonly db: Db;
  readonly listener: Pick<Listener, 'onNotify' | 'onReconnect'>;
  readonly keys: ReadKeys;
  readonly newest: NewestCheckpoints;
  readonly witnesses?: Pick<Witnesses, 'recall' | 'submit'>;
  /** The host in the origin of new logs. */
  readonly host: string;
  readonly clock: () => Date;
  readonly log: Log;
  /** Resolves when a transaction may begin, behind drivers' changes of this process. */
  readonly giveWay?: () => Promise<void>;
  /** The facts of a transaction, of each kind. */
  readonly limit?: number;
}

/** The time between the beginnings of two passes of a busy log, and the age of the facts that a pass gathers. */
const EVERY_MS = 5_000;
const GATHER_MS = 500;
/** The time from the beginning of a pass after which it gives way to no driver: the log follows in any storm. */
const GIVES_WAY_MS = 1_000;
/** Facts without a notification: acts, incidents, mails, files, reports. */
const LOOK_EVERY_MS = 15_000;
/** Times of facts are those of server clocks before the commit: a fact may appear this late. */
const OVERLAP_MS = 900_000;
/** A fact with a time far in the past, or a lost notification, is found by a reading of everything. */
const EVERYTHING_EVERY_MS = 3_600_000;
const LIMIT = 500;
/** Failed passes of a log, one behind the other, until a person must know: a minute. */
const STALLED_AFTER = 12;

/** The part of a pass for one facility. */
interface Pass {
  /** Undefined: all routes. */
  readonly routes: readonly RouteKey[] | undefined;
  readonly since: Date;
  /** By the monotonic clock. */
  readonly givesWayUntil: number;
}

/**
 * Appends committed facts to the logs, behind the drivers: it reads what others have committed, and nothing waits for
 * it (I4). Changes of routes come from the notifications that every node receives.
 *
 *   idle ──notification, or a look every 15 s──► gathering ──0.5 s, or 5 s since the last pass──► pass ──► idle
 */
export class Sequencer {
  readonly #options: SequencerOptions;
  #routes = new Map<string, Map<string, RouteKey>>();
  #isEverythingDue = true;
  /** Facilities of which the next pass reads everything. */
  #late = new Set<string>();
  /** Passes without success, one behind the other; also those that wait for a witness. */
  readonly #failures = new Map<string, number>();
  #readEverythingAt = 0;
  #passedAt = -EVERY_MS;
  #timer: NodeJS.Timeout | undefined;
  #looks: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  readonly #foreign = new Set<string>();

  constructor(options: SequencerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { listener } = this.#options;
    await listener.onNotify(routesChannel, (payload) => this.#noted(payload));
    listener.onReconnect(() => this.#everything());
    this.#looks = setInterval(() => this.#schedule(), LOOK_EVERY_MS);
    this.#schedule();
  }

  /** Resolves after the pass in progress. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#looks);
    await this.#running;
  }

  /** Appends everything that is committed now. @throws AggregateError where some logs failed; the others have their leaves */
  async pass(): Promise<void> {
    const { db, clock } = this.#options;
    const routes = this.#routes;
    this.#routes = new Map();
    const givesWayUntil = performance.now() + GIVES_WAY_MS;
    if (performance.now() - this.#readEverythingAt > EVERYTHING_EVERY_MS) this.#isEverythingDue = true;
    const isWhole = this.#isEverythingDue;
    this.#isEverythingDue = false;
    const late = this.#late;
    this.#late = new Set();
    const everything = new Date(0);
    const recent = new Date(Math.min(clock().getTime(), Date.now()) - OVERLAP_MS);
    const failures: unknown[] = [];
    try {
      const { rows } = await db.query<{ facility: string }>(
        isWhole ? allFacilities : facilitiesWithFacts,
        isWhole ? [] : [recent],
      );
      const facilities = new Set([...rows.map(({ facility }) => facility), ...routes.keys(), ...late]);
      for (const facility of [...facilities].toSorted()) {
        const part =
          isWhole || late.has(facility)
            ? { routes: undefined, since: everything }
            : { routes: [...(routes.get(facility)?.values() ?? [])], since: recent };
        const isDone = await this.#append(facility, { ...part, givesWayUntil }).catch((error: unknown) => {
          failures.push(error);
          return false;
        });
        if (isDone) this.#failures.delete(facility);
        else await this.#failed(facility);
      }
      if (isWhole) this.#readEverythingAt = performance.now();
    } catch (error) {
      this.#isEverythingDue = true;
      throw error;
    }
    if (failures.length > 0) throw new AggregateError(failures, `not appended to: ${failures.length} of the logs`);
  }

  /** The logs behind this one go on, and the next pass reads all of it again. An outage of a minute is an incident. */
  async #failed(facility: string): Promise<void> {
    this.#late.add(facility);
    const count = (this.#failures.get(facility) ?? 0) + 1;
    this.#failures.set(facility, count);
    if (count < STALLED_AFTER) return;
    await this.#options.db.query(reportOnce, ['log_stalled', JSON.stringify({ log: nameOf(facility) })]);
  }

  /** @returns false where the log waits for its witness */
  async #append(facility: string, { routes, since, givesWayUntil }: Pass): Promise<boolean> {
    const { db, keys, newest, witnesses, host, clock, log, giveWay, limit = LIMIT } = this.#options;
    if ((await witnesses?.recall(facility)) === false) return false;
    const named = routes?.map(({ id, week_end }) => ({ route_id: id, week_end }));
    for (let facts = limit; facts >= limit && !this.#stopped;) {
      if (performance.now() < givesWayUntil) await giveWay?.();
      const own = await keys();
      const seen = newest.of(facility);
      const wanted = { facility, routes: named, since, limit };
      try {
        const appended = await withTransaction(db, (tx) =>
          appendFacts(tx, { wanted, host, keys: own, seen, now: clock() }),
        );
        facts = appended?.facts ?? 0;
        // After the commit: a checkpoint that was rolled back is none.
        if (appended) {
          await newest.keep(facility, appended.newest);
          witnesses?.submit(facility);
        }
        if (seen && appended && appended.newest.generation > seen.generation)
          log.warn(
            { origin: appended.newest.checkpoint.origin },
            'a log began anew, because its database was put back',
          );
        this.#foreign.delete(facility);
      } catch (error) {
        if (error instanceof JustBegun) continue;
        if (!(error instanceof ForeignKey)) throw error;
        await this.#reportForeign(facility, error);
        return true;
      }
    }
    return true;
  }

  /** While nothing is appended, retention deletes nothing. */
  async #reportForeign(facility: string, { message }: ForeignKey): Promise<void> {
    if (this.#foreign.has(facility)) return;
    const { db, log } = this.#options;
    const name = nameOf(facility);
    // First: the next pass reports what PostgreSQL did not take.
    await db.query(reportOnce, ['log_without_key', JSON.stringify({ log: name, reason: message })]);
    this.#foreign.add(facility);
    log.error({ log: name }, `${message}: set LOG_KEY_FILE`);
  }

  #noted(payload: string): void {
    for (const text of payload.split(' ')) {
      if (text === '*') return this.#everything();
      const scope = parseScope(text);
      if (scope?.kind !== 'route') continue;
      const { key } = scope;
      const known = this.#routes.get(key.facility) ?? new Map<string, RouteKey>();
      this.#routes.set(key.facility, known.set(text, key));
    }
    if (this.#routes.size === 0) return;
    this.#schedule();
  }

  #everything(): void {
    this.#isEverythingDue = true;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#stopped) return;
    const wait = Math.max(GATHER_MS, this.#passedAt + EVERY_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#running = this.#run();
    }, wait);
  }

  async #run(): Promise<void> {
    this.#passedAt = performance.now();
    try {
      await this.pass();
    } catch (err) {
      this.#options.log.warn({ err }, 'the log could not be appended to; it is tried again');
    }
    this.#timer = undefined;
    if (this.#routes.size > 0 || this.#late.size > 0 || this.#isEverythingDue) this.#schedule();
  }
}
