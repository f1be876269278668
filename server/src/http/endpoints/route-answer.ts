import type { StopView } from '@tailgate/sync-protocol';
import { stopView } from '@tailgate/sync-protocol';
import { routeFrame, routeMeta } from '../../routes/payload.ts';
import type { ChangedStops, PendingRoute } from '../../routes/queries.ts';
import { RenderedAnswer } from '../answers/rendered.ts';

/** The form in which one path set shows a pending route. */
export interface RouteFormat<Stop> {
  readonly message: string;
  readonly stop: (stop: StopView) => Stop;
}

export type RouteShown<Stop> = ReturnType<typeof routeFrame> & { readonly stops: readonly Stop[] };

/** The position of a stop in an answer. */
interface StopBytes {
  readonly id: number;
  readonly sequence: number;
  /** A view of the answer's own bytes. */
  readonly bytes: Buffer;
}

/**
 * A rendered answer with a pending route. The next version reuses it and renders only the changed stops: a tap changes
 * one stop of a hundred and fifty, and then every phone of the route requests the whole.
 */
export class RouteAnswer<Stop> extends RenderedAnswer {
  declare readonly says: RouteShown<Stop>;
  /** The epoch and the version of the rendered stops. */
  readonly epoch: number;
  readonly version: number;
  readonly #stops: readonly StopBytes[];

  private constructor(bytes: Buffer, stops: readonly StopBytes[], { epoch, version }: ChangedStops) {
    super(bytes);
    this.epoch = epoch;
    this.version = version;
    this.#stops = stops;
  }

  /** Renders `changed` into a copy of `before`, or all stops of the route where there is no `before`. */
  static of<Stop>(
    format: RouteFormat<Stop>,
    route: PendingRoute,
    changed: ChangedStops,
    before?: RouteAnswer<Stop>,
  ): RouteAnswer<Stop> {
    const stops = inDrivingOrder(before ? before.#stops : [], changed, format);
    const head = { success: true, message: format.message, data: routeFrame(route) };
    // The stops are the last field of the data, so the part before them ends with two braces.
    const start = Buffer.from(`${JSON.stringify(head).slice(0, -2)},"stops":[`);
    const end = Buffer.from(`]},"meta":${JSON.stringify(routeMeta(route))}}`);
    const parts = stops.flatMap(({ bytes }, n) => (n === 0 ? [bytes] : [comma, bytes]));
    const bytes = Buffer.concat([start, ...parts, end]);
    let at = start.length;
    const own = stops.map(({ id, sequence, bytes: { length } }) => {
      const view = { id, sequence, bytes: bytes.subarray(at, at + length) };
      at += length + comma.length;
      return view;
    });
    return new RouteAnswer(bytes, own, changed);
  }
}

const comma = Buffer.from(',');

function inDrivingOrder<Stop>(
  before: readonly StopBytes[],
  { stops: changed }: ChangedStops,
  { stop }: RouteFormat<Stop>,
): StopBytes[] {
  const touched = new Set(changed.map(({ id }) => id));
  const stops = before.filter(({ id }) => !touched.has(id));
  for (const { id, plan, result } of changed)
    if (plan)
      stops.push({ id, sequence: plan.sequence, bytes: Buffer.from(JSON.stringify(stop(stopView(plan, result)))) });
  return stops.sort((a, b) => a.sequence - b.sequence || a.id - b.id);
}
