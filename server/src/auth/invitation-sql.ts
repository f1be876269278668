import { statement } from '../db/statement.ts';

const columns = 'invitation_id, employee, facility, uses, uses_left, created_at, created_by, expires_at';

/** A usable invitation. */
const counts = 'withdrawn_at is null and uses_left > 0';

/** Returns no row without such an active employee, or without an active employee in the facility. $1–$8 columns. */
export const insertInvitation = statement(
  'auth_insert_invitation',
  `insert into invitation (invitation_id, code_hash, employee, facility, uses, uses_left, created_at, created_by, expires_at)
   select $1, $2, $3, $4, $5, $5, $6, $7, $8
    where exists (select from employee where active and (id = $3 or facility = $4))
   returning ${columns}`,
);

/** $1 now. */
export const listInvitations = statement(
  'auth_list_invitations',
  `select ${columns} from invitation
    where ${counts} and expires_at > $1
    order by created_at desc, invitation_id desc limit 500`,
);

/** $1 id, $2 by whom, $3 now. */
export const withdrawInvitation = statement(
  'auth_withdraw_invitation',
  `update invitation set withdrawn_at = $3, withdrawn_by = $2
    where invitation_id = $1 and ${counts} and expires_at > $3
   returning ${columns}`,
);

const ofEmployee = `code_hash = $1 and ${counts} and expires_at > $3
            and (employee = $2 or facility = (select facility from employee where id = $2))`;

/** Whether a code counts for an employee. $1 its hash, $2 employee, $3 now. */
export const findInvitation = statement('auth_find_invitation', `select 1 from invitation where ${ofEmployee}`);

/** Returns no row where another request was faster. $1 hash, $2 employee, $3 now. */
export const useInvitation = statement(
  'auth_use_invitation',
  `update invitation set uses_left = uses_left - 1 where ${ofEmployee} returning invitation_id`,
);

/** $1 employee, $2 address. */
export const findFailures = statement(
  'auth_find_failures',
  `select failures, last_at from sign_in_failure where employee = $1 and address = $2 and device = ''`,
);

/** Deletes invitations that ended long ago. $1 before. */
export const dropInvitations = statement('auth_drop_invitations', 'delete from invitation where expires_at < $1');
