import type { Client } from '@tailgate/client-sdk';
import { createClient, openIndexedDb } from '@tailgate/client-sdk';
import type { ExportedQueue, Imported } from '@tailgate/client-sdk/rescue';
import { openIndexedDbFiles, openUploads } from '@tailgate/client-sdk/uploads';
import { createRoot } from 'react-dom/client';
import { loadAhead } from '../ui/lazy.tsx';
import { startRouter } from '../ui/router.ts';
import { startTheme } from '../ui/theme.ts';
import { App } from './app.tsx';
import './driver.css';
import './screens/counts.css';
import { importing } from './importing.ts';
import { startInstallHint } from './install.ts';
import { keepOffline, serverUrl } from './offline.ts';
import { undoWindow } from './recorded.ts';
import { startHandScanner } from './scan/hand-scanner.ts';
import { followSession } from './session-end.ts';
import { i18n } from './words/words.ts';

startTheme();
i18n.start();
startRouter();
startInstallHint();
startHandScanner();

// The phone's own data is drawn as soon as it is open; the network comes after the first paint.
const url = serverUrl(location);
const [store, files] = await Promise.all([openIndexedDb(), openIndexedDbFiles()]);
const place = document.querySelector('#app');
const root = place && createRoot(place);
let client = await open();

async function open(): Promise<Client> {
  const uploads = await openUploads({ store: files });
  const opened = await createClient({ url, store, uploads, undoWindow, app: 'tailgate-driver' });
  followSession(opened);
  root?.render(<App client={opened} url={url} uploads={uploads} importQueues={importQueues} />);
  return opened;
}

/** Each queue is one write: a kill at any moment loses nothing, and a repeated import adds nothing. */
async function importQueues(queues: readonly ExportedQueue[]): Promise<readonly Imported[]> {
  const { importQueue } = await import('@tailgate/client-sdk/rescue');
  importing.set(true);
  try {
    await client.close();
    const imported: Imported[] = [];
    for (const queue of queues) imported.push(await importQueue(store, queue));
    return imported;
  } finally {
    // Without a client, the page can record nothing: it begins anew.
    client = await open().catch((error: unknown) => {
      location.reload();
      throw error;
    });
    importing.set(false);
  }
}

// The browser may delete a page's data when storage is short, unless it grants this.
await navigator.storage?.persist();
await keepOffline();
await loadAhead();
