import { parkAgain } from '../route-sql.ts';
import { columns, int8, text } from '../../../db/columns.ts';
import { statement } from '../../../db/statement.ts';
import { modeIn, someNotLive } from '../../../modes/modes-sql.ts';
import type { PendingRow, RowRefusal } from './row-file.ts';

const modeOfEmployee = modeIn('e.facility');
const modeOfReport = modeIn(`(select e.facility from load_report_revision r join employee e on e.id = r.driver_id
                        where r.report_id = h.report_id and r.revision = h.version)`);
const modeOfSignIn = modeIn('s.facility');

// Rows that are behind, and their confirmed state on the host. A parked row waits for its next try or its next change.
// After a lost lease, a write counts as not made ($1 file, $2 owner, $3 fence).

/** Whether a parked row `p` is due for another try. */
const isDue = `(p.next_try_at <= now() and p.skipped_at is null)`;

const lease = `lease as (
     select 1 from route_lease where facility = '' and route_id = $1 and week_end = '' and owner = $2 and fence = $3
   )`;
const hostedVersion = 'case when exists (select from lease) then k.version else 0 end';

const refusals = columns<RowRefusal>(
  {
    key: text(({ row }) => row.key.join('/')),
    version: int8(({ row }) => row.version),
    sqlstate: text(({ sqlstate }) => sqlstate),
    reason: text(({ reason }) => reason),
    payload: text(({ payload }) => payload),
  },
  2,
);

/** $1 file, $2 the age of the try in ms, then the refusals, $8 the server's time. */
export const parkRows = refusals.statement(
  'rows_park',
  `insert into parked_row as p (file, ${refusals.names}, parked_at, tried_at, try_began_at)
   select $1, k.*, $8::timestamptz, now(), now() - $2::float8 * interval '1 ms' from ${refusals.rows}
   on conflict (file, key) do update
      set version = excluded.version, sqlstate = excluded.sqlstate, reason = excluded.reason, payload = excluded.payload,
            ${parkAgain}`,
);

const hostedRows = columns<PendingRow>(
  { key: text(({ key: [id = ''] }) => id), version: int8(({ version }) => version) },
  3,
);

/** Records the confirmed rows of a table whose key is one column. `also` is another part of the statement. */
const confirmRows = (name: string, { table, key, also = '' }: { table: string; key: string; also?: string }) =>
  hostedRows.statement(
    name,
    `with ${lease}, hosted as (
     update ${table} t set hosted_version = ${hostedVersion}
       from ${hostedRows.rows}
      where t.${key} = k.key
   )${also}
   delete from parked_row where file = $1 and key = any ($4::text[])`,
  );

/** The zone that all facilities share, for rows of no facility. Null where they have several, or no valid one. */
const sharedZone = `(select min(zone) from facility where zone <> '' having count(distinct zone) = 1)`;

/** $1 most rows. */
export const loadUsers = statement(
  'rows_load_users',
  `select a.employee, a.version, a.created_at, a.unregistered_at, a.last_seen_at, e.active,
          coalesce(f.zone, ${sharedZone}, '') as zone
     from account a
     left join employee e on e.id = a.employee
     left join facility f on f.id = e.facility
     left join parked_row p on p.file = 'PODUSRP' and p.key = a.employee and p.version = a.version
    where a.hosted_version < a.version and (p.key is null or ${isDue}) and ${modeOfEmployee} = 'live'
    order by a.employee limit $1`,
);

export const confirmUsers = confirmRows('rows_confirm_users', { table: 'account', key: 'employee' });

const signInKey = `s.facility || '/' || s.route_id || '/' || s.week_end || '/' || s.employee`;

/** $1 most rows. */
export const loadSignIns = statement(
  'rows_load_sign_ins',
  `select s.facility, s.route_id, s.week_end, s.employee, s.version, s.signed_in, s.signed_in_at, s.shadow,
          coalesce(f.zone, '') as zone
     from driver_sign_in s
     left join facility f on f.id = s.facility
     left join parked_row p on p.file = 'RTDRVP' and p.key = ${signInKey} and p.version = s.version
    where s.hosted_version < s.version and (p.key is null or ${isDue}) and ${modeOfSignIn} = 'live'
    order by s.facility, s.route_id, s.week_end, s.employee limit $1`,
);

/** A confirmed row: its key, its version, and the service's columns as JSON. */
interface HostedSignIn {
  readonly facility: string;
  readonly route_id: string;
  readonly week_end: string;
  readonly employee: string;
  readonly version: number;
  readonly shadow: string;
}

const signIns = columns<HostedSignIn>(
  {
    facility: text(({ facility }) => facility),
    route_id: text((signIn) => signIn.route_id),
    week_end: text((signIn) => signIn.week_end),
    employee: text(({ employee }) => employee),
    version: int8(({ version }) => version),
    shadow: text(({ shadow }) => shadow),
  },
  3,
);

export const confirmSignIns = signIns.statement(
  'rows_confirm_sign_ins',
  `with ${lease}, hosted as (
     update driver_sign_in s set hosted_version = ${hostedVersion}, shadow = k.shadow
       from ${signIns.rows}
      where s.facility = k.facility and s.route_id = k.route_id and s.week_end = k.week_end and s.employee = k.employee
   )
   delete from parked_row p
    using ${signIns.unnest} as s (${signIns.names})
    where p.file = $1 and p.key = ${signInKey}`,
);

