import type { RouteKey } from '@tailgate/sync-protocol';
import { routeKey, skipRefuseArgs } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';

const naming = z.object({ args: z.object({ route: z.record(z.string(), z.unknown()) }) });

/**
 * The route that an unreadable item names, as far as it is readable; blank parts otherwise. The office finds the item
 * by it.
 */
export function namedRoute(body: string): RouteKey {
  const named = naming.safeParse(JSON.parse(body)).data?.args.route ?? {};
  const part = (name: keyof RouteKey): string => routeKey.shape[name].safeParse(named[name]).data ?? '';
  return { facility: part('facility'), id: part('id'), week_end: part('week_end') };
}

const stopNaming = z.object({
  args: z.object({ stop: z.optional(z.object({ id: z.unknown() })), stop_id: z.optional(z.unknown()) }),
});

/** The stop that an unreadable item names; null where it is unreadable. */
export function namedStop(body: string): number | null {
  const { stop, stop_id } = stopNaming.safeParse(JSON.parse(body)).data?.args ?? {};
  return skipRefuseArgs.shape.stop_id.safeParse(stop?.id ?? stop_id).data ?? null;
}
