import { statement } from '../../db/statement.ts';

/** $1 worker, $2 its state as JSON. Deletes workers without a beat for a day. */
export const recordHeartbeat = statement(
  'heartbeat_record',
  `with silent as (delete from worker_heartbeat where seen_at < now() - interval '1 day')
   insert into worker_heartbeat (worker, state, seen_at) values ($1, $2, now())
   on conflict (worker) do update set seen_at = excluded.seen_at, state = excluded.state`,
);

/** $1 worker. */
export const deleteHeartbeat = statement('heartbeat_delete', 'delete from worker_heartbeat where worker = $1');

/** Counts the workers with a beat within the last $1 seconds. */
export const countAlive = statement(
  'heartbeat_count_alive',
  `select count(*)::int as alive from worker_heartbeat where seen_at > now() - make_interval(secs => $1)`,
);

/** Workers with a beat within a day, the running ones first. $1 seconds without a beat after which a worker is missing. */
export const listWorkers = statement(
  'heartbeat_list',
  `select worker, started_at, seen_at, state, seen_at > now() - make_interval(secs => $1) as alive
     from worker_heartbeat order by alive desc, started_at, worker`,
);
