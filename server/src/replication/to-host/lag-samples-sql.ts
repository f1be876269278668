import { statement } from '../../db/statement.ts';

/** Deletes samples that no list shows. */
export const dropSamples = statement(
  'lag_drop',
  `delete from replication_sample where at < now() - interval '25 hours'`,
);

/** Joins a sample to its five minutes. $1 lag in s, $2 routes behind, $3 parked, $4 whether the host is away. */
export const recordSample = statement(
  'lag_record',
  `with held as (
     select exists (select from replication_hold where starts_at <= now() and (ends_at is null or ends_at > now())) as on_hold
   )
   insert into replication_sample as s (at, lag_seconds, routes_behind, parked, host_away, on_hold)
   select date_bin('5 minutes', now(), '2000-01-01 00:00:00+00'), $1, $2, $3, $4, on_hold from held
   on conflict (at) do update
     set lag_seconds = greatest(s.lag_seconds, excluded.lag_seconds),
         routes_behind = greatest(s.routes_behind, excluded.routes_behind),
         parked = greatest(s.parked, excluded.parked),
         host_away = s.host_away or excluded.host_away,
         on_hold = s.on_hold or excluded.on_hold`,
);

/** Samples of the last 24 hours, the oldest first. */
export const listSamples = statement(
  'lag_list',
  `select at, lag_seconds, routes_behind, parked, host_away, on_hold from replication_sample
    where at > now() - interval '24 hours' order by at`,
);
