import type { LocalRoute, LocalStop, StopInput } from '@tailgate/client-sdk';
import { isPending, orderOf } from './order.ts';

/** How far the return is. */
export type ClosingState =
  /** On the road. */
  | 'away'
  /** Arrived; no timer is known. */
  | 'arrived'
  /** A timer at the office closes the route. */
  | 'counting'
  /** Closed here; the office does not confirm it yet. */
  | 'closing'
  | 'closed';

export interface Closing {
  readonly state: ClosingState;
  /** Customers' stops that are pending, in the order of the plan. */
  readonly open: readonly LocalStop[];
  readonly finished: number;
  readonly total: number;
  /** When the driver arrived; ms since 1970. */
  readonly arrivedAt: number | undefined;
  /** When the office's timer closes the route; ms since 1970 by the server's clock. */
  readonly deadline: number | undefined;
  readonly closedAt: number | undefined;
  /** The timer closed it. */
  readonly byTimer: boolean;
}

/** @param home stop 999 */
export function closingOf(route: LocalRoute, home: LocalStop): Closing {
  const { finished, total } = orderOf(route);
  const deadlines = [route.autoclose_at, route.forceclose_at].flatMap((at) => timeOf(at) ?? []);
  const deadline = deadlines.length > 0 ? Math.min(...deadlines) : undefined;
  return {
    state: stateOf(route, home, deadline),
    open: route.stops.filter((stop) => stop.id !== home.id && isPending(stop)),
    finished,
    total,
    arrivedAt: timeOf(home.updates.start_delivery_time),
    deadline,
    closedAt: timeOf(route.closed_at) ?? timeOf(home.updates.end_delivery_time),
    byTimer: route.closed_by === 'A' || route.closed_by === 'F',
  };
}

function stateOf(route: LocalRoute, home: LocalStop, deadline: number | undefined): ClosingState {
  if (route.status === 'C') return 'closed';
  if (!isPending(home)) return 'closing';
  if (deadline !== undefined) return 'counting';
  return home.arrived || route.arrived ? 'arrived' : 'away';
}

function timeOf(text: string | null | undefined): number | undefined {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** The arrival goes with the close, so that no timer has to force it. */
export const closeOf = (home: LocalStop, at: Date): Omit<StopInput, 'id'> => ({
  arrived: true,
  updates: {
    status: 'D',
    end_delivery_time: at,
    ...(timeOf(home.updates.start_delivery_time) === undefined && { start_delivery_time: at }),
  },
});

/** A timer of the office, at one moment. */
export interface Countdown {
  /** Whole seconds, never less than 0. */
  readonly left: number;
  /** `7:42`, or `1:07:42`. */
  readonly text: string;
  /** The part that is left, in percent. */
  readonly percent: number;
}

/** The timer's usual length, where the arrival is unknown; ms. */
const usual = 600_000;

export function countdownOf(deadline: number, now: number, arrivedAt: number | undefined): Countdown {
  const left = Math.max(0, Math.ceil((deadline - now) / 1000));
  const whole = Math.max(1, (arrivedAt === undefined ? usual : deadline - arrivedAt) / 1000, left);
  const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
  const two = (n: number): string => String(n).padStart(2, '0');
  const text = hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
  return { left, text, percent: Math.round((100 * left) / whole) };
}
