import { cellSuffix } from '../db/cell.ts';
import { notifySessions as notifyEnded } from '../db/notify-sql.ts';
import { statement } from '../db/statement.ts';

/** An open route of a driver; `d` is `route_driver`, `r` is `route`. */
const openRoute = `d.removed_at is null and r.status = 'O' and r.published_at is not null and r.withdrawn_at is null`;

const sessionColumns = `
  s.employee, s.created_at, s.last_seen_at, s.expires_at, s.revoked_at, s.revoked_reason,
  exists (
    select from route_driver d
      join route r on r.facility = d.facility and r.id = d.route_id and r.week_end = d.week_end
     where d.employee = s.employee and d.assigned_at <= s.expires_at and ${openRoute}
  ) as on_open_route`;

/** $1 token hash, $2 employee. */
export const findSession = statement(
  'auth_find_session',
  `select ${sessionColumns} from session s where s.token_hash = $1 and s.employee = $2`,
);

/** Many sessions at once, for the sockets of the sync edge. $1 token hashes. */
export const findSessions = statement(
  'auth_find_sessions',
  `select s.token_hash, ${sessionColumns} from session s where s.token_hash = any ($1::bytea[])`,
);

/**
 * The sessions of queues. A queue without a recorded session counts as part of its driver's last ended session: an
 * extra flag is better than a missing one. $1 client ids.
 */
export const findQueueSessions = statement(
  'auth_find_queue_sessions',
  `select c.client_id, c.clock_read_at, q.boot_id, q.boot_at, ${sessionColumns}
     from client c
     left join queue_session q using (client_id)
    cross join lateral (
      select * from session where token_hash = q.session_hash
       union all
      (select * from session
        where q.session_hash is null and employee = c.employee and revoked_at is not null
        order by revoked_at desc limit 1)
    ) s
    where c.client_id = any ($1::uuid[])`,
);

/**
 * $1 token hashes, $2 when each was used, $3 its new expiry. Rows are locked in one order, so that two nodes cannot
 * deadlock.
 */
export const recordUse = statement(
  'auth_touch_sessions',
  `update session s set last_seen_at = k.used_at, expires_at = k.expires_at
     from (
       select s.token_hash, k.used_at, k.expires_at
         from unnest($1::bytea[], $2::timestamptz[], $3::timestamptz[]) as k (token_hash, used_at, expires_at)
         join session s using (token_hash)
        where s.revoked_at is null
        order by s.token_hash
          for no key update of s
     ) k
    where s.token_hash = k.token_hash`,
);

/** An employee who may sign up. $1 employee. */
export const findCandidate = statement(
  'auth_find_candidate',
  `select e.name, e.active, a.employee is not null as registered
     from employee e
     left join account a on a.employee = e.id and a.unregistered_at is null
    where e.id = $1`,
);

/**
 * Creates account and first session in one statement, or returns no row if another request was faster. An unregistered
 * employee starts anew. $1 employee, $2 password hash, $3 token hash, $4 device, $5 now, $6 expiry.
 */
export const insertAccount = statement(
  'auth_insert_account',
  `with registered as (
     insert into account as a (employee, password_hash, created_at, changed_at, last_seen_at)
     values ($1, $2, $5, $5, $5)
     on conflict (employee) do update
        set password_hash = excluded.password_hash, must_change_password = false, unregistered_at = null,
            created_at = excluded.created_at, changed_at = excluded.changed_at,
            last_seen_at = excluded.last_seen_at, version = a.version + 1
      where a.unregistered_at is not null
     returning employee
   ), opened as (
     insert into session (token_hash, employee, device, created_at, last_seen_at, expires_at)
     select $3, employee, $4, $5, $5, $6 from registered
   )
   select employee from registered`,
);

/** Returns no row where the employee is not registered. $1 employee, $2 now. */
export const unregisterAccount = statement(
  'auth_unregister_account',
  `with forgotten as (delete from one_time_password where employee = $1)
   update account
      set password_hash = null, must_change_password = false, unregistered_at = $2, changed_at = $2,
          version = version + 1
    where employee = $1 and unregistered_at is null
   returning employee`,
);

/** $1 employee, $2 now. */
export const seeAccount = statement(
  'auth_see_account',
  'update account set last_seen_at = $2, version = version + 1 where employee = $1',
);

/** $1 token hash, $2 employee, $3 device, $4 now, $5 expiry. */
export const insertSession = statement(
  'auth_insert_session',
  `insert into session (token_hash, employee, device, created_at, last_seen_at, expires_at)
   values ($1, $2, $3, $4, $4, $5)`,
);

/**
 * Sign-ins of one route wait for each other: of two concurrent drivers, the second must see the first. It is an
 * advisory lock, because the pipeline uses the route's row lock. $1 class, $2 the route's scope.
 */
export const lockSignIns = statement(
  'auth_lock_sign_ins',
  `select pg_advisory_xact_lock($1, hashtext($2 || ${cellSuffix}))`,
);

/** Open sessions of the other drivers of a route. $1 facility, $2 route, $3 week_end, $4 employee. */
export const findOtherSessions = statement(
  'auth_find_other_sessions',
  `select coalesce(e.name, '') as name, ${sessionColumns}
     from route_driver mate
     join session s on s.employee = mate.employee and s.revoked_at is null
     left join employee e on e.id = mate.employee
    where mate.facility = $1 and mate.route_id = $2 and mate.week_end = $3
      and mate.removed_at is null and mate.employee <> $4
    order by s.employee collate "C"`,
);

/**
 * Ends every session of some employees. Rows are locked in the order of the key, so that two of these never deadlock.
 * $1 employees, $2 now, $3 reason.
 */
export const endSessions = statement(
  'auth_end_sessions',
  `update session set revoked_at = $2, revoked_reason = $3
    where token_hash in (
      select token_hash from session
       where employee = any ($1::text[]) and revoked_at is null
       order by token_hash for update
    )`,
);

/**
 * The same for one driver's sessions on one device; nameless sessions count as on it. $1 employee, $2 device, $3 now.
 */
export const endSessionsOnDevice = statement(
  'auth_end_sessions_on_device',
  `update session set revoked_at = $3, revoked_reason = 'device_revoked'
    where token_hash in (
      select token_hash from session
       where employee = $1 and revoked_at is null and (device in ($2, '') or $2 = '')
       order by token_hash for update
    )`,
);

/** Notifies all nodes of ended sessions at the commit. $1 employees, split by spaces: their ids have none. */
export const notifySessions = statement('auth_notify_sessions', notifyEnded);

/** All registered employees. */
export const listAccounts = statement(
  'auth_list_accounts',
  'select employee from account where unregistered_at is null order by employee collate "C"',
);
