import { statement } from '../../db/statement.ts';

/** Beyond the moment at which the last entry is due: a worker's sweep, and the try. */
const isRunning = `coalesce((after::json ->> 'ends_at')::timestamptz > now() - interval '10 seconds', false)`;

const columns = `act, subject as cause, by, at, (after::json ->> 'count')::int as count,
          (after::json ->> 'ends_at')::timestamptz as ends_at,
          after::json ->> 'state' as state, ${isRunning} as is_running`;

/** The latest act on a cause. $1 cause. */
export const latestCauseAct = statement(
  'ops_latest_cause_act',
  `select ${columns} from operator_act
    where subject = $1 and subject_kind = 'cause' order by at desc, act_id desc limit 1`,
);

/**
 * The retry of a whole cause that has made one of its entries due. The next refusal of the host moves the time of the
 * next try, as a rule behind the end of the retry. $1 cause, $2 next try of the entry, in ms, $3 time of its first refusal.
 */
export const retryOfEntry = statement(
  'ops_retry_of_entry',
  `select by, at, act from operator_act
    where subject = $1 and subject_kind = 'cause' and act = 'retryParkedCause'
      and at >= $3 and at < $2::timestamptz + interval '1 millisecond'
      and (after::json ->> 'ends_at')::timestamptz >= $2
    order by at desc, act_id desc limit 1`,
);

/** Retries whose last entry is not due yet. The longest takes 10,000 entries at 20 a second. */
export const runningRetries = statement(
  'ops_running_retries',
  `select ${columns} from operator_act
    where at > now() - interval '10 minutes' and subject_kind = 'cause' and act = 'retryParkedCause'
      and ${isRunning}
    order by at`,
);
