-- In a file of its own: readers of plans need not wait for it.
-- Few stops change their customer.
create index stop_plan_with_former_customers on stop_plan (facility) where former_customers <> '{}';

-- A hold in force also keeps the stops that changed their customer before this upgrade. An incident has each one whose result
-- was emptied for it. jsonb refuses an escaped NUL and half of a surrogate pair, which a driver's text there may contain.
update stop_plan p
   set former_customers = former.customers
  from (select details #>> '{route,facility}' as facility, details #>> '{route,id}' as route_id,
               details #>> '{route,week_end}' as week_end, (details ->> 'stop')::smallint as stop_id,
               array_agg(distinct details #>> '{customers,from}') as customers
          from (select regexp_replace(details, '(\\[^u])|\\u(?:0000|d[89a-f]..)', '\1', 'g')::jsonb as details
                  from incident where kind = 'result_of_other_customer' offset 0) as reassigned
         where details #>> '{customers,from}' <> ''
         group by 1, 2, 3, 4) as former
 where (p.facility, p.route_id, p.week_end, p.stop_id) = (former.facility, former.route_id, former.week_end, former.stop_id);
