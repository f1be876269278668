import { once } from 'node:events';
import { watch } from 'node:fs';

/** Editors write a file in several steps. */
const settledMs = 50;

interface Watched {
  readonly folders: readonly string[];
  /** Never rejects: a failed build waits for the next change. */
  readonly build: () => Promise<void>;
  readonly stopping: AbortSignal;
}

/** Builds now and after each change of a source. A change during a build leads to one more build. */
export async function watchSources({ folders, build, stopping }: Watched): Promise<void> {
  let building: Promise<void> | undefined;
  let isStale = true;
  const buildWhileStale = async (): Promise<void> => {
    while (isStale) {
      isStale = false;
      await build();
    }
    building = undefined;
  };
  let timer: NodeJS.Timeout | undefined;
  const watchers = folders.map((folder) =>
    watch(folder, { recursive: true }, (_event, name) => {
      if (name === null || /(^|[/\\])(dist|node_modules)([/\\]|$)/.test(name)) return;
      isStale = true;
      clearTimeout(timer);
      timer = setTimeout(() => void (building ??= buildWhileStale()), settledMs);
    }),
  );
  building = buildWhileStale();
  if (!stopping.aborted) await once(stopping, 'abort');
  for (const watcher of watchers) watcher.close();
  clearTimeout(timer);
  await building;
}
