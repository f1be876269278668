import type pg from 'pg';
import { planLines } from '../../server/src/stops/plan-lines.ts';
import { plan } from '../support/mirror.ts';

const STOPS_A_ROUTE = 20;
const CUSTOMERS = 10_000;

/** Half of the customers share their first word, as markets do. */
const names = ['Market', 'Market', 'Pantry', 'Corner'];
export const places = [
  'Oak Park',
  'Berwyn',
  'Halsted',
  'Söderberg',
  'Lakeview',
  'Cicero',
  'Skokie',
  'Midway',
  'Evanston',
];

/** Rows as the import and the pipeline write them; the texts of plan and result are the same but for their numbers. */
export async function fillOffice(pool: pg.Client, stops: number): Promise<void> {
  const template = plan(1, 6);
  const doc = JSON.stringify({ ...template, customer: { ...template.customer, id: '@customer', name: '@name' } });
  const routes = Math.ceil(stops / STOPS_A_ROUTE);
  await pool.query(
    `insert into facility (id, name, zone) select 'F0' || n, 'Depot', 'America/Chicago' from generate_series(1, 5) n`,
  );
  await pool.query(
    `insert into customer (facility, id, name, street, city, phone)
     select 'F0' || 1 + n % 5, 'C' || 100000 + n, ($2::text[])[1 + n % cardinality($2::text[])] || ' ' || ($3::text[])[1 + n % cardinality($3::text[])] || ' ' || n,
            n || ' Main St', 'Chicago', '' from generate_series(0, $1::int - 1) n`,
    [CUSTOMERS, names, places],
  );
  await pool.query(
    `insert into employee (id, name, phone, active, facility, job)
     select 20000 + n, 'Driver ' || n, '', true, 'F01', '' from generate_series(1, 2000) n`,
  );
  await pool.query(
    `insert into route (facility, id, week_end, version, hosted_through, name, dispatched_on, published_at)
     select 'F0' || 1 + n % 5, 'R' || 10000 + n % 2000, to_char(date '2026-11-28' - 7 * (n / 2000), 'YYYYMMDD'), 20, 20, 'Route',
            to_char(date '2026-11-24' - 7 * (n / 2000), 'YYYYMMDD'), now() from generate_series(0, $1::int - 1) n`,
    [routes],
  );
  await pool.query(
    `insert into route_driver (facility, route_id, week_end, employee, type, seq)
     select facility, id, week_end, 20000 + (substr(id, 2)::int % 2000), 'D', 1 from route`,
  );
  await pool.query(
    `with place as (
       select r.*, s, ((substr(r.id, 2)::int - 10000) * $1 + s) as n from route r cross join generate_series(1, $1::int) s
     )
     insert into stop_plan (facility, route_id, week_end, stop_id, version, doc, lines, invoices, sequence, eta, customer)
     select facility, id, week_end, s, 1, replace($2, '@customer', 'C' || 100000 + n % 10000), $3,
            array[(8000000 + n * 17 + substr(week_end, 5)::int)::text], s, '', 'C' || 100000 + n % 10000
       from place`,
    [STOPS_A_ROUTE, doc, planLines(template)],
  );
  await pool.query(
    `insert into stop_result (facility, route_id, week_end, stop_id, version) select facility, route_id, week_end, stop_id, 1 from stop_plan`,
  );
  await pool.query(
    `insert into host_shadow (facility, route_id, week_end, stop_id, sequence, rows)
     select facility, route_id, week_end, stop_id, 1,
            '{"files":{"RTSTUP":{"columns":["RUSTS","RUTRC"],"rows":[["D","7KQ2' || upper(lpad(to_hex(row_number() over ()), 8, '0')) || '"]]}}}'
       from stop_plan`,
  );
  await pool.query(
    `insert into ledger (facility, id, route_id, week_end, stop_id, version, source, hash, employee, edit_time, received_at, result, body)
     select facility, ('0191e5f0-' || lpad(to_hex(n % 65536), 4, '0') || '-7cc1-9d5e-' || lpad(to_hex(n), 12, '0'))::uuid,
            route_id, week_end, stop_id, 1, 'sync', '', '20001', now(), now(), 'applied', '{}'
       from (select *, row_number() over () as n from stop_plan) p`,
  );
  await pool.query(
    `insert into asset (id, batch, state, expected_at)
     select 'Q7' || lpad(to_hex(n), 14, '0'), 'Q7' || lpad(to_hex(n), 14, '0'), 'L', now() from generate_series(1, $1::int) n`,
    [stops],
  );
  await pool.query('vacuum analyze');
}

const CAUSES = 50;
const codes = ['unknown_product', 'after_close', 'over_delivered', 'unknown_code', 'stale_field'];

/** `live` open routes of the latest week, and rows that need a person: parked stops of 50 causes, and flagged changes of the last two days, of five codes. */
export async function addTroubles(
  pool: pg.Client,
  { live, parked, flags }: { readonly live: number; readonly parked: number; readonly flags: number },
): Promise<void> {
  await pool.query(
    `update route set status = 'C' where (facility, id, week_end) not in (
       select facility, id, week_end from route order by week_end desc, id limit $1::int)`,
    [live],
  );
  await pool.query(
    `insert into parked (facility, route_id, week_end, stop_id, version, sqlstate, reason, payload, parked_at, next_try_at)
     select facility, route_id, week_end, stop_id, 1, '22001', 'the host refuses field ' || chr(65 + (n % $2 / 26)::int) || chr(65 + (n % $2 % 26)::int)
            || ' of stop ' || stop_id, repeat('{"row":1}', 100), now() - n * interval '5 s', now() + interval '1 hour'
       from (select *, row_number() over () as n from stop_plan limit $1::int) p`,
    [parked, CAUSES],
  );
  await pool.query(
    `update ledger l
        set received_at = now() - interval '1 minute' - n * interval '8 s',
            warnings = '[{"code":"' || ($2::text[])[1 + n % cardinality($2::text[])] || '","path":"products.' || n % 7 || '","message":"the plan has no such line"}]'
       from (select facility, id, row_number() over () as n from ledger limit $1::int) f
      where l.facility = f.facility and l.id = f.id`,
    [flags, codes],
  );
  await pool.query('vacuum analyze');
}
