import * as z from '#schema';
import type { DeepReadonly } from './deep-readonly.ts';

export const routeDriver = z.object({ id: z.string(), name: z.string(), type: z.string() });

/** The document `route` of a route scope in the feed. Instants are UTC `…Z`. */
export const routeHeader = z.object({
  id: z.string(),
  facility: z.string(),
  week_end: z.string(),
  name: z.string(),
  /** O open, C closed. */
  status: z.enum(['O', 'C']),
  /** The return marker: the driver has arrived at the warehouse. */
  arrived: z.boolean(),
  closed_at: z.nullable(z.string()),
  closed_by: z.nullable(z.enum(['D', 'A', 'F'])),
  withdrawn: z.boolean(),
  /** Deadlines of the timers that close the route: after an arrival, or without one (contract §4). */
  autoclose_at: z.nullable(z.string()),
  forceclose_at: z.nullable(z.string()),
  drivers: z.array(routeDriver),
});
export type RouteHeader = DeepReadonly<z.infer<typeof routeHeader>>;
