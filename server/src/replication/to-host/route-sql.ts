import { notifyRoutes } from '../../db/notify-sql.ts';
import { columns, int2, int8, text } from '../../db/columns.ts';
import { statement } from '../../db/statement.ts';
import type { HostMode } from '../../modes/host-mode.ts';
import { modeIn, someNotLive } from '../../modes/modes-sql.ts';

const modeOfRoute = modeIn('r.facility');

/** An operator has skipped this version of the entry since the try began. */
const skippedMeanwhile = `p.skipped_at > excluded.try_began_at and excluded.version <= p.version`;

/**
 * The next state of an entry `p` that is refused again. A try counts where it was due; the next one comes after twice
 * the delay, a day and a half at most. A retry that a person asks for during the try is granted: the cause may be
 * corrected since. A skip during the try stays, unless it refers to an earlier version. The row that is
 * inserted names the beginning and the end of the try.
 */
export const parkAgain = `attempts = p.attempts + case when p.next_try_at <= excluded.tried_at then 1 else 0 end,
            next_try_at = case when p.next_try_at > excluded.tried_at then p.next_try_at
                               when p.next_try_at > excluded.try_began_at then excluded.tried_at
                               else later(excluded.tried_at, interval '1 minute' * power(2, least(p.attempts, 11))) end,
            tried_at = excluded.tried_at, try_began_at = excluded.try_began_at,
            ${['skipped_at', 'skipped_by', 'skip_reason'].map((name) => `${name} = case when ${skippedMeanwhile} then p.${name} end`).join(', ')}`;

/** A route, as a pass reads it. */
export interface RouteRow {
  version: number;
  /** Up to this version, changes are on the host, or they belong to a shadow. */
  done_through: number;
  status: 'O' | 'C';
  arrived: boolean;
  closed_at: Date | null;
  closed_by: 'D' | 'A' | 'F' | null;
  late: number;
  zone: string;
  shadow: string | null;
  parked: boolean;
  /** Skipped stops: the pass does not try them, and the host does not have them. */
  skipped: number[];
  epoch: number;
  mode: HostMode;
  /** The route, or some facility, is or was in shadow: files need a decision. */
  was_shadow: boolean;
}

export interface StopRow {
  stop_id: number;
  version: number;
  doc: string;
  shadow: string | null;
  parked: boolean;
}

export interface ChangeRow {
  id: string;
  stop_id: number;
  received_at: Date;
  source: string;
  employee: string;
}

/**
 * Read after the lease was taken, in a statement of its own, and before the stops: they are at least of its version.
 */
export const loadRoute = statement(
  'replicate_route',
  `select r.version, greatest(r.hosted_through, r.shadow_through) as done_through, r.status, r.arrived, r.closed_at, r.closed_by, r.late,
          coalesce(f.zone, '') as zone, h.rows as shadow, p.stop_id is not null as parked,
          (select coalesce(array_agg(k.stop_id), '{}') from parked k
            where k.facility = r.facility and k.route_id = r.id and k.week_end = r.week_end
              and k.stop_id >= 0 and k.skipped_at is not null) as skipped,
          (select coalesce(max(epoch), 1) from server_epoch) as epoch,
          ${modeOfRoute} as mode, r.shadow_through > 0 or ${someNotLive} as was_shadow
     from route r
     left join facility f on f.id = r.facility
     left join host_shadow h on h.facility = r.facility and h.route_id = r.id and h.week_end = r.week_end and h.stop_id = -1
     left join parked p on p.facility = r.facility and p.route_id = r.id and p.week_end = r.week_end and p.stop_id = -1
    where r.facility = $1 and r.id = $2 and r.week_end = $3`,
);

/** Stops that are behind on the host: changed since, or parked and not skipped, in the order of their last change. */
export const loadStops = statement(
  'replicate_stops',
  `select s.stop_id, s.version, s.doc, h.rows as shadow, p.stop_id is not null as parked
     from stop_result s
     left join host_shadow h using (facility, route_id, week_end, stop_id)
     left join parked p using (facility, route_id, week_end, stop_id)
    where s.facility = $1 and s.route_id = $2 and s.week_end = $3 and (s.version > $4 or (p.stop_id is not null and p.skipped_at is null))
    order by s.version, s.stop_id`,
);

/**
 * Changes that are not on the host, the oldest first, and the last change of each parked stop. $4 `done_through`.
 * Read beside the stops: a change in between belongs to the next pass.
 */
export const loadChanges = statement(
  'replicate_changes',
  `select l.id, l.stop_id, l.received_at, l.source, l.employee
     from ledger l
    where l.facility = $1 and l.route_id = $2 and l.week_end = $3
      and (l.version > $4 or l.version = any (array(
            select s.version from parked p join stop_result s using (facility, route_id, week_end, stop_id)
             where p.facility = $1 and p.route_id = $2 and p.week_end = $3 and p.skipped_at is null)))
    order by l.version`,
);

