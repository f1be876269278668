import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPage } from '../../server/web/build/build-page.ts';
import { root, web } from '../../server/web/build/sources.ts';
import { servePages } from '../support/page-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A server of the app alone, whose operator installs one version after the other. */
export interface AppVersions {
  readonly url: string;
  /** Builds a version that shows the mark on the route, and installs it. */
  install(mark: string): Promise<void>;
}

export async function openVersions(): Promise<AppVersions> {
  const home = await temporaryFolder();
  for (const part of ['driver', 'ui', 'development']) await cp(join(web, part), join(home, part), { recursive: true });
  await symlink(join(root, 'node_modules'), join(home, 'node_modules'));
  const words = join(home, 'driver/words/en.ts');
  const original = await readFile(words, 'utf8');
  const heading = `'route.then': 'Then'`;
  if (!original.includes(heading)) throw new Error(`${words} does not have ${heading}`);

  const folder = join(home, 'out/app');
  return {
    url: await servePages(folder),
    install: async (mark) => {
      await writeFile(words, original.replace(heading, `'route.then': 'Then, version ${mark}'`));
      const source = join(home, 'driver');
      await buildPage({ source, folder, runtime: 'preact', development: false, firstLoadLimit: 1_000_000 });
    },
  };
}
