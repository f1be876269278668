import type { Json } from '@tailgate/sync-protocol';
import type { Client } from './client.ts';
import { select } from './platform/watch.ts';
import type { StopDraft } from './stop-handle.ts';

/**
 * The memo of the signed-in driver on this device, such as names of people who sign: any JSON. It
 * belongs to no route and has no end; another driver does not see it. `set` is that of a draft, and resolves on a full
 * disk, too: the value then waits in memory. Create it once.
 */
export function driverMemo(client: Client): StopDraft {
  return Object.assign(
    select(client.driver, (driver) => driver?.memo),
    { set: (memo: Json | undefined) => client.setDraft(undefined, undefined, memo) },
  );
}
