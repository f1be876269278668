import * as z from '#schema';
import { skipRefuseFields } from '../wire/mutation-args.ts';
import { stopObject } from '../schema/stops.ts';
import { keyText, requiredKey, stopNumber, yyyymmdd } from '../schema/values.ts';

/** The body of PUT route/stop/skip-refuse. */
export const skipRefuseBody = z.object({
  route_id: requiredKey(10),
  stop_id: stopNumber,
  facility: z.optional(z.nullable(keyText(5))),
  week_end: z.optional(z.nullable(z.union([yyyymmdd, z.literal('')]))),
  ...skipRefuseFields,
});
export type SkipRefuseBody = z.infer<typeof skipRefuseBody>;

/** The body of PUT route/stop; each of its stops becomes one mutation. */
export const stopSyncBody = z.object({
  id: requiredKey(10),
  facility: z.optional(z.nullable(keyText(5))),
  week_end: z.optional(z.nullable(z.union([yyyymmdd, z.literal('')]))),
  stops: z.array(stopObject).check(z.minLength(1), z.maxLength(500)),
});
export type StopSyncBody = z.infer<typeof stopSyncBody>;
