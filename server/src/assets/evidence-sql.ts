import type { Statement } from '../db/types.ts';

/**
 * What stops name now instead of what they named before; those of which a file is not here come back. The route's lock
 * keeps others from these rows. $1–$4 facility, route, week and stop of each; $5–$9 the same of each file, and its id.
 */
export const expectEvidence: Statement = {
  name: 'asset_expect_evidence',
  text: `with stop as (
           select * from unnest($1::text[], $2::text[], $3::text[], $4::smallint[]) as k (facility, route_id, week_end, stop_id)
         ), missing as (
           select k.facility, k.route_id, k.week_end, k.stop_id, k.asset_id
             from unnest($5::text[], $6::text[], $7::text[], $8::smallint[], $9::text[])
               as k (facility, route_id, week_end, stop_id, asset_id)
            where not exists (select from asset a where a.id = k.asset_id and a.state = 'R')
         ), awaited as (
           insert into awaited_asset (facility, route_id, week_end, stop_id, asset_id)
           select facility, route_id, week_end, stop_id, asset_id from missing
           on conflict do nothing
         ), named_no_more as (
           delete from awaited_asset w using stop s
            where w.facility = s.facility and w.route_id = s.route_id and w.week_end = s.week_end and w.stop_id = s.stop_id
              and not exists (select from missing m
                               where m.facility = w.facility and m.route_id = w.route_id and m.week_end = w.week_end
                                 and m.stop_id = w.stop_id and m.asset_id = w.asset_id)
         )
         select distinct facility, route_id as id, week_end, stop_id as stop from missing`,
};

/** $1 asset. */
export const findWaitingRoutes: Statement = {
  name: 'asset_find_waiting_routes',
  text: 'select distinct facility, route_id as id, week_end from awaited_asset where asset_id = $1',
};

/** A hint to all nodes. $1 scopes. */
export const tellRoutes: Statement = {
  name: 'asset_tell_routes',
  text: `select pg_notify('tailgate_routes', scope) from unnest($1::text[]) as scope`,
};
