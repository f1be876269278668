import { statement } from '../../db/statement.ts';

const columns = 'hold_id, source, starts_at, ends_at, reason, held_by';

/** Current and planned holds, the earliest first, as of this statement: its transaction may have waited for another one. */
export const listHolds = statement(
  'hold_list',
  `select ${columns}, starts_at <= statement_timestamp() as in_force from replication_hold
    where ends_at is null or ends_at > statement_timestamp() order by starts_at, hold_id`,
);

/**
 * $1 start or null for now, $2 end or null for open, $3 reason, $4 user. Returns no row where the end has passed
 * already.
 */
export const beginHold = statement(
  'hold_begin',
  `insert into replication_hold (source, starts_at, ends_at, reason, held_by)
   select 'operator', coalesce($1, statement_timestamp()), $2, $3, $4 where $2::timestamptz is null or $2 > statement_timestamp()
   returning ${columns}, starts_at <= statement_timestamp() as in_force`,
);

/** $1 id. A planned hold ends before it begins. */
export const endHold = statement(
  'hold_end',
  `update replication_hold set ends_at = statement_timestamp()
    where hold_id = $1 and source = 'operator' and (ends_at is null or ends_at > statement_timestamp())
   returning ${columns}, false as in_force`,
);

const hostHold = `'00000000-0000-0000-0000-000000000000'`;

/** The host's switch is on. $1 reason, $2 user. */
export const recordHostHold = statement(
  'hold_record_host',
  `insert into replication_hold (hold_id, source, starts_at, reason, held_by)
   values (${hostHold}, 'host', now(), $1, $2)
   on conflict (hold_id) do update set reason = excluded.reason, held_by = excluded.held_by
    where replication_hold.reason <> excluded.reason or replication_hold.held_by <> excluded.held_by`,
);

export const deleteHostHold = statement('hold_delete_host', `delete from replication_hold where hold_id = ${hostHold}`);
