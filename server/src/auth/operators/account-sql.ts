import { statement } from '../../db/statement.ts';

/** Returns no row where the operator exists and is not revoked. $1 id, $2 name, $3 role, $4 hash, $5 its end, $6 now, $7 by. */
export const insertOperator = statement(
  'operator_insert',
  `insert into operator (id, name, role, password_hash, must_change_password, password_expires_at, created_at, created_by, changed_at)
   values ($1, $2, $3, $4, true, $5, $6, $7, $6)
   on conflict (id) do update
      set name = excluded.name, role = excluded.role, password_hash = excluded.password_hash,
          must_change_password = true, password_expires_at = excluded.password_expires_at,
          created_at = excluded.created_at, created_by = excluded.created_by, changed_at = excluded.changed_at,
          revoked_at = null, revoked_by = null, oidc_subject = null
    where operator.revoked_at is not null
   returning id`,
);

/** The first operator of a demo, with an own password; no row where there is any operator. $1 id, $2 name, $3 role, $4 hash, $5 now, $6 by. */
export const insertFirstOperator = statement(
  'operator_insert_first',
  `insert into operator (id, name, role, password_hash, created_at, created_by, changed_at)
   select $1, $2, $3, $4, $5, $6, $5 where not exists (select from operator)
   on conflict (id) do nothing`,
);

/** $1 id. */
export const readPasswordHash = statement(
  'operator_read_password_hash',
  'select password_hash from operator where id = $1 and revoked_at is null and not must_change_password',
);

/**
 * Operators of an identity provider have no password. Returns the time of the one-time password that was not used.
 * $1 id, $2 hash, $3 its end, $4 now.
 */
export const resetOperator = statement(
  'operator_reset',
  `with before as (
     select changed_at, must_change_password from operator
      where id = $1 and revoked_at is null and oidc_subject is null for no key update
   )
   update operator
      set password_hash = $2, must_change_password = true, password_expires_at = $3, changed_at = $4
     from before
    where id = $1
   returning case when before.must_change_password then before.changed_at end as unused_since`,
);

/** $1 id, $2 by, $3 now. */
export const revokeOperator = statement(
  'operator_revoke',
  `update operator set password_hash = null, revoked_at = $3, revoked_by = $2, changed_at = $3
    where id = $1 and revoked_at is null
   returning id`,
);

/** $1 id. */
export const readRevocation = statement(
  'operator_read_revocation',
  'select revoked_by as by, revoked_at as at from operator where id = $1 and revoked_at is not null',
);

export const listOperators = statement(
  'operator_list',
  `select o.id, o.name, o.role, o.created_at, o.created_by, o.must_change_password, o.revoked_at, o.revoked_by,
          (select max(s.last_seen_at) from operator_session s where s.operator = o.id) as last_seen_at
     from operator o order by o.id`,
);
