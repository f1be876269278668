import type { Signal } from '../../ui/signal.ts';
import type { Session } from '../session.ts';
import type { Api } from './api.ts';
import { Refusal, Unreachable } from './api.ts';
import type { Live } from './live.ts';
import { feedLineOf } from './news.ts';

/** After a break; doubles up to the longest pause. */
const firstPauseMs = 500;
const longestPauseMs = 5_000;
/** The stream counts as broken after this many beats without a line. */
const missedBeats = 2.5;

/**
 * Follows the feed of the office while an operator is signed in and the page is visible. After a break it goes on behind
 * the last line that it has read.
 *
 *   resting ──signed in and visible──► following ──break──► pausing ──time, network is back──► following
 *      ▲                                   │                   │
 *      └────── signed out or hidden ───────┴───────────────────┘
 */
export function startFeed(api: Pick<Api, 'lines'>, live: Live, session: Signal<Session>): void {
  let cursor: string | undefined;
  let current: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = firstPauseMs;
  const isWanted = (): boolean => session.current.is === 'in' && !document.hidden;

  const read = async (stream: AbortController): Promise<void> => {
    let patience: ReturnType<typeof setTimeout> | undefined;
    let patienceMs = 0;
    try {
      for await (const text of api.lines('followFeed', { query: { after: cursor } }, stream.signal)) {
        const line = feedLineOf(text);
        if (line.beatSeconds !== undefined) patienceMs = line.beatSeconds * missedBeats * 1_000;
        clearTimeout(patience);
        if (patienceMs > 0) patience = setTimeout(() => stream.abort(), patienceMs);
        cursor = line.cursor ?? cursor;
        pauseMs = firstPauseMs;
        live.heard(Date.now());
        live.isFollowed.set(true);
        if (line.news) live.announce(line.news);
      }
    } finally {
      clearTimeout(patience);
    }
  };

  const follow = async (stream: AbortController): Promise<void> => {
    try {
      await read(stream);
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof Unreachable)) throw error;
    } finally {
      if (current === stream) {
        rest();
        timer = setTimeout(turn, pauseMs);
        pauseMs = Math.min(longestPauseMs, pauseMs * 2);
      }
    }
  };

  const rest = (): void => {
    const stream = current;
    current = undefined;
    live.isFollowed.set(false);
    stream?.abort();
  };

  const turn = (): void => {
    clearTimeout(timer);
    if (!isWanted()) return rest();
    if (current) return;
    current = new AbortController();
    void follow(current);
  };

  let was = session.current.is;
  session.subscribe(({ is }) => {
    if (is !== was) turn();
    was = is;
  });
  document.addEventListener('visibilitychange', turn);
  addEventListener('online', turn);
  // A broken network does not end a stream by itself.
  addEventListener('offline', () => current?.abort());
  turn();
}
