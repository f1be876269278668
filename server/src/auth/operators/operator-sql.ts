import { statement } from '../../db/statement.ts';

/**
 * The facts for checking a password. It returns one row for any id, so that a known and an unknown id cost the same.
 * $1 operator, $2 subject of the failures, $3 address.
 */
export const findOperator = statement(
  'operator_find',
  `select o.id, o.name, o.role, o.password_hash, o.must_change_password, o.password_expires_at, f.failures,
          f.last_at as failed_at
     from (select $1::text as id) asked
     left join operator o on o.id = asked.id and o.revoked_at is null
     left join sign_in_failure f on f.employee = $2 and f.address = $3 and f.device = ''`,
);

/** Opens a session where the proof is still valid; else it returns no row. $1 token hash, $2 operator, $3 now, $4 end, $5 hash of the proof. */
export const openSession = statement(
  'operator_open_session',
  `insert into operator_session (token_hash, operator, created_at, last_seen_at, expires_at)
   select $1, id, $3, $3, $4 from operator where id = $2 and password_hash = $5 and revoked_at is null
   returning operator`,
);

/** $1 token hash. */
export const findSession = statement(
  'operator_find_session',
  `select o.id, o.name, o.role, o.must_change_password, s.last_seen_at, s.expires_at
     from operator_session s join operator o on o.id = s.operator and o.revoked_at is null
    where s.token_hash = $1 and s.ended_at is null`,
);

/** $1 token hash, $2 now. */
export const recordUse = statement(
  'operator_record_use',
  'update operator_session set last_seen_at = $2 where token_hash = $1 and last_seen_at < $2',
);

/** $1 token hash, $2 now. */
export const endSession = statement(
  'operator_end_session',
  'update operator_session set ended_at = $2 where token_hash = $1 and ended_at is null',
);

/** $1 operator, $2 now. */
export const endSessionsOf = statement(
  'operator_end_sessions_of',
  'update operator_session set ended_at = $2 where operator = $1 and ended_at is null',
);

/** Sets an own password where the proof is still valid; else it returns no row. $1 operator, $2 now, $3 new hash, $4 hash of the proof. */
export const changePassword = statement(
  'operator_change_password',
  `update operator
      set password_hash = $3, must_change_password = false, password_expires_at = null, changed_at = $2
    where id = $1 and password_hash = $4 and revoked_at is null
   returning id`,
);

/** Deletes sessions that ended long ago. $1 before. */
export const dropSessions = statement('operator_drop_sessions', 'delete from operator_session where expires_at < $1');
