import { cellNumber } from '../db/cell.ts';
import { statement } from '../db/statement.ts';
import { modeIn } from '../modes/modes-sql.ts';

const modeOfEmployee = modeIn('e.facility');

/** An active employee with a phone on file. $1 employee. */
export const findRecipient = statement(
  'auth_find_recipient',
  `select e.phone, a.employee is not null as registered, ${modeOfEmployee} as mode
     from employee e
     left join account a on a.employee = e.id and a.unregistered_at is null
    where e.id = $1 and e.active and e.phone <> ''`,
);

/** Lets one transaction at a time count messages. $1 class. */
export const lockBudgets = statement('auth_lock_budgets', `select pg_advisory_xact_lock($1, ${cellNumber})`);

/** One row: the messages that count against the budgets. $1 this message, $2 employee, $3 now. */
export const readSends = statement(
  'auth_read_sends',
  `select exists (select from sms_sent where id = $1) as again,
          (select count(*) from sms_sent where at > $3::timestamptz - interval '1 hour') as total,
          (select coalesce(array_agg(at), '{}') from sms_sent
            where employee = $2 and kind = 'one_time_password' and at > $3::timestamptz - interval '1 day') as codes`,
);

/** Replaces an earlier one-time password. $1 employee, $2 hash, $3 mark, $4 expiry. */
export const saveCode = statement(
  'auth_save_code',
  `insert into one_time_password (employee, hash, mark, expires_at)
   values ($1, $2, $3, $4)
   on conflict (employee)
   do update set hash = excluded.hash, mark = excluded.mark, tries = 0, expires_at = excluded.expires_at, used_at = null`,
);

/** $1 message, $2 kind, $3 employee, $4 now. */
export const saveSend = statement(
  'auth_save_send',
  `insert into sms_sent (id, kind, employee, at) values ($1, $2, $3, $4) on conflict (id) do nothing`,
);

/** Deletes records that no budget and no complaint needs any more. $1 before. */
export const deleteOldSends = statement('auth_drop_sends', 'delete from sms_sent where at < $1');

/** Deletes one-time passwords that expired long ago. $1 before. */
export const deleteExpiredCodes = statement('auth_drop_codes', 'delete from one_time_password where expires_at < $1');