/** The confirmed rows of a stop (or −1, the route's own row). */
export interface ConfirmedRows {
  readonly stop: number;
  readonly sequence: number;
  /** The shadow's text. */
  readonly rows: string;
}
export const confirmedRows = columns<ConfirmedRows>(
  {
    stop_id: int2(({ stop }) => stop),
    sequence: int8(({ sequence }) => sequence),
    rows: text(({ rows }) => rows),
  },
  9,
);

/** An entry for a person: a stop (or −1, the route's own row), the reason, and the rows to write. */
export interface ParkedRow {
  readonly stop: number;
  readonly version: number;
  readonly sqlstate: string;
  readonly reason: string;
  readonly payload: string;
}
export const parkedRows = columns<ParkedRow>(
  {
    stop_id: int2(({ stop }) => stop),
    version: int8(({ version }) => version),
    sqlstate: text(({ sqlstate }) => sqlstate),
    reason: text(({ reason }) => reason),
    payload: text(({ payload }) => payload),
  },
  12,
);

/** An item for review, for which nothing waits. */
export interface ReviewItem {
  readonly kind: string;
  readonly details: object;
}
export const reviewItems = columns<ReviewItem>(
  { kind: text(({ kind }) => kind), details: text(({ details }) => JSON.stringify(details)) },
  17,
);

/**
 * Saves a pass over a route in one statement behind the lease's fence: without the lease it changes nothing and returns
 * no row. It saves shadows, parked stops (a try counts where it was due, since each change of another stop causes a
 * try), review items and `hosted_through`. It releases the lease after $6 ms; an immediate
 * release raises the fence, so that no late renewal takes it again. $1–$3 route, $4 owner, $5 fence, $7 version to host,
 * $8 the age of the pass in ms, $9 unparked stops; then `confirmedRows`, `parkedRows` and `reviewItems`; $20 the
 * server's time.
 */
export const savePass = statement(
  'replicate_settle',
  `with lease as (
     update route_lease set expires_at = now() + $6 * interval '1 ms', fence = fence + case when $6 = 0 then 1 else 0 end
      where facility = $1 and route_id = $2 and week_end = $3 and owner = $4 and fence = $5
     returning facility, route_id, week_end
   ), shadows as (
     insert into host_shadow (facility, route_id, week_end, stop_id, sequence, rows, confirmed_at)
     select lease.*, k.stop_id, k.sequence, k.rows, $20::timestamptz
       from lease, ${confirmedRows.rows}
     on conflict (facility, route_id, week_end, stop_id) do update
        set sequence = excluded.sequence, rows = excluded.rows, confirmed_at = excluded.confirmed_at
   ), unparked as (
     delete from parked p using lease
      where p.facility = lease.facility and p.route_id = lease.route_id and p.week_end = lease.week_end
        and p.stop_id = any($9::smallint[])
   ), kept as (
     insert into parked as p (facility, route_id, week_end, ${parkedRows.names}, parked_at, tried_at, try_began_at)
     select lease.*, k.*, $20::timestamptz, now(), now() - $8::float8 * interval '1 ms' from lease, ${parkedRows.rows}
     on conflict (facility, route_id, week_end, stop_id) do update
        set version = excluded.version, sqlstate = excluded.sqlstate, reason = excluded.reason, payload = excluded.payload,
            ${parkAgain}
   ), reported as (
     insert into incident (incident_id, ${reviewItems.names}, at)
     select gen_random_uuid(), k.*, $20::timestamptz from lease, ${reviewItems.rows}
   ), hosted as (
     update route r set hosted_through = greatest(r.hosted_through, $7) from lease
      where $7 > 0 and r.facility = lease.facility and r.id = lease.route_id and r.week_end = lease.week_end
   )
   select 1 from lease`,
);

/** The hint to the feeds: this scope has a new version on the host. $1 scope. */
export const notifyHosted = statement('replicate_notify', notifyRoutes);

/** The backlog, for health and operators. The lag is the age of the oldest mutation that is not on the host. */
export const replicationState = statement(
  'replicate_state',
  `select count(*)::int as routes, coalesce(sum(r.version - greatest(r.hosted_through, r.shadow_through)), 0)::bigint as versions,
          coalesce(extract(epoch from now() - min(l.received_at)), 0)::float8 as lag_s,
          (select count(*)::int from parked where skipped_at is null) as parked
     from route r
     left join lateral (
       select l.received_at from ledger l
        where l.facility = r.facility and l.route_id = r.id and l.week_end = r.week_end and l.version > greatest(r.hosted_through, r.shadow_through)
        order by l.version limit 1
     ) l on true
    where r.behind`,
);

/** Reports a file of the host that a person must correct. $1 the file and the reason. */
export const reportPause = statement(
  'replicate_report_pause',
  `insert into incident (incident_id, kind, details) values (gen_random_uuid(), 'host_file_paused', $1)`,
);

/** A file of the host is corrected: entries parked for such a reason are due at once. */
export const releaseParked = statement(
  'replicate_release_parked',
  `update parked set next_try_at = now() where sqlstate ~ '^(42|28|3F|55019)'`,
);
