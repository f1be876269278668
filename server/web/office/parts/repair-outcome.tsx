import { useRead } from '../api/reads.ts';
import type { ParkedRow } from '../model/parked-list.ts';
import { isRefusedAgain } from '../model/parked-row.ts';
import { Then } from './then.tsx';

interface RepairOutcomeProps {
  readonly row: ParkedRow;
  /** The host no longer refuses the row. */
  readonly isGone: boolean;
  /** The version of the row when this page sent its repair. */
  readonly sentVersion: number | undefined;
}

/** The outcome of the repair: the row is gone when the host takes it, and the stop's record says that it was read back. */
export function RepairOutcome({ row, isGone, sentVersion }: RepairOutcomeProps) {
  const { facility, route_id, week_end, stop_id } = row;
  const isStop = facility !== null && route_id !== null && week_end !== null && stop_id !== null;
  const isSent = sentVersion !== undefined;
  const isAsked = isStop && (isGone || isSent);
  const stop = isAsked ? { query: { facility, route_id, week_end, stop_id } } : undefined;
  const { data } = useRead('readStopHistory', stop);
  const isConfirmed = isGone && (data?.host.on_host ?? false);
  const isAgain = !isGone && isRefusedAgain(row, sentVersion);
  return (
    <Then
      saved={isSent || isGone ? 'yes' : 'wait'}
      written={isGone ? 'yes' : isAgain ? 'look' : 'wait'}
      confirmed={isConfirmed ? 'yes' : 'wait'}
      refusal={isAgain ? row.reason : undefined}
    />
  );
}
