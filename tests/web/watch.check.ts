import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildPage } from '../../server/web/build/build-page.ts';
import { web } from '../../server/web/build/sources.ts';
import { watchSources } from '../../server/web/build/watch.ts';
import { atFileEnd } from '../support/file-end.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a change leads to a build, also one during a build; the output itself does not', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'dist'));
  const source = join(folder, 'page.ts');
  await writeFile(source, 'one');
  const built: string[] = [];
  const stopping = new AbortController();
  const stopped = watchSources({
    folders: [folder],
    stopping: stopping.signal,
    build: async () => {
      const text = await readFile(source, 'utf8');
      await writeFile(join(folder, 'dist/page.js'), text);
      built.push(text);
      if (text === 'two') await writeFile(source, 'three');
    },
  });
  atFileEnd(() => stopped);
  await expect.poll(() => built).toEqual(['one']);
  await writeFile(source, 'two');
  await expect.poll(() => built.at(-1)).toBe('three');
  stopping.abort();
  await stopped;
  expect(new Set(built)).toEqual(new Set(['one', 'two', 'three']));
});

test('a page of development reloads by a script of its own, and its worker caches nothing', async () => {
  const folder = join(await temporaryFolder(), 'app');
  const source = join(web, 'driver');
  await buildPage({ source, folder, runtime: 'preact', development: true, firstLoadLimit: 0 });
  const html = await readFile(join(folder, 'index.html'), 'utf8');
  expect(html).toMatch(/<script type="module" src="\.\/reload-[A-Z0-9]{8}\.js"><\/script>/);
  const worker = await readFile(join(folder, 'worker.js'), 'utf8');
  expect(worker).toMatch(/^ +if \(true\) removeShell\(self\);$/m);
});
