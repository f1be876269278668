import type { TickState } from '../../ui/parts/ticks.tsx';
import type { DataOf } from '../api/operations.ts';

export type StopView = DataOf<'readOpsStop'>;
type Ticks = readonly [phone: TickState, server: TickState, host: TickState];

/** How far the latest change of a stop has come. A tick never runs ahead of its evidence. */
export function ticksOf({ receipts, summary, host }: Pick<StopView, 'receipts' | 'summary' | 'host'>): Ticks {
  if (!receipts) return ['wait', 'wait', 'wait'];
  const server = summary.missing_files > 0 ? 'part' : 'yes';
  const isRefused = host.parked_since !== null && host.skipped_at === null;
  return [receipts.phone_at === null ? 'wait' : 'yes', server, isRefused ? 'look' : host.on_host ? 'yes' : 'wait'];
}

type Summary = Pick<StopView['summary'], 'status' | 'missing_files' | 'parked_since' | 'on_host'>;

/** The same for a stop of a list, which has no evidence of the phone: server and host. */
export function listTicksOf({ status, missing_files, parked_since, on_host }: Summary) {
  if (status === 'P') return undefined;
  const [server, host]: readonly [TickState, TickState] = [
    missing_files > 0 ? 'part' : 'yes',
    parked_since !== null ? 'look' : on_host ? 'yes' : 'wait',
  ];
  return { server, host };
}
