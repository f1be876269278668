import { createClient, openIndexedDb } from '@tailgate/client-sdk';
import type { ShellScope } from '@tailgate/client-sdk/offline-shell';
import { serveShell } from '@tailgate/client-sdk/offline-shell';
import type { SyncEventLike } from '@tailgate/client-sdk/service-worker';
import { drainOnSync } from '@tailgate/client-sdk/service-worker';
import { openIndexedDbFiles, openUploads } from '@tailgate/client-sdk/uploads';
import { removeShell } from '../development/no-shell.ts';
import { serverUrl } from './offline.ts';

/** The worker's `self`: the types of pages and workers exclude each other. */
declare const self: ShellScope &
  Parameters<typeof removeShell>[0] & {
    addEventListener(type: 'sync', listener: (event: SyncEventLike) => void): void;
  };

if (DEVELOPMENT) removeShell(self);
else serveShell(self, { version: SHELL_VERSION, files: SHELL_FILES, name: 'tailgate-driver' });
self.addEventListener('sync', (event) =>
  drainOnSync(event, async () => {
    const uploads = await openUploads({ store: await openIndexedDbFiles() });
    return createClient({ url: serverUrl(self.location), store: await openIndexedDb(), uploads });
  }),
);
