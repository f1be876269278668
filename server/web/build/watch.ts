import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { root, sourceFolders } from './sources.ts';

/** Editors write a file in several steps. */
const settledMs = 50;

/** Builds now and after each change of a source, until the process gets a signal. */
export async function watchSources(build: () => Promise<void>): Promise<void> {
  await build();
  let building: Promise<void> | undefined;
  let isStale = false;
  const rebuild = async (): Promise<void> => {
    while (isStale) {
      isStale = false;
      await build();
    }
    building = undefined;
  };
  let timer: NodeJS.Timeout | undefined;
  const watchers = sourceFolders.map((folder) =>
    watch(join(root, folder), { recursive: true }, (_event, name) => {
      if (name === null || /(^|[/\\])(dist|node_modules)([/\\]|$)/.test(name)) return;
      isStale = true;
      clearTimeout(timer);
      timer = setTimeout(() => void (building ??= rebuild()), settledMs);
    }),
  );
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), once(process, 'SIGHUP')]);
  for (const watcher of watchers) watcher.close();
  clearTimeout(timer);
}
