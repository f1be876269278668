import type { Client, Status } from '@tailgate/client-sdk';
import { createSignal } from '../ui/signal.ts';

/** Since when the connection is as it is; undefined until it changed once in this run. */
export const connectionSince = createSignal<number | undefined>(undefined);

/** Follows the connection of the client. */
export function followConnection({ status }: Pick<Client, 'status'>): void {
  let isOnline = isUp(status.current);
  status.subscribe((next) => {
    if (isUp(next) === isOnline) return;
    isOnline = isUp(next);
    connectionSince.set(Date.now());
  });
}

const isUp = ({ connection }: Status): boolean => connection === 'online';
