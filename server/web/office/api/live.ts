import type { Signal } from '../../ui/signal.ts';
import { createSignal } from '../../ui/signal.ts';

/** How fresh the page is. */
export interface Live {
  /** Grows when what is shown should be read again. */
  readonly pulse: Signal<number>;
  /** When the server answered last, in milliseconds; 0 before its first answer. */
  readonly heardAt: Signal<number>;
  /** Whether the last request had an answer. */
  readonly isReached: Signal<boolean>;
  readonly heard: (at: number) => void;
  readonly missed: () => void;
  /** Something has changed, such as by an act of this page. */
  readonly changed: () => void;
  readonly stop: () => void;
}

/** Between two readings of what is shown; an unchanged answer has no body (ETag). */
const everyMs = 5_000;

/** Asks for the news while the page is visible. */
export function startLive(isOpen: () => boolean): Live {
  const pulse = createSignal(0);
  const heardAt = createSignal(0);
  const isReached = createSignal(true);
  const changed = (): void => pulse.set(pulse.current + 1);
  const tick = (): void => {
    if (!document.hidden && isOpen()) changed();
  };
  const timer = setInterval(tick, everyMs);
  document.addEventListener('visibilitychange', tick);
  addEventListener('online', tick);
  return {
    pulse,
    heardAt,
    isReached,
    changed,
    heard: (at) => {
      heardAt.set(at);
      isReached.set(true);
    },
    missed: () => isReached.set(false),
    stop: () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
      removeEventListener('online', tick);
    },
  };
}
