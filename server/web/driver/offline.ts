/** The address of the server is one folder above the app's: `https://pod.example.com/app/` → `https://pod.example.com`. */
export const serverUrl = (location: { readonly href: string }): string =>
  new URL('..', location.href).href.replace(/\/$/, '');

/**
 * Registers the worker that makes the app open without a network, and resolves when the phone has all files. An
 * installation that the network interrupts begins again when the network or the driver returns. Development builds load every
 * file anew.
 */
export async function keepOffline(): Promise<void> {
  if (DEVELOPMENT || !('serviceWorker' in navigator)) return;
  const { serviceWorker } = navigator;
  const register = (): void =>
    void serviceWorker.register('./worker.js', { updateViaCache: 'none' }).catch(() => undefined);
  addEventListener('online', register);
  document.addEventListener('visibilitychange', register);
  register();
  await serviceWorker.ready;
  removeEventListener('online', register);
  document.removeEventListener('visibilitychange', register);
}
