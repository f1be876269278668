import type { Live } from './live.ts';
import type { News } from './news.ts';

/** A reading that news repeat. */
interface Repeat {
  /** Runs it now, or once more after the run under way. */
  readonly again: () => void;
  readonly end: () => void;
}

/** A reading rests for the time that it took, so that a storm of news keeps neither page nor server busy. */
const longestRestMs = 1_000;

function createRepeat(run: () => Promise<void>): Repeat {
  let isBusy = false;
  let isAsked = false;
  let isOver = false;
  let freeAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const start = async (): Promise<void> => {
    const began = performance.now();
    [isBusy, isAsked] = [true, false];
    try {
      await run();
    } finally {
      isBusy = false;
      freeAt = performance.now() + Math.min(longestRestMs, performance.now() - began);
    }
    plan();
  };
  const plan = (): void => {
    if (!isAsked || isBusy || isOver) return;
    clearTimeout(timer);
    const wait = freeAt - performance.now();
    if (wait <= 0) void start();
    else timer = setTimeout(plan, wait);
  };
  return {
    again: () => {
      isAsked = true;
      plan();
    },
    end: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** Runs a reading now, and again with news that concern it. @returns its end */
export function repeatOnNews(
  live: Pick<Live, 'onNews'>,
  concernsIt: (news: News) => boolean,
  run: () => Promise<void>,
): () => void {
  const { again, end } = createRepeat(run);
  const unfollow = live.onNews((news) => {
    if (concernsIt(news)) again();
  });
  again();
  return () => {
    unfollow();
    end();
  };
}
