import type { Stamp, StopResult } from '@tailgate/sync-protocol';

/** The latest time of a stop's writers and `newest`, ms since 1970; null where there is none. */
export function newestStampOf({ by = [] }: StopResult, newest: number | null): number | null {
  return by.reduce((latest: number | null, { at }) => (latest === null || at > latest ? at : latest), newest);
}

/**
 * The result with the order of the stamp's own queue restored: an earlier item of that queue is never later than this one.
 * It can only be so where the clock was ahead when the earlier item came (decision 97). Its stamp gets the time of this item,
 * so that the sequence decides between the two; the order of all stamps stays total (I7).
 */
export function inQueueOrder(result: StopResult, { at, client, seq }: Stamp): StopResult {
  const isAhead = (writer: Stamp): boolean => writer.client === client && writer.seq < seq && writer.at > at;
  if (!result.by?.some(isAhead)) return result;
  return { ...result, by: result.by.map((writer) => (isAhead(writer) ? { ...writer, at } : writer)) };
}
