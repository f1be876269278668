import type { RouteKey } from '@tailgate/sync-protocol';
import { columns, int8, text } from '../../db/columns.ts';
import { statement } from '../../db/statement.ts';
import { modeIn } from '../../modes/modes-sql.ts';

const modeOfRoute = modeIn('r.facility');
const modeOfParked = modeIn('p.facility');
const modeOfListed = modeIn('k.facility');

/**
 * Whether a parked row `p` is due for another try. A close that only waits (it has no state) goes out where it has
 * waited since $2, by the server's clock, as the pass itself decides.
 */
const isDue = `p.skipped_at is null and (p.next_try_at <= now()
                 or (p.stop_id < 0 and p.sqlstate = '' and p.parked_at <= $2::timestamptz))`;

/**
 * Up to $1 free routes with changes for the host or parked stops that are due, the oldest change first; none of a
 * facility that is off. The statement
 * reads everything that is behind, so it lists many routes at once, and the worker claims them a few at a time. A
 * backlog of any length then costs little per route.
 */
export const listRoutes = statement(
  'lease_list',
  `with due as (
     (select r.facility, r.id, r.week_end, r.changed_at as since
        from route r left join route_lease l on l.facility = r.facility and l.route_id = r.id and l.week_end = r.week_end
       where r.behind and coalesce(l.expires_at <= now(), true) and ${modeOfRoute} <> 'off'
       order by r.changed_at limit $1)
     union
     (select p.facility, p.route_id, p.week_end, min(p.parked_at)
        from parked p left join route_lease l using (facility, route_id, week_end)
       where coalesce(l.expires_at <= now(), true) and ${isDue} and ${modeOfParked} <> 'off'
       group by 1, 2, 3
       order by 4 limit $1)
   )
   select facility, id, week_end from due group by 1, 2, 3 order by min(since) limit $1`,
);

const listed = columns<RouteKey>(
  {
    facility: text(({ facility }) => facility),
    id: text(({ id }) => id),
    week_end: text((key) => key.week_end),
  },
  3,
);

/**
 * Takes those of the listed routes that are free and still have work. It locks in key order, so that two
 * workers never wait for each other in a circle (I13). $1 owner, $2 as in `isDue`, $3 ms of the lease, then the routes.
 */
export const claimRoutes = listed.statement(
  'lease_claim',
  `with due as materialized (
     select k.facility, k.id, k.week_end
       from ${listed.rows}
       join route r using (facility, id, week_end)
      where ${modeOfListed} <> 'off' and (r.behind or exists (
        select 1 from parked p
         where p.facility = k.facility and p.route_id = k.id and p.week_end = k.week_end and ${isDue}
      ))
   )
   insert into route_lease as l (facility, route_id, week_end, owner, fence, expires_at, taken_at)
   select facility, id, week_end, $1::uuid, 1, now() + $3 * interval '1 ms', now() from due order by 1, 2, 3
   on conflict (facility, route_id, week_end) do update
      set owner = excluded.owner, fence = l.fence + 1, expires_at = excluded.expires_at, taken_at = excluded.taken_at
    where l.expires_at <= excluded.taken_at
   returning l.facility, l.route_id as id, l.week_end, l.fence`,
);

/** One route's lease, with or without work: for the import, which must not judge rows that are being written. */
export const takeLease = statement(
  'lease_take',
  `insert into route_lease as l (facility, route_id, week_end, owner, fence, expires_at, taken_at)
   values ($3, $4, $5, $1, 1, now() + $2 * interval '1 ms', now())
   on conflict (facility, route_id, week_end) do update
      set owner = excluded.owner, fence = l.fence + 1, expires_at = excluded.expires_at, taken_at = excluded.taken_at
    where l.expires_at <= excluded.taken_at
   returning l.fence`,
);

const leases = columns<{ readonly key: RouteKey; readonly fence: number }>(
  {
    facility: text(({ key }) => key.facility),
    route_id: text(({ key }) => key.id),
    week_end: text(({ key }) => key.week_end),
    fence: int8(({ fence }) => fence),
  },
  2,
);
const isOwn =
  'l.facility = k.facility and l.route_id = k.route_id and l.week_end = k.week_end and l.fence = k.fence and l.owner = $1';

/** Renews only leases under the worker's own fence: a takeover has raised it. $1 owner, $2 ms, then the leases. */
export const renewLeases = leases.statement(
  'lease_renew',
  `update route_lease l set expires_at = now() + $2 * interval '1 ms'
     from ${leases.rows} where ${isOwn}
   returning l.facility, l.route_id as id, l.week_end, l.fence`,
);

/** Releases leases, free from $2 ms on. It raises the fence, too: a late renewal then finds nothing to renew. */
export const releaseLeases = leases.statement(
  'lease_release',
  `update route_lease l set expires_at = now() + $2 * interval '1 ms', fence = l.fence + 1
     from ${leases.rows} where ${isOwn}`,
);

/**
 * Routes with work that could not be claimed a moment ago: whether another worker has one, and when a delayed one is
 * free. It may be free already, and must not wait for the sweep. Work of a facility that is off is claimed by no worker.
 */
export const unclaimableWork = statement(
  'lease_unclaimable_work',
  `select count(*) filter (where l.owner <> $1)::int as others,
          ceil(extract(epoch from min(l.expires_at) filter (where l.owner = $1) - now()) * 1000)::int as ours_ms
     from route r join route_lease l on l.facility = r.facility and l.route_id = r.id and l.week_end = r.week_end
    where r.behind and ${modeOfRoute} <> 'off'`,
);
