import { createSignal } from '../ui/signal.ts';

/** Chromium's event; no standard describes it yet. */
interface InstallEvent extends Event {
  prompt(): Promise<unknown>;
}

/** How the app gets onto the home screen: by a button here, by the browser's own menu (iOS), or it is there. */
export const installWay = createSignal<'button' | 'ios' | 'none'>('none');

let offered: InstallEvent | undefined;

/** Listens for the browser's offer. Called before the first paint: the event comes once. */
export function startInstallHint(): void {
  if (matchMedia('(display-mode: standalone)').matches) return;
  if (/iP(hone|ad|od)/.test(navigator.userAgent)) installWay.set('ios');
  addEventListener('beforeinstallprompt', (event) => {
    if (!isInstallEvent(event)) return;
    event.preventDefault();
    offered = event;
    installWay.set('button');
  });
  addEventListener('appinstalled', () => installWay.set('none'));
}

export async function install(): Promise<void> {
  // The browser refuses an offer that it has shown before.
  await offered?.prompt().catch(() => undefined);
  offered = undefined;
  installWay.set('none');
}

const isInstallEvent = (event: Event): event is InstallEvent => 'prompt' in event;
