import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/** Parts of a sample route: the scripted server, and the data that it serves. */
const isOfSample = (path: string): boolean => /\/(client-sdk\/src\/testing|driver\/sample)\//.test(path);
const namespace = 'own-protocol';

/**
 * Gives the sample route a copy of the protocol. esbuild assigns whole files to chunks: without the copy, the page would load
 * at its start all of the protocol that only a server needs.
 */
export const ownProtocol: Plugin = {
  name: namespace,
  setup(bundler) {
    bundler.onResolve({ filter: /^@tailgate\/sync-protocol$/ }, async ({ importer, kind, path, resolveDir }) => {
      if (!isOfSample(importer)) return undefined;
      const found = await bundler.resolve(path, { kind, resolveDir });
      return { ...found, namespace };
    });
    bundler.onResolve({ filter: /./, namespace }, async ({ importer, kind, path }) => {
      const found = await bundler.resolve(path, { kind, resolveDir: dirname(importer) });
      return { ...found, namespace };
    });
    bundler.onLoad({ filter: /./, namespace }, async ({ path }) => ({
      contents: await readFile(path, 'utf8'),
      loader: 'ts',
      resolveDir: dirname(path),
    }));
  },
};
