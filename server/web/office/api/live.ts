import type { Signal } from '../../ui/signal.ts';
import { createSignal } from '../../ui/signal.ts';
import type { News } from './news.ts';

/** How fresh the page is, and what changed. */
export interface Live {
  /** When the server was heard last, in milliseconds; 0 before its first answer. */
  readonly heardAt: Signal<number>;
  /** Whether the last request had an answer. */
  readonly isReached: Signal<boolean>;
  /** Whether the feed reports changes. Without it the page reads every few seconds. */
  readonly isFollowed: Signal<boolean>;
  readonly heard: (at: number) => void;
  readonly missed: () => void;
  /** Calls the listener with each change. */
  readonly onNews: (listener: (news: News) => void) => () => void;
  readonly announce: (news: News) => void;
  /** An act of this page may have changed anything. */
  readonly changed: () => void;
  readonly stop: () => void;
}

/** Between two readings of everything shown, without the feed; an unchanged answer has no body (ETag). */
const everyMs = 5_000;
/** The same beside the feed: ages and delays change with the time alone. */
const besideFeedMs = 30_000;

/** Asks for the news while the page is visible. */
export function startLive(isOpen: () => boolean): Live {
  const heardAt = createSignal(0);
  const isReached = createSignal(true);
  const isFollowed = createSignal(false);
  const listeners = new Set<(news: News) => void>();
  let askedAt = Date.now();
  /** A reading has failed: the news that asked for it do not come again. */
  let isOwed = false;
  const announce = (news: News): void => {
    if (news.subject === 'all') askedAt = Date.now();
    for (const listener of [...listeners]) listener(news);
  };
  const changed = (): void => announce({ subject: 'all' });
  const wake = (): void => {
    if (!document.hidden && isOpen()) changed();
  };
  const tick = (): void => {
    if (isOwed || !isFollowed.current || Date.now() - askedAt >= besideFeedMs) {
      isOwed = false;
      wake();
    }
  };
  const timer = setInterval(tick, everyMs);
  document.addEventListener('visibilitychange', wake);
  addEventListener('online', wake);
  return {
    heardAt,
    isReached,
    isFollowed,
    announce,
    changed,
    onNews: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    heard: (at) => {
      heardAt.set(at);
      isReached.set(true);
    },
    missed: () => {
      isOwed = true;
      isReached.set(false);
    },
    stop: () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', wake);
      removeEventListener('online', wake);
    },
  };
}
