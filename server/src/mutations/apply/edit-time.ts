import type { InstantField, StopUpdates, Warning } from '@tailgate/sync-protocol';
import type { SignOut } from '../../auth/queue-sign-outs.ts';
import { CLOCK_TOLERANCE_MS } from '../../clock/server-clock.ts';
import { readableInstant } from '../../stops/event-time.ts';
import type { Command, CommandMeaning, Item, QueueItem } from '../change.ts';
import { timeInRun } from '../item.ts';

/**
 * When the driver recorded an item, in ms since 1970. Within one boot it follows from the monotonic clock, which never
 * jumps; otherwise from the device's time, corrected by the last reading of its clocks (protocol.md, Time).
 * It is never after the receipt, and never before the queue's previous item, unless the server's clock was ahead when
 * that item came (decision 97).
 */
export function editTimeOf(item: Item, queued: QueueItem, previous: number | null): number {
  const received = item.receivedAt.getTime();
  const measured = Math.min(measuredTime(item, queued), received);
  const isAhead = previous !== null && previous > received + CLOCK_TOLERANCE_MS;
  return isAhead ? measured : Math.max(measured, previous ?? 0);
}

/**
 * How far the device's clock was behind the server's when the driver recorded an item; ms, negative where it was ahead.
 * A quarantined item has no clocks: its edit time has the correction already.
 */
export function lagOf(item: Item): number {
  if (!item.capturedAt) return 0;
  const measured = item.queued ? measuredTime(item, item.queued) : (item.editTime ?? item.capturedAt).getTime();
  return measured - item.capturedAt.getTime();
}

function measuredTime({ capturedAt, receivedAt }: Item, queued: QueueItem): number {
  const { serverNow, deviceNow } = queued.queue.clock;
  const byWallClock = capturedAt ? Math.round(capturedAt.getTime() + serverNow - deviceNow) : receivedAt.getTime();
  return timeInRun(queued) ?? Math.min(byWallClock, queued.notAfter ?? Infinity);
}

/**
 * Flags an item pushed by key that may have been recorded after the session of its queue ended. A driver can set a wall
 * clock back. Only a monotonic clock proves "before": the clock that the phone reads now, or the boot that the server
 * read while the session lived.
 */
export function signOutWarnings(queued: QueueItem, editTime: number, end: SignOut | null): Warning[] {
  if (!queued.queue.byKey || !end || isBefore(queued, editTime, end)) return [];
  const message = 'this was recorded after the driver was signed out, or no clock shows that it was before';
  return [{ code: 'after_sign_out', path: '', message }];
}

function isBefore({ queue, bootId, monotonicMs }: QueueItem, editTime: number, end: SignOut): boolean {
  if (editTime > end.at || bootId === '') return false;
  if (bootId === end.boot?.id) return end.boot.at + monotonicMs <= end.at + readingErrorMs;
  if (bootId !== queue.clock.bootId) return false;
  const began = queue.clock.serverNow - queue.clock.monotonicMs;
  return end.readAt === null || began >= end.readAt - readingErrorMs;
}

/** A reading lies on the line for a while: so far its time can be from the truth. */
const readingErrorMs = 10_000;

/**
 * Corrects the instants that the device read off its own clock. The ledger keeps the originals.
 *
 * @param lagMs how far that clock was behind the server's when the driver recorded the change
 */
export function inServerTime({ command, deviceTimes }: CommandMeaning, lagMs: number): Command {
  if (lagMs === 0 || deviceTimes.length === 0) return command;
  if (command.name === 'stop.skip_refuse') return { ...command, args: corrected(command.args, deviceTimes, lagMs) };
  if (command.name !== 'stop.update') return command;
  const { stop } = command.args;
  const updates = stop.updates && corrected(stop.updates, deviceTimes, lagMs);
  return { ...command, args: { ...command.args, stop: { ...stop, updates } } };
}

type Instants = Pick<StopUpdates, InstantField>;

function corrected<Fields extends Instants>(fields: Fields, names: readonly InstantField[], lagMs: number): Fields {
  const instants: Instants = {};
  for (const name of names) {
    const instant = readableInstant(fields[name]);
    if (instant !== null) instants[name] = new Date(Date.parse(instant) + lagMs).toISOString();
  }
  return { ...fields, ...instants };
}
