import type { Stamp, StopResult, StopUpdates } from '@tailgate/sync-protocol';
import { instant, isLater, officeSource, restoredAuthor, writerOf } from '@tailgate/sync-protocol';

/** Contract §1: the end of the delivery, else its start, else the skip, else when the status was captured or received. */
export function eventTime(result: StopResult): Date | undefined {
  const reported = reportedTime(timesOfStatus(result));
  if (reported) return reported;
  const writer = statusWriter(result);
  const captured = writer ? [writer.at] : (result.by ?? []).map(({ at }) => at);
  return captured.length > 0 ? new Date(Math.max(...captured)) : undefined;
}

/** A skip does not date a delivery, and the end of an earlier delivery does not date a skip or a refusal. */
function timesOfStatus(result: StopResult): DriverTimes {
  const { end_delivery_time, start_delivery_time, skip_refuse_timestamp } = result.updates ?? {};
  if (result.status === 'D' || result.status === 'C') return { end_delivery_time, start_delivery_time };
  const [writer, ended] = [statusWriter(result), writerOf(result, 'updates.end_delivery_time')];
  const isEarlier = writer !== undefined && ended !== undefined && isLater(writer, ended);
  return { end_delivery_time: isEarlier ? undefined : end_delivery_time, start_delivery_time, skip_refuse_timestamp };
}

type DriverTimes = Pick<StopUpdates, 'end_delivery_time' | 'start_delivery_time' | 'skip_refuse_timestamp'>;

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
export function reportedTime(times: DriverTimes): Date | undefined {
  const { end_delivery_time, start_delivery_time, skip_refuse_timestamp } = times;
  const reported = end_delivery_time ?? start_delivery_time ?? readableInstant(skip_refuse_timestamp);
  return reported ? new Date(reported) : undefined;
}

/** A time that is stored as it was sent, as UTC; null where it is no ISO 8601 instant. */
export function readableInstant(timestamp: string | null | undefined): string | null {
  const parsed = instant.safeParse(timestamp);
  return parsed.success ? parsed.data : null;
}

/**
 * When the arrival was recorded; undefined without one. `unknown`: the mirror took it over from the host, which alone has the
 * time.
 */
export function arrivalTime(result: StopResult): Date | 'unknown' | undefined {
  const writer = result.arrived ? writerOf(result, 'arrived') : undefined;
  if (!writer) return undefined;
  return isTakenOver(writer) ? 'unknown' : new Date(writer.at);
}

/** Whether the mirror took the value over from the host: nobody wrote it there by hand. */
export const isTakenOver = ({ client, by }: Stamp): boolean =>
  client === officeSource && (by === '' || by === restoredAuthor);
