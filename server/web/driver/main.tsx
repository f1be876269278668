import { createClient, openIndexedDb } from '@tailgate/client-sdk';
import { openIndexedDbFiles, openUploads } from '@tailgate/client-sdk/uploads';
import { createRoot } from 'react-dom/client';
import { startRouter } from '../ui/router.ts';
import { startTheme } from '../ui/theme.ts';
import { App } from './app.tsx';
import './driver.css';
import './screens/counts.css';
import { startInstallHint } from './install.ts';
import { keepOffline, serverUrl } from './offline.ts';
import { undoWindow } from './recorded.ts';
import { followSession } from './session-end.ts';
import { i18n } from './words/words.ts';

startTheme();
i18n.start();
startRouter();
startInstallHint();

// The phone's own data is drawn as soon as it is open; the network comes after the first paint.
const url = serverUrl(location);
const [store, files] = await Promise.all([openIndexedDb(), openIndexedDbFiles()]);
const uploads = await openUploads({ store: files });
const client = await createClient({ url, store, uploads, undoWindow, app: 'tailgate-driver' });
followSession(client);
const place = document.querySelector('#app');
if (place) createRoot(place).render(<App client={client} url={url} uploads={uploads} />);

// The browser may delete a page's data when storage is short, unless it grants this.
await navigator.storage?.persist();
await keepOffline();
