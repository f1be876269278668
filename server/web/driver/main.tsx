import { openIndexedDb } from '@tailgate/client-sdk';
import type { ExportedQueue, Imported } from '@tailgate/client-sdk/rescue';
import { openIndexedDbFiles } from '@tailgate/client-sdk/uploads';
import { createRoot } from 'react-dom/client';
import { loadAhead } from '../ui/lazy.tsx';
import { startRouter } from '../ui/router.ts';
import { startTheme } from '../ui/theme.ts';
import { App } from './app.tsx';
import './driver.css';
import './sample/sample.css';
import './screens/counts.css';
import { followUnsent } from './background-sync.ts';
import { followEviction } from './eviction.ts';
import { importing } from './importing.ts';
import { startInstallHint } from './install.ts';
import { keepOffline, serverUrl } from './offline.ts';
import type { Place } from './place.ts';
import { openPhoneClient } from './phone-client.ts';
import { startHandScanner } from './scan/hand-scanner.ts';
import { followSession } from './session-end.ts';
import { i18n } from './words/words.ts';

/** Storage that has not answered by then may never answer. */
const slowAfterMs = 10_000;

startTheme();
i18n.start();
startRouter();
startHandScanner();

const isSample = new URLSearchParams(location.search).has('demo');
const root = createRoot(document.querySelector('#app') ?? document.body);
let isOpen = false;
const slow = setTimeout(() => void showTrouble(), slowAfterMs);
try {
  await show(isSample ? await (await import('./sample/open-sample.ts')).openSample() : await openPhone());
} catch (error) {
  await showTrouble(error);
} finally {
  clearTimeout(slow);
}
if (isOpen && !isSample) {
  // The browser may delete a page's data when storage is short, unless it grants this. Some ask the driver: nothing waits for it.
  navigator.storage?.persist().catch(() => undefined);
  await keepOffline();
  // From the worker: a file that the network lost would be missing until the page loads again.
  await loadAhead();
}

/** The phone's own data is drawn as soon as it is open; the network comes after the first paint. */
async function openPhone(): Promise<Place> {
  startInstallHint();
  const url = serverUrl(location);
  const [store, files] = await Promise.all([openIndexedDb(), openIndexedDbFiles()]);
  let unfollow = (): void => {};
  const open: Place['open'] = async () => {
    unfollow();
    const opened = await openPhoneClient(url, store, files);
    if (!DEVELOPMENT && 'serviceWorker' in navigator) unfollow = followUnsent(opened.client);
    return { ...opened, server: { url }, proofs: { url, store } };
  };
  return { store, open };
}

async function show(place: Place): Promise<void> {
  const app = await place.open();
  isOpen = true;
  followSession(app.client);
  if (!isSample) followEviction(app.client);
  /** Each queue is one write: a kill at any moment loses nothing, and a repeated import adds nothing. */
  const importQueues = async (queues: readonly ExportedQueue[]): Promise<readonly Imported[]> => {
    const { importQueue } = await import('@tailgate/client-sdk/rescue');
    importing.set(true);
    try {
      await app.client.close();
      const imported: Imported[] = [];
      for (const queue of queues) imported.push(await importQueue(place.store, queue));
      return imported;
    } finally {
      // Without a client, the page can record nothing: it begins anew.
      await show(place).catch((error: unknown) => {
        location.reload();
        throw error;
      });
      importing.set(false);
    }
  };
  root.render(<App {...app} importQueues={importQueues} />);
}

/** @param error undefined: the storage does not answer */
async function showTrouble(error?: unknown): Promise<void> {
  const { StartTrouble } = await import('./screens/start-trouble.tsx');
  if (!isOpen) root.render(<StartTrouble error={error} />);
}
