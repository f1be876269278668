import { statement } from '../../db/statement.ts';

/** Saves a sign-in under way, and deletes those that were never answered. $1 state hash, $2 challenge, $3 nonce, $4 verifier, $5 its end, $6 now. */
export const beginSignIn = statement(
  'oidc_begin_sign_in',
  `with expired as (delete from oidc_sign_in where expires_at < $6)
   insert into oidc_sign_in (state_hash, challenge, nonce, verifier, expires_at) values ($1, $2, $3, $4, $5)`,
);

/** Takes a sign-in, once and only with the secret of its page. $1 state hash, $2 challenge, $3 now. */
export const takeSignIn = statement(
  'oidc_take_sign_in',
  `delete from oidc_sign_in where state_hash = $1 and challenge = $2 and expires_at > $3 returning nonce, verifier`,
);

/**
 * The operator of a subject, with the present name and role; no row where the id belongs to another person, where the
 * subject has another id, or where the operator is revoked. $1 id, $2 name, $3 role, $4 subject, $5 now.
 */
export const saveOperator = statement(
  'oidc_save_operator',
  `insert into operator (id, name, role, oidc_subject, created_at, created_by, changed_at)
   select $1, $2, $3, $4, $5, 'oidc', $5
    where not exists (select from operator where oidc_subject = $4 and id <> $1)
   on conflict (id) do update set name = excluded.name, role = excluded.role, changed_at = excluded.changed_at
    where operator.oidc_subject = excluded.oidc_subject and operator.revoked_at is null
   returning id`,
);

/** Opens a session of a saved operator. $1 token hash, $2 operator, $3 now, $4 its end. */
export const openSession = statement(
  'oidc_open_session',
  `insert into operator_session (token_hash, operator, created_at, last_seen_at, expires_at) values ($1, $2, $3, $3, $4)`,
);
