import type { Status, Watch } from '@tailgate/client-sdk';
import { requestBackgroundSync } from '@tailgate/client-sdk/service-worker';

/** The part of the client that this file uses. */
interface Followed {
  readonly status: Pick<Watch<Unsent & Pick<Status, 'connection'>>, 'current' | 'subscribe'>;
}

type Unsent = Pick<Status, 'pending' | 'awaitsSignIn' | 'refused' | 'uploading'>;

/**
 * Asks the browser to wake the worker when a network is available, while the phone has something to send and no
 * connection: with each new change or file, and when the driver puts the phone away.
 *
 * @returns its end
 */
export function followUnsent({ status }: Followed): () => void {
  // Rejects nothing: without a worker `ready` waits for ever, and the queue drains when the app is next open.
  const ask = async (): Promise<void> => void (await requestBackgroundSync(await navigator.serviceWorker.ready));
  let asked = 0;
  const look = (): void => {
    const { connection } = status.current;
    // Between two attempts nothing has changed.
    if (connection === 'connecting') return;
    const left = connection === 'online' ? 0 : unsent(status.current);
    if (left > asked) void ask();
    asked = left;
  };
  const away = (): void => {
    if (document.hidden && status.current.connection !== 'online' && unsent(status.current) > 0) void ask();
  };
  look();
  const unfollow = status.subscribe(look);
  document.addEventListener('visibilitychange', away);
  return () => {
    unfollow();
    document.removeEventListener('visibilitychange', away);
  };
}

/** Changes and files that only this phone has, without those that it cannot send by itself. */
const unsent = ({ pending, awaitsSignIn, refused, uploading }: Unsent): number =>
  total(pending) - total(awaitsSignIn) - total(refused) + total(uploading);

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
