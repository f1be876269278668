import { createRoot } from 'react-dom/client';
import { startRouter } from '../ui/router.ts';
import { startTheme } from '../ui/theme.ts';
import { apiUrl, createApi } from './api/api.ts';
import { startFeed } from './api/feed.ts';
import { startLive } from './api/live.ts';
import { App } from './app.tsx';
import { startIdleLock } from './idle-lock.ts';
import { startKeys } from './keys.ts';
import './office.css';
import { takeProviderAnswer } from './provider-sign-in.ts';
import { lock, resume, session, tokenOf } from './session.ts';
import { endLeftSessions } from './sign-out.ts';
import { i18n } from './words/words.ts';

startTheme();
i18n.start();
resume();
takeProviderAnswer();
startRouter();
startIdleLock();
startKeys();

const url = apiUrl(location);
endLeftSessions(url);
const live = startLive(() => session.current.is === 'in');
const api = createApi({
  url,
  token: () => tokenOf(session.current),
  onAnswer: live.heard,
  onSilence: live.missed,
  onSignedOut: () => lock('ended'),
});
startFeed(api, live, session);
// The server has refused the reads behind the lock.
session.subscribe(({ is }) => is === 'in' && live.changed());
const place = document.querySelector('#app');
if (place) createRoot(place).render(<App services={{ api, live }} />);
