import * as z from '#schema';
import { loadReportArgs } from './reports.ts';
import { routeKey } from './routes.ts';
import { stopObject } from './stops.ts';
import { clearableText, stopNumber } from './values.ts';

/** `stop.update` version 1: one stop object of PUT route/stop and the route that it belongs to. */
export const stopUpdateArgs = z.object({ route: routeKey, stop: stopObject });
export type StopUpdateArgs = z.infer<typeof stopUpdateArgs>;

/** Fields of PUT route/stop/skip-refuse beside the route and stop (contract §4). */
export const skipRefuseFields = {
  status: z.optional(z.nullable(z.enum(['S', 'R']))),
  type: z.optional(z.nullable(z.enum(['skip', 'refuse']))),
  skip_refuse_reason_code: z.optional(clearableText(3)),
  skip_refuse_timestamp: z.optional(clearableText(40)),
  skip_refuse_driver_comment: z.optional(clearableText(2000)),
};
/** `stop.skip_refuse` version 1. */
export const skipRefuseArgs = z.object({ route: routeKey, stop_id: stopNumber, ...skipRefuseFields });
export type SkipRefuseArgs = z.infer<typeof skipRefuseArgs>;

/** Every mutation by name: the schema of its arguments, by version. Adding one is a line here and a rule on the server. */
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
