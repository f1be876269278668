import type { Statement } from '../db/types.ts';

/** Tells every node that the sessions of these employees have changed; the payload is their ids, split by spaces. */
export const sessionsChannel = 'tailgate_sessions';

/** A route that a driver of it still has to finish; `d` is `route_driver`, `r` is `route`. */
const openRoute = `d.removed_at is null and r.status = 'O' and r.published_at is not null and r.withdrawn_at is null`;

const sessionColumns = `
  s.employee, s.created_at, s.last_seen_at, s.expires_at, s.revoked_at, s.revoked_reason,
  exists (
    select from route_driver d
      join route r on r.facility = d.facility and r.id = d.route_id and r.week_end = d.week_end
     where d.employee = s.employee and ${openRoute}
  ) as on_open_route`;

/** $1 token hash, $2 employee. */
export const findSession: Statement = {
  name: 'auth_find_session',
  text: `select ${sessionColumns} from session s where s.token_hash = $1 and s.employee = $2`,
};

/** Many at once, as the sync edge asks of its sockets. $1 token hashes. */
export const findSessions: Statement = {
  name: 'auth_find_sessions',
  text: `select s.token_hash, ${sessionColumns} from session s where s.token_hash = any ($1::bytea[])`,
};

/** $1 token hashes, $2 when each was used, $3 its new expiry. In one order, so that two nodes cannot wait in a ring. */
export const touchSessions: Statement = {
  name: 'auth_touch_sessions',
  text: `update session s set last_seen_at = k.used_at, expires_at = k.expires_at
           from (
             select s.token_hash, k.used_at, k.expires_at
               from unnest($1::bytea[], $2::timestamptz[], $3::timestamptz[]) as k (token_hash, used_at, expires_at)
               join session s using (token_hash)
              where s.revoked_at is null
              order by s.token_hash
                for no key update of s
           ) k
          where s.token_hash = k.token_hash`,
};

/** One row whoever is asked for, so that a known and an unknown id cost the same. $1 employee. */
export const findAccount: Statement = {
  name: 'auth_find_account',
  text: `select e.name, e.active, a.password_hash, a.must_change_password
           from (select $1::text as id) asked
           left join employee e on e.id = asked.id
           left join account a on a.employee = asked.id`,
};

/**
 * Account and first session in one statement: either both are there or, where somebody was faster, no row comes back.
 * $1 employee, $2 password hash, $3 token hash, $4 now, $5 expiry.
 */
export const insertAccount: Statement = {
  name: 'auth_insert_account',
  text: `with registered as (
           insert into account (employee, password_hash, created_at, changed_at)
           values ($1, $2, $4, $4)
           on conflict (employee) do nothing
           returning employee
         )
         insert into session (token_hash, employee, device, created_at, last_seen_at, expires_at)
         select $3, employee, '', $4, $4, $5 from registered`,
};

/** $1 token hash, $2 employee, $3 device, $4 now, $5 expiry. */
export const insertSession: Statement = {
  name: 'auth_insert_session',
  text: `insert into session (token_hash, employee, device, created_at, last_seen_at, expires_at)
         values ($1, $2, $3, $4, $4, $5)`,
};

/**
 * Sign-ins of one route wait for each other: of two drivers at the same moment, the second must see the first.
 * An advisory lock, because the route's row lock is the pipeline's. $1 class, $2 the route's scope.
 */
export const lockSignIns: Statement = {
  name: 'auth_lock_sign_ins',
  text: 'select pg_advisory_xact_lock($1, hashtext($2))',
};

/** Sessions of the other drivers of a route that nobody has ended. $1 facility, $2 route, $3 week_end, $4 employee. */
export const findOtherSessions: Statement = {
  name: 'auth_find_other_sessions',
  text: `select coalesce(e.name, '') as name, ${sessionColumns}
           from route_driver mate
           join session s on s.employee = mate.employee and s.revoked_at is null
           left join employee e on e.id = mate.employee
          where mate.facility = $1 and mate.route_id = $2 and mate.week_end = $3
            and mate.removed_at is null and mate.employee <> $4
          order by s.employee collate "C"`,
};

/**
 * Ends every session of some employees and tells all nodes at the commit; ids are letters and digits, no spaces.
 * Locks in the order of the key, so that two of these never wait for each other. $1 employees, $2 now, $3 reason.
 */
export const endSessions: Statement = {
  name: 'auth_end_sessions',
  text: `with ended as (
           update session set revoked_at = $2, revoked_reason = $3
            where token_hash in (
              select token_hash from session
               where employee = any ($1::text[]) and revoked_at is null
               order by token_hash for update
            )
           returning employee
         )
         select pg_notify('${sessionsChannel}', array_to_string($1::text[], ' ')) from (select count(*) from ended) as done`,
};

/** Everybody who has signed up. */
export const listAccounts: Statement = {
  name: 'auth_list_accounts',
  text: 'select employee from account order by employee collate "C"',
};
