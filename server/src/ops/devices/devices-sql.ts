import { exactMoment } from '../../db/moment-sql.ts';
import { statement } from '../../db/statement.ts';

const createdAt = exactMoment('c.created_at');

/** $1 now: expired sessions do not count. */
const deviceColumns = `c.client_id, c.employee, coalesce(e.name, '') as employee_name, nullif(e.facility, '') as facility, c.device, c.app, c.sdk, c.pending,
          c.oldest_pending_at, c.pending_files, c.pending_bytes, c.oldest_file_at, c.last_seq, c.created_at, c.last_seen_at, c.revoked_at, c.revoked_by, c.revoke_reason,
          c.held_at is not null and c.revoked_at is not null as held,
          (select count(*)::int from quarantine q where q.client_id = c.client_id and q.state = 'open') as quarantined,
          exists (select from session s
                   where s.employee = c.employee and s.revoked_at is null and s.expires_at > $1) as signed_in`;

/** Whether a queue `c` has pending items: changes, or files of its driver. */
const hasPending = '(c.pending > 0 or coalesce(c.pending_files, 0) > 0)';

/** Whether a queue `c` has pending items and sent nothing since $2. */
const isSilent = `(${hasPending} and c.last_seen_at < $2 and c.revoked_at is null)`;

/** A page, the youngest queue first. $3 state, $4 employee or null, $5 position or null, $6 id at it, $7 rows, $8 queue or null. */
export const listDevices = statement(
  'ops_list_devices',
  `select ${deviceColumns}, ${isSilent} as silent, ${createdAt} as position
     from client c left join employee e on e.id = c.employee
    where case $3::text when 'pending' then ${hasPending} when 'silent' then ${isSilent}
                        when 'revoked' then c.revoked_at is not null else true end
      and ($4::text is null or c.employee = $4)
      and ($5::timestamptz is null or (c.created_at, c.client_id) < ($5, $6::uuid))
      and ($8::uuid is null or c.client_id = $8)
    order by c.created_at desc, c.client_id desc
    limit $7`,
);

/** $3 queue. */
export const readDevice = statement(
  'ops_read_device',
  `select ${deviceColumns}, ${isSilent} as silent
     from client c left join employee e on e.id = c.employee where c.client_id = $3`,
);

/** Keeps the first revocation; a queue that is only held is revoked now. $1 queue, $2 who, $3 why, $4 now. */
export const revokeQueue = statement(
  'ops_revoke_queue',
  `update client
      set revoked_by = case when revoked_at is null or held_at is not null then $2 else revoked_by end,
          revoke_reason = case when revoked_at is null or held_at is not null then $3 else revoke_reason end,
          revoked_at = case when held_at is null then coalesce(revoked_at, $4) else $4 end,
          held_at = null, reopened_at = null
    where client_id = $1
   returning employee, device`,
);

/** In the order in which batches lock them (I13). $1 employee. */
export const lockQueuesOf = statement(
  'ops_lock_queues_of',
  'select 1 from client where employee = $1 order by client_id for no key update',
);

/** Skips queues that were revoked before: the server refuses all their items. $1 employee, $2 who, $3 why, $4 now. */
export const holdQueues = statement(
  'ops_hold_queues',
  `update client set revoked_at = $4, revoked_by = $2, revoke_reason = $3, held_at = $4, reopened_at = null
    where employee = $1 and (revoked_at is null or held_at is not null)`,
);
