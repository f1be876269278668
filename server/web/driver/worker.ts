import { openIndexedDb } from '@tailgate/client-sdk';
import type { ShellScope } from '@tailgate/client-sdk/offline-shell';
import { serveShell } from '@tailgate/client-sdk/offline-shell';
import type { SyncEventLike } from '@tailgate/client-sdk/service-worker';
import { drainOnSync } from '@tailgate/client-sdk/service-worker';
import { openIndexedDbFiles } from '@tailgate/client-sdk/uploads';
import { removeShell } from '../development/no-shell.ts';
import { serverUrl } from './offline.ts';
import { openPhoneClient } from './phone-client.ts';

/** The worker's `self`: the types of pages and workers exclude each other. */
declare const self: ShellScope &
  Parameters<typeof removeShell>[0] & {
    addEventListener(type: 'sync', listener: (event: SyncEventLike) => void): void;
  };

if (DEVELOPMENT) removeShell(self);
else serveShell(self, { version: SHELL_VERSION, files: SHELL_FILES, name: 'tailgate-driver' });
self.addEventListener('sync', (event) =>
  drainOnSync(event, async () => {
    const [store, files] = await Promise.all([openIndexedDb(), openIndexedDbFiles()]);
    return (await openPhoneClient(serverUrl(self.location), store, files)).client;
  }),
);
