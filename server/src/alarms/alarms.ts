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
/** Answers about one incident alone: bad request, too large, unprocessable. */
const UNFIT = new Set([400, 413, 422]);

/**
 * Sends each incident to the webhook of the operators, at least once, the oldest first. While the webhook does not
 * answer, incidents wait in their order. One that it refuses for its content, while it takes another one, is left out.
 */
export class Alarms {
  readonly #options: AlarmsOptions;
  readonly #rounds: Interval;
  readonly #url: URL;
  readonly #authorization: Record<string, string>;
  readonly #stopping = new AbortController();
  /** Whether the last request failed: one warning for an outage. */
  #isAway = false;

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
    const { db, clock, log } = this.#options;
    const oldest = new Date(clock().getTime() - NEWS_MS);
    await withTransaction(db, async (tx) => {
      const { rows } = await tx.query<Alarm>(sql.takeAlarms, [oldest, AT_ONCE]);
      const unfit: Alarm[] = [];
      for (const alarm of rows) {
        const outcome = await this.#send(alarm);
        if (outcome === 'away') return;
        if (outcome === 'unfit') unfit.push(alarm);
        else await tx.query(sql.noteSent, [alarm.incident_id]);
      }
      // A webhook with a wrong setup refuses everything in the same way.
      if (unfit.length > 0 && unfit.length === rows.length) {
        this.#noteAway('it refuses each incident');
        return;
      }
      for (const alarm of unfit) {
        // It was perhaps repaired in the meantime.
        const outcome = await this.#send(alarm);
        if (outcome === 'away') return;
        const { incident_id: incident, kind } = alarm;
        if (outcome === 'unfit')
          log.error({ incident, kind }, 'the webhook of ALARM_URL refuses an incident; it is not sent again');
        await tx.query(sql.noteSent, [incident]);
      }
    });
  }

  /** `unfit`: it refuses the content. */
  async #send({ incident_id, at, kind, details }: Alarm): Promise<'taken' | 'unfit' | 'away'> {
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
      if (UNFIT.has(response.status)) return 'unfit';
      if (!response.ok) return this.#noteAway(`it answered ${response.status}`);
    } catch {
      // The cause may repeat the address, which may contain a secret.
      return this.#noteAway('it cannot be reached');
    }
    if (this.#isAway) this.#options.log.info({}, 'the webhook of ALARM_URL answers again');
    this.#isAway = false;
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
