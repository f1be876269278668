import { statement } from '../../db/statement.ts';
import { queues } from '../../mutations/jobs/wakeups.ts';

/** Files that were named a day ago, and that the server still awaits. $1 now. */
export const overdueFiles = statement(
  'demo_day_overdue_files',
  `select id from asset where state = 'L' and expected_at < $1::timestamptz - interval '24 hours'`,
);

/** Mails that no worker has tried yet. */
export const untriedMails = statement(
  'demo_day_untried_mails',
  `select id from pgboss.job where name = '${queues.mail}' and state in ('created', 'active') limit 1`,
);

// Statements on the stand-in host: those of its shop and its clerks. The search path of their connection names the library.

/** A rule of the shop: no line of the demo's facility has a count above 999. */
export const limitCounts = [
  `create or replace function d01_counts() returns trigger language plpgsql as $$
   begin
     if new.RQFAC = 'D01' and new.RQDLV > 999 then
       raise exception 'A COUNT OF % IS ABOVE 999: COUNT AGAIN', trunc(new.RQDLV);
     end if;
     return new;
   end $$`,
  `create or replace trigger d01_counts before insert or update on RTPRUP for each row execute function d01_counts()`,
];

/** A clerk corrects a column of a stop. Facility, route, week and stop come last. */
export const correctColumn = {
  RUSNAM: 'update RTSTUP set RUSNAM = ? where RUFAC = ? and RURTE = ? and RUWKE = ? and RUSTP = ?',
  RUCMT: 'update RTSTUP set RUCMT = ? where RUFAC = ? and RURTE = ? and RUWKE = ? and RUSTP = ?',
} as const;
