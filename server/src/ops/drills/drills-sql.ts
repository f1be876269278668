import { exactMoment } from '../../db/moment-sql.ts';
import { statement } from '../../db/statement.ts';

const at = exactMoment('d.at');

/** A page, the newest drill first. $1, $2 the end of the page before (moment, id) or nulls; $3 rows. */
export const listDrills = statement(
  'ops_list_drills',
  `select d.drill_id, d.at, d.backup, d.backup_at, d.ok, d.seconds, d.findings, ${at} as position
     from restore_drill d
    where $1::timestamptz is null or (d.at, d.drill_id) < ($1, $2::uuid)
    order by d.at desc, d.drill_id desc
    limit $3`,
);

/** $1 id, $2 time, $3 backup, $4 its start, $5 whether all is well, $6 seconds, $7 findings. */
export const saveDrill = statement(
  'ops_save_drill',
  `insert into restore_drill (drill_id, at, backup, backup_at, ok, seconds, findings) values ($1, $2, $3, $4, $5, $6, $7)`,
);

/**
 * The contents of a database, as far as a drill compares them. $1 changes received before this time count. One that an operator has
 * released from quarantine later keeps the time of its receipt, and is left out.
 */
export const countContents = statement(
  'drill_count_contents',
  `select (select count(*) from route)::int as routes,
          (select count(*) from ledger l
            where l.received_at < $1
              and not exists (select from quarantine q where q.id = l.id and q.state = 'released' and q.resolved_at >= $1)
          )::int as changes,
          (select count(*) from client)::int as queues,
          (select count(*) from asset where state = 'R')::int as files,
          (select max(epoch) from server_epoch) as epoch,
          (select system_identifier::text from pg_control_system()) as cluster`,
);

/** On the restored copy alone: for `readSealed`. */
export const indexQueues = 'create index drill_queues on ledger (client_id, seq)';

/** Items of queues behind a place, in order; their places are numbers on any connection. $1 queue, $2 place, $3 rows. */
export const readSealed = statement(
  'drill_read_sealed',
  `select id, version, client_id, seq::float8 as seq, hash, prev_hash, body
     from ledger
    where client_id is not null and (ledger.client_id, ledger.seq) > ($1::uuid, $2::bigint)
    order by ledger.client_id, ledger.seq
    limit $3`,
);

export const listMigrations = statement(
  'drill_list_migrations',
  'select number, name, sha256 from schema_migration order by number',
);
