import type { SkipRefuseArgs } from './mutation.ts';
import type { StopObject } from './stops.ts';

/**
 * PUT skip-refuse and the mutation `stop.skip_refuse` as an update of their stop. The status is the explicit one, else
 * the type's, else the reason code's, else S (contract §4).
 *
 * @param stopException what a code of the list of stop exceptions stands for: S, R, B or blank
 */
export function skipAsUpdate(args: SkipRefuseArgs, stopException: (code: string) => string | undefined): StopObject {
  const { skip_refuse_reason_code: reason, skip_refuse_timestamp, skip_refuse_driver_comment } = args;
  const asked = args.status ?? (args.type === 'refuse' ? 'R' : args.type === 'skip' ? 'S' : undefined);
  const status = asked ?? (reason && stopException(reason) === 'R' ? 'R' : 'S');
  return {
    id: args.stop_id,
    updates: { status, skip_refuse_reason_code: reason, skip_refuse_timestamp, skip_refuse_driver_comment },
  };
}

/** `delivered_by_driver_id` is the one that was sent if that driver is on the route, else the employee who sent it. */
export function withDeliverer(
  stop: StopObject,
  employee: string,
  drivers: readonly { readonly id: string }[],
): StopObject {
  const { updates } = stop;
  if (!updates || (updates.status !== 'D' && updates.delivered_by_driver_id === undefined)) return stop;
  const named = updates.delivered_by_driver_id;
  const known = drivers.some((driver) => driver.id === named);
  return { ...stop, updates: { ...updates, delivered_by_driver_id: known ? named : employee } };
}
