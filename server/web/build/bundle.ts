import { basename, join } from 'node:path';
import type { BuildOptions, Metafile } from 'esbuild';
import { build } from 'esbuild';
import { ownProtocol } from './own-protocol.ts';
import { root, web } from './sources.ts';

export interface BundleOptions {
  /** The library that renders. `react` proves that the app also runs on React. */
  readonly runtime: 'preact' | 'react';
  /** A build of `npm run dev`: open pages reload after a change, and nothing is cached for offline use. */
  readonly development: boolean;
}

/** The bundled code of a page, in memory. */
export interface Bundle {
  /** Hashed names. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The script of the page, then the chunks that it imports at its start. */
  readonly scripts: readonly string[];
  readonly style: string | undefined;
  /** In development: the script that reloads the page after a build. */
  readonly reload: string | undefined;
  /** The packages in the bundle. */
  readonly inputs: readonly string[];
}

const liveReload = join(web, 'development/live-reload.ts');

/** One alias makes the SDK's hooks and the app's components run on Preact. */
const aliases = {
  preact: { react: 'preact/compat', 'react-dom': 'preact/compat' },
  react: {},
};

/** React's weight in a page. No shipped page contains it (decision 106), so this limit finds no more than a blunder. */
const reactBytes = 70_000;

/** The most bytes of a page with this library; `limit` is that of the shipped one. */
export const limitWith = (runtime: BundleOptions['runtime'], limit: number): number =>
  limit + (runtime === 'react' ? reactBytes : 0);

function sharedOptions({ runtime, development }: BundleOptions) {
  return {
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'browser',
    target: 'es2022',
    conditions: ['source'],
    minify: !development,
    // The names of the authors are in licences.txt.
    legalComments: 'none',
    logLevel: 'silent',
    alias: aliases[runtime],
    tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', verbatimModuleSyntax: true } },
    define: {
      DEVELOPMENT: String(development),
      'process.env.NODE_ENV': development ? '"development"' : '"production"',
    },
    loader: { '.wasm': 'file', '.svg': 'file', '.png': 'file', '.mp3': 'file', '.woff2': 'file' },
    sourcemap: development && 'inline',
  } satisfies BuildOptions;
}

/** Bundles the script of a page. Parts behind `import()` become files of their own. */
export async function bundlePage(source: string, options: BundleOptions): Promise<Bundle> {
  const shared = sharedOptions(options);
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: { main: join(source, 'main.tsx'), ...(options.development && { reload: liveReload }) },
    // Nothing is written there.
    outdir: join(source, 'dist'),
    format: 'esm',
    splitting: true,
    plugins: [ownProtocol],
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    assetNames: '[name]-[hash]',
  });
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const entry = [...outputs].find(([, { entryPoint }]) => entryPoint?.endsWith('/main.tsx'));
  if (!entry) throw new Error(`${source}/main.tsx has no output`);
  const reload = [...outputs].find(([, { entryPoint }]) => entryPoint?.endsWith('/live-reload.ts'));
  const style = entry[1].cssBundle === undefined ? undefined : basename(entry[1].cssBundle);
  const strayStyle = [...outputs.keys()].find((name) => name.endsWith('.css') && name !== style);
  if (strayStyle !== undefined) throw new Error(lateStyle(outputs.get(strayStyle)));
  return {
    files: new Map(outputFiles.map((file) => [basename(file.path), file.contents])),
    scripts: startScripts(entry[0], outputs),
    reload: reload?.[0],
    style,
    inputs: Object.keys(metafile.inputs),
  };
}

const lateStyle = (output: Metafile['outputs'][string] | undefined): string =>
  `${Object.keys(output?.inputs ?? {}).join(', ')}: a part that loads later imports it, and no page links it. Import it in main.tsx.`;

/** The entry and every chunk that it reaches by static imports. */
function startScripts(entry: string, outputs: ReadonlyMap<string, Metafile['outputs'][string]>): string[] {
  const scripts = new Set([entry]);
  for (const name of scripts)
    for (const { path, kind } of outputs.get(name)?.imports ?? [])
      if (kind === 'import-statement') scripts.add(basename(path));
  return [...scripts];
}

/** A script with all that it imports, and its style. */
interface Whole {
  readonly code: string;
  readonly style: string | undefined;
  /** Files of the bundle, relative to the repository. */
  readonly inputs: readonly string[];
}

/** Bundles a script that loads no parts later. @param name of its file in `source` */
export async function bundleWhole(
  source: string,
  name: 'worker.ts' | 'main.tsx',
  options: BundleOptions,
): Promise<Whole> {
  const { outputFiles, metafile } = await build({
    ...sharedOptions(options),
    entryPoints: { whole: join(source, name) },
    // Nothing is written there.
    outdir: join(source, 'dist'),
    format: 'iife',
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const [code, style] = [texts.get('whole.js'), texts.get('whole.css')];
  const others = [...texts.keys()].filter((each) => each !== 'whole.js' && each !== 'whole.css');
  if (code === undefined || others.length > 0)
    throw new Error(`${source}/${name} must become one file, not also ${others.join(', ')}`);
  return { code, style, inputs: Object.keys(metafile.inputs) };
}
