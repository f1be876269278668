import * as z from '#schema';
import { loadReportArgs } from '../schema/reports.ts';
import { routeKey } from '../schema/routes.ts';
import { stopObject } from '../schema/stops.ts';
import { clearableText, codeText, stopNumber } from '../schema/values.ts';

/** `stop.update` version 1: one stop object of PUT route/stop, and its route. */
export const stopUpdateArgs = z.object({ route: routeKey, stop: stopObject });
export type StopUpdateArgs = z.infer<typeof stopUpdateArgs>;

/** Fields of PUT route/stop/skip-refuse in addition to route and stop (contract §4). */
export const skipRefuseFields = {
  status: z.optional(z.nullable(z.enum(['S', 'R']))),
  type: z.optional(z.nullable(z.enum(['skip', 'refuse']))),
  skip_refuse_reason_code: z.optional(clearableText(3, codeText)),
  skip_refuse_timestamp: z.optional(clearableText(40)),
  skip_refuse_driver_comment: z.optional(clearableText(2000)),
};
/** `stop.skip_refuse` version 1. */
export const skipRefuseArgs = z.object({ route: routeKey, stop_id: stopNumber, ...skipRefuseFields });
export type SkipRefuseArgs = z.infer<typeof skipRefuseArgs>;

/** Fields of a stop that contain an instant. */
export const instantFields = ['start_delivery_time', 'end_delivery_time', 'skip_refuse_timestamp'] as const;
export type InstantField = (typeof instantFields)[number];

/** A member beside the arguments of `stop.update` and `stop.skip_refuse`; older servers ignore it (docs/protocol.md, Time). */
const marks = z.object({ device_times: z.array(z.string()) });

const noTimes: readonly InstantField[] = [];

/** The fields whose instants come from the device's own clock. */
export function deviceTimesOf(args: unknown): readonly InstantField[] {
  // Most changes have none.
  if (!(args instanceof Object && 'device_times' in args)) return noTimes;
  const named: readonly string[] = marks.safeParse(args).data?.device_times ?? [];
  return instantFields.filter((name) => named.includes(name));
}

/** Every mutation by name, with the schema of its arguments by version. A new one needs a line here and a server rule. */
export const mutationArgs = {
  'stop.update': { 1: stopUpdateArgs },
  'stop.skip_refuse': { 1: skipRefuseArgs },
  'report.load_condition': { 1: loadReportArgs },
} as const;
export type MutationName = keyof typeof mutationArgs;
export const mutationNames = [
  'stop.update',
  'stop.skip_refuse',
  'report.load_condition',
] as const satisfies readonly MutationName[];
export const isMutationName = (name: string): name is MutationName => Object.hasOwn(mutationArgs, name);
