import { useRead } from '../api/reads.ts';
import type { ParkedRow } from '../model/parked-list.ts';
import { Then } from './then.tsx';

interface RepairOutcomeProps {
  readonly row: ParkedRow;
  /** The host no longer refuses the row. */
  readonly isGone: boolean;
  /** When this page sent its repair. */
  readonly sentAt: number | undefined;
}

/** The outcome of the repair: the row is gone when the host takes it, and the stop's record says that it was read back. */
export function RepairOutcome({ row, isGone, sentAt }: RepairOutcomeProps) {
  const { facility, route_id, week_end, stop_id } = row;
  const isStop = facility !== null && route_id !== null && week_end !== null && stop_id !== null;
  const isAsked = isStop && (isGone || sentAt !== undefined);
  const stop = isAsked ? { query: { facility, route_id, week_end, stop_id } } : undefined;
  const { data } = useRead('readStopHistory', stop);
  const isConfirmed = isGone && (data?.host.on_host ?? false);
  const isRefusedAgain = sentAt !== undefined && !isGone && Date.parse(row.parked_at) > sentAt;
  return (
    <Then
      saved={sentAt !== undefined || isGone ? 'yes' : 'wait'}
      written={isGone ? 'yes' : isRefusedAgain ? 'look' : 'wait'}
      confirmed={isConfirmed ? 'yes' : 'wait'}
      refusal={isRefusedAgain ? row.reason : undefined}
    />
  );
}
