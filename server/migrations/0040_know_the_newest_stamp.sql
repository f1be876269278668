-- The latest time of a writer of a route's stops, so that stamps from the future are found (decision 97). `changed_at` says
-- by PostgreSQL's clock when the row changed, which is no stamp.
alter table route add column newest_stamp timestamptz;

update route r set newest_stamp = stamped.newest
  from (
    select s.facility, s.route_id, s.week_end, to_timestamp(max(writer::text::numeric) / 1000) as newest
      from stop_result s, jsonb_path_query(s.doc::jsonb, '$.by[*].at') as writer
     where s.doc like '%"by":%'
     group by 1, 2, 3
  ) as stamped
 where r.facility = stamped.facility and r.id = stamped.route_id and r.week_end = stamped.week_end;
