import type { Client } from '@tailgate/client-sdk';
import { createSignal } from '../ui/signal.ts';

/** Why the server ended the driver's session; undefined where it did not in this run. */
export const sessionEnd = createSignal<string | undefined>(undefined);

export function followSession(client: Pick<Client, 'on' | 'driver'>): void {
  client.on('session', ({ reason }) => sessionEnd.set(reason));
  client.driver.subscribe((driver) => {
    if (driver?.signedIn !== false) sessionEnd.set(undefined);
  });
}
