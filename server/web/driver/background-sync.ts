import type { Client, Status } from '@tailgate/client-sdk';
import { requestBackgroundSync } from '@tailgate/client-sdk/service-worker';

/**
 * Asks the browser to wake the worker when a network is available, while the phone has something to send and no
 * connection: with each new change or file, and when the driver puts the phone away.
 */
export function followUnsent({ status }: Pick<Client, 'status'>): void {
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
  look();
  status.subscribe(look);
  document.addEventListener('visibilitychange', () => {
    if (document.hidden && status.current.connection !== 'online' && unsent(status.current) > 0) void ask();
  });
}

/** Changes and files that only this phone has. */
const unsent = ({ pending, uploading }: Status): number =>
  [...Object.values(pending), ...Object.values(uploading)].reduce((sum, count) => sum + count, 0);
