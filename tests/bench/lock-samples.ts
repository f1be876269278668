import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

/** Pause between two looks: each costs PostgreSQL a fraction of a millisecond. */
const EVERY_MS = 10;
/** What a session is called that waits for nothing. */
const RUNNING = 'running';
/** A wait for the lock of commits with a notification. */
const NOTIFY = 'NOTIFY';
/** Percent of the samples from which on a state is named. */
const FREQUENT = 5;

interface Busy {
  readonly state: string;
  readonly sessions: number;
  /** A session of another role, whose lock one of these sessions waits for. */
  readonly foreign: string | null;
}

/**
 * Busy sessions by what they wait for. A commit with a notification locks the pair (pg_database, 0) in `pg_locks`, which all
 * databases of a PostgreSQL share.
 */
const look = `
  with busy as (
    select pid, usename, wait_event_type, wait_event from pg_stat_activity
    where backend_type = 'client backend' and state = 'active' and pid <> pg_backend_pid()),
  named as (
    select pid, usename, case
      when wait_event_type is null then '${RUNNING}'
      when wait_event_type = 'Lock' and exists (
        select from pg_locks wanted where wanted.pid = busy.pid and not wanted.granted and wanted.locktype = 'object'
          and wanted.classid = 'pg_database'::regclass and wanted.objid = 0) then '${NOTIFY}'
      when wait_event_type = 'Lock' then 'lock of a ' || wait_event
      else wait_event end as state
    from busy)
  select state, count(*)::int as sessions, min(case when state like 'lock of%' then (
      select holder.usename from unnest(pg_blocking_pids(named.pid)) as blocking (pid)
      join pg_stat_activity as holder using (pid) where holder.usename <> named.usename limit 1) end) as foreign
  from named group by state`;

/** How often sessions were seen in each state. */
export class LockSamples {
  readonly #seen = new Map<string, number>();

  /** Looks until the work ends. @throws Error where a session waits for a row or table lock of another role */
  async during(
    all: readonly { readonly database: { readonly pool: pg.Pool } }[],
    work: Promise<unknown>,
  ): Promise<void> {
    const ended = new AbortController();
    const done = work.finally(() => ended.abort());
    const looks = [...new Set(all.map(({ database }) => database.pool))].map(async (pool) => {
      for (; !ended.signal.aborted; await pause(EVERY_MS))
        for (const { state, sessions, foreign } of (await pool.query<Busy>(look)).rows) {
          if (foreign !== null) throw new Error(`a session waits for a lock of ${foreign}: ${state}`);
          this.#seen.set(state, (this.#seen.get(state) ?? 0) + sessions);
        }
    });
    await Promise.all([done, ...looks]);
  }

  /** The share of each state that is frequent, and of the lock of NOTIFY, such as `running 62 %, WalSync 30 %, NOTIFY 1 %`. */
  static describe(all: readonly LockSamples[]): string {
    const seen = new Map([[NOTIFY, 0]]);
    for (const one of all) for (const [state, n] of one.#seen) seen.set(state, (seen.get(state) ?? 0) + n);
    const total = [...seen.values()].reduce((sum, n) => sum + n, 0);
    return [...seen]
      .map(([state, n]) => ({ state, share: Math.round((100 * n) / total) }))
      .filter(({ state, share }) => state === NOTIFY || share >= FREQUENT)
      .toSorted((a, b) => b.share - a.share)
      .map(({ state, share }) => `${state} ${share} %`)
      .join(', ');
  }
}
