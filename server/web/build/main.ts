import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPage, shares, sum } from './build-page.ts';
import { readListing } from './output.ts';
import { hashSources, web } from './sources.ts';
import { watchSources } from './watch.ts';

// npm run build:web [-- --if-changed] [--watch] [--runtime react] [--out FOLDER]
// Builds the driver app. Above the limit of its first load the run fails.

/** 110 kB, gzip. */
const firstLoadLimit = 110_000;

const { values } = parseArgs({
  options: {
    'if-changed': { type: 'boolean', default: false },
    watch: { type: 'boolean', default: false },
    runtime: { type: 'string', default: 'preact' },
    out: { type: 'string', default: join(web, 'dist/app') },
  },
});
const { out: folder, runtime } = values;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (runtime !== 'preact' && runtime !== 'react') fail(`--runtime is preact or react, not ${runtime}`);
else if (values.watch) await watchSources(() => buildOnce(runtime));
else if (!values['if-changed'] || (await readListing(folder)).sources !== (await hashSources()))
  await buildOnce(runtime);

async function buildOnce(library: 'preact' | 'react'): Promise<void> {
  const started = performance.now();
  try {
    const development = values.watch;
    const options = { source: join(web, 'driver'), folder, runtime: library, development, firstLoadLimit };
    const { firstLoad } = await buildPage(options);
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    say(`Built the driver app in ${seconds} s: the first load is ${sum(firstLoad)} of ${firstLoadLimit} bytes.`);
    if (!values['if-changed'] && !development) say(shares(firstLoad));
  } catch (error) {
    fail(`The driver app cannot be built: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
