import type { Config } from '../config.ts';
import { withTransaction } from '../db/transaction.ts';
import type { Db } from '../db/types.ts';
import { Interval } from '../runtime/interval.ts';
import type { Log } from '../runtime/log.ts';
import * as sql from './alarms-sql.ts';

/** Undefined where ALARM_URL is unset. @throws TypeError for an invalid address */
export function startAlarms({ config, ...options }: Omit<AlarmsOptions, 'url'> & Configured): Alarms | undefined {
  if (config.alarmUrl === undefined) return undefined;
  const alarms = new Alarms({ ...options, url: config.alarmUrl });
  alarms.start();
  return alarms;
}

interface Configured {
  readonly config: Pick<Config, 'alarmUrl'>;
}

export interface AlarmsOptions {
  readonly db: Db;
  /** ALARM_URL. User and password in it are sent as Basic authorization. */
  readonly url: string;
  readonly clock: () => Date;
  readonly log: Log;
  readonly everyMs?: number;
}

const EVERY_MS = 10_000;
/** An older incident is no news: the webhook was away, or is new. */
const NEWS_MS = 24 * 3_600_000;
const AT_ONCE = 20;
/** A webhook without an answer for this long is tried again later. */
const SILENCE_MS = 10_000;
/** Answers about one incident alone: bad request, too large, unprocessable. A webhook with a wrong setup gives them to all. */
const UNFIT = new Set([400, 413, 422]);
/** A refused incident waits this long, so that it holds up no later one. */
const REFUSED_MS = 600_000;

/**
 * Sends each incident to the webhook of the operators, at least once, the oldest first. While the webhook does not
 * answer, incidents wait in their order. One that it refuses for its content lets the later ones pass, and is tried again
 * later, and at once when the webhook has taken another one: refused then, too, it is left out.
 */
export class Alarms {
  readonly #options: AlarmsOptions;
  readonly #rounds: Interval;
  readonly #url: URL;
  readonly #authorization: Record<string, string>;
  readonly #stopping = new AbortController();
  /** Whether the last request failed: one warning for an outage. */
  #isAway = false;
  /** How many incidents the webhook has taken. */
  #taken = 0;
  /** Incidents of the last day that it refused, by id. */
  readonly #refused = new Map<string, Refused>();

  /** @throws TypeError for an invalid address */
  constructor(options: AlarmsOptions) {
    const { everyMs = EVERY_MS, log } = options;
    this.#options = options;
    const url = new URL(options.url);
    const user = [url.username, url.password].map(decodeURIComponent).join(':');
    this.#authorization = url.username === '' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` };
    url.username = '';
    url.password = '';
    this.#url = url;
    this.#rounds = new Interval({
      work: () => this.sendAll(),
      everyMs,
      onError: (err) => log.warn({ err }, 'incidents could not be sent to ALARM_URL; the next round tries again'),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds.stop();
  }

  /** Sends what waits. Several nodes share the work. */
  async sendAll(): Promise<void> {
    const { db, clock } = this.#options;
    const oldest = clock().getTime() - NEWS_MS;
    for (const [incident, { at }] of this.#refused) if (at.getTime() < oldest) this.#refused.delete(incident);
    await withTransaction(db, async (tx) => {
      const { rows } = await tx.query<Alarm>(sql.takeAlarms, [new Date(oldest), AT_ONCE, this.#resting]);
      for (const alarm of rows) {
        const outcome = await this.#send(alarm);
        if (outcome === 'away') return;
        const isDone = outcome === 'taken' || this.#isLeftOut(alarm, outcome.refusal);
        if (isDone) await tx.query(sql.noteSent, [alarm.incident_id]);
      }
    });
  }

  /** Refused incidents that wait for their next try. */
  get #resting(): string[] {
    const now = this.#options.clock().getTime();
    const isResting = ({ until, taken }: Refused): boolean => until > now && taken === this.#taken;
    return [...this.#refused].filter(([, each]) => isResting(each)).map(([incident]) => incident);
  }

  /** @returns whether the webhook has taken another incident since it refused this one first */
  #isLeftOut({ incident_id: incident, at, kind }: Alarm, status: number): boolean {
    const { clock, log } = this.#options;
    const before = this.#refused.get(incident);
    if (before && before.taken < this.#taken) {
      this.#refused.delete(incident);
      log.warn(
        { incident, kind, status },
        'the webhook of ALARM_URL refuses an incident again; it is not sent any more',
      );
      return true;
    }
    this.#refused.set(incident, { at, until: clock().getTime() + REFUSED_MS, taken: this.#taken });
    if (!before) log.error({ incident, kind, status }, 'the webhook of ALARM_URL refuses an incident');
    return false;
  }

  async #send({ incident_id, at, kind, details }: Alarm): Promise<'taken' | 'away' | { refusal: number }> {
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...this.#authorization },
        body: JSON.stringify({ incident_id, at: at.toISOString(), kind, details }),
        // The operator did not intend these lines for another address.
        redirect: 'error',
        signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(SILENCE_MS)]),
      });
      await response.body?.cancel();
      if (UNFIT.has(response.status)) return { refusal: response.status };
      if (!response.ok) return this.#noteAway(`it answered ${response.status}`);
    } catch {
      // The cause may repeat the address, which may contain a secret.
      return this.#noteAway('it cannot be reached');
    }
    if (this.#isAway) this.#options.log.info({}, 'the webhook of ALARM_URL answers again');
    this.#isAway = false;
    this.#taken += 1;
    this.#refused.delete(incident_id);
    return 'taken';
  }

  #noteAway(reason: string): 'away' {
    if (!this.#isAway && !this.#stopping.signal.aborted)
      this.#options.log.warn({ reason }, 'the webhook of ALARM_URL takes no incident; they wait for a day');
    this.#isAway = true;
    return 'away';
  }
}

type Alarm = {
  readonly incident_id: string;
  readonly at: Date;
  readonly kind: string;
  readonly details: string;
};

interface Refused {
  readonly at: Date;
  /** The time of the next try. */
  readonly until: number;
  /** How many incidents the webhook had taken by then. */
  readonly taken: number;
}
