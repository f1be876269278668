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

/** Retries whose last entry is not due yet. The longest takes 10,000 entries at 20 a second. */
export const runningRetries = statement(
  'ops_running_retries',
  `select ${columns} from operator_act
    where at > now() - interval '10 minutes' and subject_kind = 'cause' and act = 'retryParkedCause'
      and ${isRunning}
    order by at`,
);
