import { statement } from '../../db/statement.ts';
import { summaryColumns, summaryTables } from '../routes/routes-sql.ts';

// The last parameter of each statement is the number of rows. A range of ids compares bytes (`~>=~`), as the indexes
// do, so that a prepared statement uses them.

/**
 * Customers by the beginning of their number, or by words. $1 beginnings, $2 a text above all ids with them, $3 words as
 * a tsquery or null, $4 the first week that counts for `stops`.
 */
export const findCustomers = statement(
  'ops_find_customers',
  `with found as (
     select c.facility, c.id from customer c where c.words @@ to_tsquery('simple', $3)
      union
     select c.facility, c.id
       from unnest($1::text[]) as k (start) join customer c on c.id ~>=~ k.start and c.id ~<~ (k.start || $2::text)
   ), page as (
     select c.facility, c.id, c.name, c.street, c.city, c.phone
       from found join customer c using (facility, id)
      order by c.name, c.facility, c.id
      limit $5
   )
   select facility, id as customer, name, street, city, phone,
          (select count(*)::int from stop_plan p
            where p.customer = page.id and p.facility = page.facility and p.week_end >= $4
              and p.removed_at is null) as stops
     from page order by name, facility, id`,
);

/**
 * Stops by their key, customer, invoice or trace id, the latest first. $1 routes, $2 facility or null, $3 week or null,
 * $4 stop or null, $5 and $6 facility and number of customers, $7 invoices, $8 the beginning of a trace id or
 * null, $9 a text above all ids with it.
 */
export const findStops = statement(
  'ops_find_stops',
  `with named as (
     select p.facility, p.route_id, p.week_end, p.stop_id, 'stop' as matched, 1 as rank
       from route r join stop_plan p on p.facility = r.facility and p.route_id = r.id and p.week_end = r.week_end
      where r.id = any ($1::text[]) and p.stop_id = $4::smallint and ($2::text is null or r.facility = $2)
        and ($3::text is null or r.week_end = $3) and p.removed_at is null
      order by r.week_end desc limit $10
   ), invoiced as (
     select p.facility, p.route_id, p.week_end, p.stop_id, 'invoice' as matched, 2 as rank
       from stop_plan p where p.invoices && $7::text[] and p.removed_at is null
      order by p.week_end desc limit $10
   ), traced as (
     select h.facility, h.route_id, h.week_end, h.stop_id, 'trace' as matched, 1 as rank
       from host_shadow h
      where substring(h.rows from '"([0-9A-Z]{12})"]]}}') ~>=~ $8::text
        and substring(h.rows from '"([0-9A-Z]{12})"]]}}') ~<~ ($8::text || $9::text)
      limit $10
   ), visited as (
     select p.facility, p.route_id, p.week_end, p.stop_id, 'customer' as matched, 4 as rank
       from unnest($5::text[], $6::text[]) as c (facility, id)
      cross join lateral (
        select x.facility, x.route_id, x.week_end, x.stop_id from stop_plan x
         where x.customer = c.id and x.facility = c.facility and x.removed_at is null
         order by x.week_end desc limit $10
      ) p
   ), found as (
     select distinct on (facility, route_id, week_end, stop_id) *
       from (select * from named union all select * from invoiced union all select * from traced
             union all select * from visited) as each
      order by facility, route_id, week_end, stop_id, rank
   ), page as materialized (
     select found.*, r.dispatched_on
       from found join route r on r.facility = found.facility and r.id = found.route_id and r.week_end = found.week_end
      order by rank = 4, r.dispatched_on desc, found.week_end desc, found.facility, found.route_id, found.stop_id
      limit $10
   )
   select ${summaryColumns}, page.matched
     from page join stop_plan p using (facility, route_id, week_end, stop_id) ${summaryTables}
    order by page.rank = 4, page.dispatched_on desc, p.week_end desc, p.facility, p.route_id, p.stop_id`,
);

/** Stops by the beginning of an invoice, those of the latest weeks. $1 the beginning as a tsquery. */
export const findStopsByInvoiceStart = statement(
  'ops_find_stops_by_invoice_start',
  `with latest as (
     select p.facility, p.route_id, p.week_end, p.stop_id
       from stop_plan p
      where array_to_tsvector(array_remove(p.invoices, '')) @@ $1::tsquery and p.removed_at is null
      order by p.week_end desc limit $2
   ), page as materialized (
     select latest.*, r.dispatched_on
       from latest join route r on r.facility = latest.facility and r.id = latest.route_id and r.week_end = latest.week_end
   )
   select ${summaryColumns}, 'invoice' as matched
     from page join stop_plan p using (facility, route_id, week_end, stop_id) ${summaryTables}
    order by page.dispatched_on desc, p.week_end desc, p.facility, p.route_id, p.stop_id`,
);

/** Routes by the beginning of their id, the latest first. $1 beginnings, $2 a text above all ids with them. */
export const findRoutes = statement(
  'ops_find_routes',
  `select r.facility, r.id as route_id, r.week_end, r.name, r.dispatched_on, r.status
     from unnest($1::text[]) as k (start) join route r on r.id ~>=~ k.start and r.id ~<~ (k.start || $2::text)
    where r.published_at is not null and r.withdrawn_at is null
    order by r.dispatched_on desc, r.week_end desc, r.facility, r.id
    limit $3`,
);

/** Employees by the beginning of their id, or by parts of the name. $1 beginnings, $2 patterns of all words. */
export const findDrivers = statement(
  'ops_find_drivers',
  `select e.id as employee, e.name, e.facility, e.active
     from employee e
    where e.id ^@ any ($1::text[]) or (cardinality($2::text[]) > 0 and lower(regexp_replace(normalize(e.name, NFD), '[\\u0300-\\u036f]+', '', 'g')) like all ($2::text[]))
    order by e.active desc, e.id
    limit $3`,
);

/** $1 the beginning of an id, $2 a text above all ids with it. */
export const findFiles = statement(
  'ops_find_files',
  `select a.id as asset_id, a.state, a.name, a.mime, a.size, a.received_at
     from asset a where a.id ~>=~ $1::text and a.id ~<~ ($1::text || $2::text)
    order by a.id limit $3`,
);

/** Changes by a range of ids, a look into each facility’s part of the ledger. $1 first, $2 last. */
export const findMutations = statement(
  'ops_find_mutations',
  `with kept as (
     select l.id, l.facility, l.route_id, l.week_end, l.stop_id, l.employee, l.received_at, null::uuid as quarantine_id
       from (select id from facility union all select '') as f
      cross join lateral (
        select * from ledger x where x.facility = f.id and x.id between $1 and $2 order by x.id limit $3
      ) l
      union all
     (select q.id, q.facility, q.route_id, q.week_end, q.stop_id, q.employee, q.received_at, q.quarantine_id
        from quarantine q where q.id between $1 and $2 and q.state <> 'released'
       order by q.id limit $3)
   )
   select kept.*, coalesce(e.name, '') as employee_name
     from kept left join employee e on e.id = kept.employee
    order by kept.received_at desc, kept.id limit $3`,
);
