import type { Statement } from '../../db/types.ts';

/** $1 worker, $2 what it says of itself, as JSON. What has been silent for a day is gone for good. */
export const beat: Statement = {
  name: 'heartbeat_beat',
  text: `with silent as (delete from worker_heartbeat where seen_at < now() - interval '1 day')
         insert into worker_heartbeat (worker, state) values ($1, $2)
         on conflict (worker) do update set seen_at = now(), state = excluded.state`,
};

/** $1 worker. */
export const fallSilent: Statement = {
  name: 'heartbeat_fall_silent',
  text: 'delete from worker_heartbeat where worker = $1',
};

/** Workers that were heard of within the last $1 seconds. */
export const countAlive: Statement = {
  name: 'heartbeat_count_alive',
  text: `select count(*)::int as alive from worker_heartbeat where seen_at > now() - make_interval(secs => $1)`,
};

/** All that have been heard of within a day, those that live first. $1 seconds after which one is silent. */
export const listWorkers: Statement = {
  name: 'heartbeat_list',
  text: `select worker, started_at, seen_at, state, seen_at > now() - make_interval(secs => $1) as alive
           from worker_heartbeat order by alive desc, started_at, worker`,
};
