/** The address of the server is one folder above the app's: `https://pod.example.com/app/` → `https://pod.example.com`. */
export const serverUrl = (location: { readonly href: string }): string =>
  new URL('..', location.href).href.replace(/\/$/, '');

/** Registers the worker that makes the app open without a network. Development builds load every file anew. */
export async function keepOffline(): Promise<void> {
  if (DEVELOPMENT || !('serviceWorker' in navigator)) return;
  await navigator.serviceWorker.register('./worker.js', { updateViaCache: 'none' });
}
