import type { Stamp, StopResult, StopUpdates } from '@tailgate/sync-protocol';
import { instant, officeSource } from '@tailgate/sync-protocol';

/** Contract §1: the end of the delivery, else its start, else the skip, else when the status was captured or received. */
export function eventTime(result: StopResult): Date | undefined {
  const reported = result.updates && reportedTime(result.updates);
  if (reported) return reported;
  const writer = statusWriter(result);
  const captured = writer ? [writer.at] : (result.by ?? []).map(({ at }) => at);
  return captured.length > 0 ? new Date(Math.max(...captured)) : undefined;
}

/** The author of the stop's status; undefined while it is pending. */
export function statusWriter(result: StopResult): Stamp | undefined {
  return result.status === 'P' ? undefined : result.by?.[result.at?.['status'] ?? 0];
}

/** When the stop got its status. The driver's times describe the driver's status, not the office's. */
export function statusTime(result: StopResult): Date | undefined {
  const writer = statusWriter(result);
  // Without a name it is the value that the host had before.
  return writer?.client === officeSource && writer.by !== '' ? new Date(writer.at) : eventTime(result);
}

/** The event time by the driver's own fields. */
export function reportedTime(updates: Omit<StopUpdates, 'status'>): Date | undefined {
  const { end_delivery_time, start_delivery_time, skip_refuse_timestamp } = updates;
  const reported = end_delivery_time ?? start_delivery_time ?? readableInstant(skip_refuse_timestamp);
  return reported ? new Date(reported) : undefined;
}

/** A time that is stored as it was sent, as UTC; null where it is no ISO 8601 instant. */
export function readableInstant(timestamp: string | null | undefined): string | null {
  const parsed = instant.safeParse(timestamp);
  return parsed.success ? parsed.data : null;
}
