import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'esbuild';
import { build } from 'esbuild';

// npm run size: the part of the SDK that a phone loads. The core is all that `createClient` reaches, without storage
// adapters and lazy parts (`import()`). Above its limit the run fails.

/** What it is for: docs/decisions/0204, 0205. */
const coreLimit = 27_888;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const sdk = "'@tailgate/client-sdk'";
const bundles: readonly (readonly [name: string, code: string, loads: 'at start' | 'ever'])[] = [
  ['core (createClient)', `export { createClient } from ${sdk}`, 'at start'],
  ['core, and all that it ever loads', `export { createClient } from ${sdk}`, 'ever'],
  ['core with IndexedDB', `export { createClient, openIndexedDb } from ${sdk}`, 'at start'],
];

let core = 0;
for (const [name, code, loads] of bundles) {
  const { bytes, parts } = await weigh(code, loads);
  core ||= bytes;
  say(`${String(bytes).padStart(7)} bytes gzip  ${name}`);
  if (process.argv.includes('--parts')) for (const [path, part] of parts) say(`${String(part).padStart(15)}  ${path}`);
}
if (core > coreLimit) {
  const over = `the core is ${core - coreLimit} bytes above its limit of ${coreLimit}`;
  process.stderr.write(`${over}; --parts shows what weighs, docs/decisions/0104 what was tried\n`);
  process.exitCode = 1;
}

/** Bundles as an app's build does; `parts` are minified bytes a module, the largest first. */
async function weigh(code: string, loads: 'at start' | 'ever'): Promise<{ bytes: number; parts: [string, number][] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, loader: 'ts', resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['source'],
    write: false,
    metafile: true,
    plugins: loads === 'ever' ? [] : [withoutLater()],
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  return {
    bytes: outputFiles.reduce((sum, file) => sum + gzipSync(file.contents, { level: 9 }).byteLength, 0),
    parts: inputs
      .map(([path, { bytesInOutput }]): [string, number] => [path, bytesInOutput])
      .sort((a, b) => b[1] - a[1]),
  };
}

/** Leaves every `import()` unchanged. */
function withoutLater(): Plugin {
  return {
    name: 'without what is loaded later',
    setup(bundler) {
      bundler.onResolve({ filter: /./ }, ({ kind, path }) =>
        kind === 'dynamic-import' ? { path, external: true } : undefined,
      );
    },
  };
}
