import type { PathSet } from '../mutations/change.ts';

/** How a route closes: by the legacy environment's rule, or gated by the recorded arrival (interface.md part 3). */
export type CloseMode = 'legacy' | 'arrival';

export interface ClosingState {
  readonly status: 'O' | 'C';
  /** The return marker. */
  readonly arrived: boolean;
  readonly closedAt: Date | null;
  /** D by the driver, A by the autoclose timer, F by the force-close timer. */
  readonly closedBy: 'D' | 'A' | 'F' | null;
  readonly autocloseAt: Date | null;
  readonly forcecloseAt: Date | null;
}

export interface WarehouseEvent {
  /** Stop 999 was sent with `arrived: true`. */
  readonly arrived: boolean;
  /** Stop 999 has status D. */
  readonly delivered: boolean;
  readonly paths: PathSet;
  readonly mode: CloseMode;
  readonly now: Date;
  readonly timerMs: number;
}

/**
 * The effect of stop 999 on its route: the table of contract §4, "Closing a route". The first deadline wins. Any close
 * clears both deadlines. A closed route stays as it is.
 */
export function afterWarehouse(state: ClosingState, event: WarehouseEvent): ClosingState {
  if (state.status === 'C') return state;
  const { mode, paths, now } = event;
  let next = state;
  if (event.arrived) {
    if (mode === 'arrival') next = { ...next, arrived: true };
    if (mode === 'legacy' || paths === 'v20') next = { ...next, autocloseAt: next.autocloseAt ?? deadline(event) };
  }
  if (!event.delivered) return next;
  if (mode === 'legacy' || next.arrived) return closed(next, 'D', now);
  return { ...next, forcecloseAt: next.forcecloseAt ?? deadline(event) };
}

/** The close that is due when a timer fires; nothing where the deadline was cleared or moved. */
export function afterTimer(state: ClosingState, now: Date): ClosingState {
  if (state.status === 'C') return state;
  if (state.autocloseAt && state.autocloseAt <= now) return closed(state, 'A', now);
  if (state.forcecloseAt && state.forcecloseAt <= now) return closed(state, 'F', now);
  return state;
}

function closed(state: ClosingState, by: 'D' | 'A' | 'F', at: Date): ClosingState {
  return { ...state, status: 'C', closedAt: at, closedBy: by, autocloseAt: null, forcecloseAt: null };
}

const deadline = ({ now, timerMs }: WarehouseEvent): Date => new Date(now.getTime() + timerMs);
