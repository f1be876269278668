import type { StopObject } from '@tailgate/sync-protocol';
import { reportedTime } from './event-time.ts';
import type { StopContext } from './stop-context.ts';

/**
 * When a change was made at the stop, in ms since 1970: by the driver's own times, but never after the device recorded
 * it. A REST client's edits count from their receipt, so only the driver's times show their age.
 */
function madeAt({ updates }: StopObject, { stamp }: StopContext): number {
  const reported = updates ? reportedTime(updates) : undefined;
  return Math.min(reported?.getTime() ?? stamp.at, stamp.at);
}

/** Whether the stop got another customer after the driver was there (contract §4, plan changed under the driver). */
export function hasOtherCustomer(stop: StopObject, context: StopContext): boolean {
  const { customerSince } = context.plan;
  return customerSince !== null && madeAt(stop, context) < customerSince.getTime();
}

/** Whether the planned lines changed after the driver was there. */
export function hasOtherLines(stop: StopObject, context: StopContext): boolean {
  const { linesSince } = context.plan;
  return linesSince !== null && madeAt(stop, context) < linesSince.getTime();
}
