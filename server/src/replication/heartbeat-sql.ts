import type { Statement } from '../db/types.ts';

/** $1 worker. What has been silent for a day is gone for good. */
export const beat: Statement = {
  name: 'heartbeat beat',
  text: `with silent as (delete from worker_heartbeat where seen_at < now() - interval '1 day')
         insert into worker_heartbeat (worker) values ($1)
         on conflict (worker) do update set seen_at = now()`,
};

/** $1 worker. */
export const fallSilent: Statement = {
  name: 'heartbeat fall silent',
  text: 'delete from worker_heartbeat where worker = $1',
};

/** Workers that were heard of within the last $1 seconds. */
export const countAlive: Statement = {
  name: 'heartbeat count alive',
  text: `select count(*)::int as alive from worker_heartbeat where seen_at > now() - make_interval(secs => $1)`,
};