/** $1 most rows. */
export const loadReports = statement(
  'rows_load_reports',
  `select h.report_id, h.version, r.doc, coalesce(f.zone, ${sharedZone}, '') as zone
     from load_report h
     join load_report_revision r on r.report_id = h.report_id and r.revision = h.version
     left join employee e on e.id = r.driver_id
     left join facility f on f.id = e.facility
     left join parked_row p on p.file = 'LCRHDP' and p.key = h.report_id and p.version = h.version
    where h.hosted_version < h.version and (p.key is null or ${isDue}) and ${modeOfEmployee} = 'live'
    order by h.report_id limit $1`,
);

export const confirmReports = confirmRows('rows_confirm_reports', { table: 'load_report', key: 'report_id' });

/**
 * Small files first: a signature does not wait for a video. A file belongs to no facility: its dates use the zone of
 * the stop that waits for it, else the zone that all facilities share, else UTC. While some facility is not live, a file
 * waits until a live stop names it. $1 most rows.
 */
export const loadAssets = statement(
  'rows_load_assets',
  `select a.id, a.version, a.batch, a.seq, a.state, a.content, a.object, a.name, a.mime, a.size, a.sha256,
          coalesce((select min(f.zone) from awaited_asset w join facility f on f.id = w.facility where w.asset_id = a.id),
                   ${sharedZone}, '') as zone
     from asset a
     left join parked_row p on p.file = 'ASSHDP' and p.key = a.id and p.version = a.version
    where a.hosted_version < a.version and (p.key is null or ${isDue})
      and (a.host_mode = 'live' or (a.host_mode is null and not ${someNotLive}))
    order by a.size, a.id limit $1`,
);

/**
 * Writes the header of closed routes that count one of these files as missing again, with the new count. It runs before
 * the statement that deletes the waiting rows: a crash in between repeats it. $1 assets that have arrived.
 */
export const recountClosedRoutes = statement(
  'rows_recount_closed_routes',
  `with closed as materialized (
     select r.facility, r.id, r.week_end from route r
      where r.status = 'C' and (r.facility, r.id, r.week_end) in (
        select w.facility, w.route_id, w.week_end from awaited_asset w where w.asset_id = any ($1::text[]))
      order by r.facility, r.id, r.week_end for no key update
   )
   update route r set version = r.version + 1, changed_at = now() from closed
    where r.facility = closed.facility and r.id = closed.id and r.week_end = closed.week_end`,
);

/**
 * Deletes the waiting rows of assets that have arrived, too. After the columns $6: the assets of which the statement
 * before made the counts. A later one keeps its rows until it is counted, too.
 */
export const confirmAssets = confirmRows('rows_confirm_assets', {
  table: 'asset',
  key: 'id',
  also: `, arrived as (
     delete from awaited_asset where asset_id = any ($6::text[])
   )`,
});

/** The number of files that a route's stops name and that have not arrived. $1–$3 route. */
export const countAwaited = statement(
  'rows_count_awaited',
  `select count(distinct asset_id)::int as missing
     from missing_evidence where facility = $1 and route_id = $2 and week_end = $3`,
);

/** Reports files that never arrived, each with the stop that names it. $1 assets, $2 the server's time. */
export const reportMissing = statement(
  'rows_report_missing',
  `insert into incident (incident_id, at, kind, details)
   select gen_random_uuid(), $2, 'asset_missing', jsonb_build_object(
            'asset', k.id, 'stop', w.stop_id,
            'route', jsonb_build_object('facility', w.facility, 'id', w.route_id, 'week_end', w.week_end))::text
     from unnest($1::text[]) as k (id) left join awaited_asset w on w.asset_id = k.id`,
);

/** The number of rows of each kind that are behind on the host. */
export const countBehind = statement(
  'rows_count_behind',
  `select (select count(*) from account where hosted_version < version)
        + (select count(*) from driver_sign_in where hosted_version < version)
        + (select count(*) from load_report where hosted_version < version)
        + (select count(*) from asset where hosted_version < version) as rows,
          (select count(*) from parked_row where skipped_at is null) as parked`,
);

/** Reports a foreign change of a column that only the service uses. $1 the found and the written values. */
export const reportForeignSignIn = statement(
  'rows_report_foreign_sign_in',
  `insert into incident (incident_id, kind, details) values (gen_random_uuid(), 'host_edit_untold', $1)`,
);

/**
 * Finishes what shadows have for the host: their sign-ins, reports and files. Nothing is written, and nothing waits. A
 * user's row has a state and no history: it waits until the facility is live.
 */
export const settleShadows = statement(
  'rows_settle_shadows',
  `with sign_in as (
     update driver_sign_in s set hosted_version = s.version
      where s.hosted_version < s.version and ${modeOfSignIn} = 'shadow'
   ), report as (
     update load_report h set hosted_version = h.version, shadowed = true
      where h.hosted_version < h.version
        and ${modeOfReport} = 'shadow'
   ), file as (
     update asset a set hosted_version = a.version
      where a.id in (select id from asset where host_mode = 'shadow' and hosted_version < version for update skip locked)
     returning a.id, a.state
   )
   delete from awaited_asset w using file where w.asset_id = file.id and file.state = 'R'`,
);

/** Stops of a shadow name these files: they are finished, unless the host has them. $1 files. */
export const shadowFiles = statement(
  'rows_shadow_files',
  `update asset set host_mode = 'shadow', hosted_version = version
    where id in (select id from asset where id = any ($1::text[]) and host_mode is null and hosted_version = 0
                  order by id for update)`,
);

/** Live stops name these files: they go to the host, also where they were of a shadow before. $1 files. */
export const claimFiles = statement(
  'rows_claim_files',
  `update asset set host_mode = 'live', hosted_version = case when host_mode = 'shadow' then 0 else hosted_version end
    where id in (select id from asset where id = any ($1::text[]) and host_mode is distinct from 'live'
                  order by id for update)`,
);
