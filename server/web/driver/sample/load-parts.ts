/**
 * Loads every part of the app now. A sample route has no worker that keeps them, and a part that opens later would need
 * the network. Without one, the parts that are here already do.
 */
export async function loadParts(): Promise<void> {
  const answer = await fetch('./files.json').catch(() => undefined);
  const names: unknown = await answer?.json().catch(() => undefined);
  if (!Array.isArray(names)) return;
  for (const name of names.map(String)) {
    if (name.endsWith('.js')) preload(name);
    // The browser's cache keeps them: a worker asks for them by address.
    else await fetch(`./${name}`).catch(() => undefined);
  }
}

/** A module that the page has loaded once comes from memory afterwards. */
function preload(name: string): void {
  const link = document.createElement('link');
  link.rel = 'modulepreload';
  link.href = `./${name}`;
  document.head.append(link);
}
