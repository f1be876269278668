import * as z from 'zod/mini';
import type { AttentionItem } from './contract.ts';

const text = z.catch(z.nullable(z.string()), null);

/** All details name a route in the same way. */
const details = z.object({
  route: z.catch(z.object({ facility: text, id: text, week_end: text }), { facility: null, id: null, week_end: null }),
  stop: z.catch(z.nullable(z.int()), null),
});

/** The route and stop in the details of an incident; nulls where they name none. */
export function placeIn(json: string): Pick<AttentionItem, 'facility' | 'route_id' | 'week_end' | 'stop_id'> {
  const { success, data } = details.safeParse(parse(json));
  if (!success) return { facility: null, route_id: null, week_end: null, stop_id: null };
  const { facility, id, week_end } = data.route;
  return { facility, route_id: id, week_end, stop_id: data.stop };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined; // the server wrote it, perhaps in an earlier release: it names no route then
  }
}
