import { statement } from '../db/statement.ts';

/**
 * The facts for checking a password. It returns one row for any employee, so that a known and an unknown id cost the
 * same.
 * $1 employee, $2 address, $3 device.
 */
export const findAccount = statement(
  'auth_find_account',
  `select e.name, e.active, a.password_hash, a.must_change_password, c.hash as code_hash, c.mark as code_mark,
          c.tries as code_tries, c.expires_at as code_expires_at, c.used_at as code_used_at,
          asked.is_known_device, f.failures, f.last_at as failed_at
     from (select $1::text as id,
                  $3::text <> '' and exists (select from session where employee = $1 and device = $3) as is_known_device
          ) asked
     left join employee e on e.id = asked.id
     left join account a on a.employee = asked.id and a.unregistered_at is null
     left join one_time_password c on c.employee = asked.id
     left join sign_in_failure f
       on f.employee = asked.id and f.address = $2 and f.device = case when asked.is_known_device then $3 else '' end`,
);

/** Takes one try from a pending one-time password. $1 employee. */
export const countTry = statement(
  'auth_count_try',
  'update one_time_password set tries = tries + 1 where employee = $1 and tries < 100',
);

/** Forgets failures in a row that are over. $1 employee, $2 address, $3 device or blank, $4 failures before this. */
export const endFailures = statement(
  'auth_end_failures',
  'delete from sign_in_failure where employee = $1 and address = $2 and device = $3 and last_at < $4',
);

/** Counts one more failure in a row. $1 employee, $2 address, $3 device or blank, $4 now. */
export const countFailure = statement(
  'auth_count_failure',
  `insert into sign_in_failure as f (employee, address, device, failures, last_at) values ($1, $2, $3, 1, $4)
   on conflict (employee, address, device) do update set failures = f.failures + 1, last_at = excluded.last_at`,
);

/** $1 employee, $2 address, $3 device or blank. */
export const deleteFailures = statement(
  'auth_forget_failures',
  'delete from sign_in_failure where employee = $1 and address = $2 and device = $3',
);

/** $1 before. */
export const dropOldFailures = statement('auth_drop_old_failures', 'delete from sign_in_failure where last_at < $1');

/**
 * Admits a driver by a proven password, unless it was changed meanwhile: then it returns no row. $1 employee, $2 now,
 * $3 its hash.
 */
export const admitByPassword = statement(
  'auth_admit_by_password',
  `update account set last_seen_at = $2, version = version + 1
    where employee = $1 and password_hash = $3 and unregistered_at is null
   returning employee`,
);

/**
 * Admits a driver by a proven one-time password, once. The former password no longer counts.
 * $1 employee, $2 now, $3 its hash, $4 tries that end it.
 */
export const admitByCode = statement(
  'auth_admit_by_code',
  `with used as (
     update one_time_password set used_at = $2
      where employee = $1 and hash = $3 and used_at is null and tries < $4
     returning employee
   )
   update account a
      set password_hash = null, must_change_password = true, changed_at = $2, last_seen_at = $2,
          version = a.version + 1
     from used
    where a.employee = used.employee and a.unregistered_at is null
   returning a.employee`,
);

/**
 * Sets a password where the proof of the driver is still valid; otherwise it returns no row. Any one-time password
 * ends.
 * $1 employee, $2 now, $3 new hash, $4 hash of the proof, $5 whether that is a one-time password's, $6 tries that end
 * it.
 */
export const changePassword = statement(
  'auth_change_password',
  `with ended as (delete from one_time_password where employee = $1 returning hash, tries)
   update account
      set password_hash = $3, must_change_password = false, changed_at = $2, last_seen_at = $2, version = version + 1
    where employee = $1 and unregistered_at is null
      and case when $5 then exists (select from ended where hash = $4 and tries < $6) else password_hash = $4 end
   returning employee`,
);
