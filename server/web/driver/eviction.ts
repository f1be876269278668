import type { Status } from '@tailgate/client-sdk';
import { keepWord, keptWord } from '../ui/kept-word.ts';
import { createSignal } from '../ui/signal.ts';

/** Beside the app's data: browsers that delete that leave `localStorage` alone. */
const unreadKey = 'tailgate-evicted';

const unread = createSignal(false);

/** Whether the browser has deleted the app's data, and the driver has not read so yet, in this run or an earlier one. */
export const evicted: Pick<typeof unread, 'current' | 'subscribe'> = unread;

/** Whether this run has noted it: a client that opens after the first one reports the same deletion anew. */
let isNoted = false;

interface Followed {
  readonly current: Pick<Status, 'lastError'>;
  readonly subscribe: (listener: () => void) => () => void;
}

/** The status names the latest trouble only, and only once: neither a later one nor a kill must hide this one. */
export function followEviction({ status }: { readonly status: Followed }): void {
  const look = (): void => {
    if (isNoted || status.current.lastError?.code !== 'EVICTED') return;
    isNoted = true;
    unread.set(true);
    keepWord(unreadKey, 'unread');
  };
  if (keptWord(unreadKey) !== undefined) unread.set(true);
  look();
  status.subscribe(look);
}

/** The driver has read it. */
export function closeEviction(): void {
  unread.set(false);
  keepWord(unreadKey, undefined);
}
