import { columns, text, uuid } from '../../db/columns.ts';
import { statement } from '../../db/statement.ts';

/** A queued mail or text message: the id and the data of its job. */
export interface Owed {
  readonly id: string;
  readonly queue: string;
  readonly data: object;
}

const owed = columns<Owed>({
  job_id: uuid(({ id }) => id),
  queue: text(({ queue }) => queue),
  data: text(({ data }) => JSON.stringify(data)),
});

export const saveOwed = owed.statement(
  'jobs_save_owed',
  `insert into owed_delivery (${owed.names}) select * from ${owed.rows}`,
);

/** $1 job. */
export const deleteOwed = statement('jobs_delete_owed', 'delete from owed_delivery where job_id = $1');

/**
 * Deliveries that a job should have finished or tried by now, the oldest first. $1 minutes, $2 and $3 time and job of the
 * last one of the page before, null for the first page, $4 at most.
 */
export const listOwed = statement(
  'jobs_list_owed',
  `select job_id as id, queue, data, owed_at::text as at from owed_delivery
    where owed_at < now() - make_interval(mins => $1)
      and ($2::timestamptz is null or (owed_at, job_id) > ($2::timestamptz, $3::uuid))
    order by owed_at, job_id limit $4`,
);
