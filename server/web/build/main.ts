import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPage, shares, sum } from './build-page.ts';
import { limitWith } from './bundle.ts';
import { readListing } from './output.ts';
import { pages } from './pages.ts';
import { hashSources, root, sourceFolders, web } from './sources.ts';
import { watchSources } from './watch.ts';

// npm run build:web [-- --if-changed] [--watch] [--runtime react] [--out FOLDER]
// Builds the driver app, the office console and the evidence page, each into a folder of FOLDER. Above the limit of a first load the run
// fails. `--watch` is a part of `npm run dev`: it builds for development.

const { values } = parseArgs({
  options: {
    'if-changed': { type: 'boolean', default: false },
    watch: { type: 'boolean', default: false },
    runtime: { type: 'string', default: 'preact' },
    out: { type: 'string', default: join(web, 'dist') },
  },
});
const { out, runtime, watch: development } = values;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (runtime !== 'preact' && runtime !== 'react') fail(`--runtime is preact or react, not ${runtime}`);
else if (development) {
  const folders = sourceFolders.map((each) => join(root, each));
  await watchSources({ folders, build: () => buildAll(runtime), stopping: untilStopped() });
  process.exitCode = 0;
  // An open channel keeps both programs running.
  if (process.connected) process.disconnect();
} else await buildAll(runtime);

/** Builds every page; with `--if-changed`, only where the sources differ from those of the output. */
async function buildAll(library: 'preact' | 'react'): Promise<void> {
  const present = values['if-changed'] ? await hashSources({ runtime: library, development }) : undefined;
  for (const page of pages) {
    const folder = join(out, page.output);
    if (present === undefined || (await readListing(folder)).sources !== present) await buildOnce(page, library);
  }
}

async function buildOnce(page: (typeof pages)[number], library: 'preact' | 'react'): Promise<void> {
  const { title } = page;
  const started = performance.now();
  const firstLoadLimit = limitWith(library, page.firstLoadLimit);
  try {
    const [source, folder] = [join(web, page.source), join(out, page.output)];
    const single = page.single && { ...page.single, source: join(web, page.single.source) };
    const options = { source, folder, single, runtime: library, development, firstLoadLimit };
    const { firstLoad } = await buildPage(options);
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    if (development) return say(`Built the ${title} in ${seconds} s.`);
    say(`Built the ${title} in ${seconds} s: the first load is ${sum(firstLoad)} of ${firstLoadLimit} bytes.`);
    if (!values['if-changed']) say(shares(firstLoad));
  } catch (error) {
    fail(`The ${title} cannot be built: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** `disconnect`: the program that started this one has ended. */
function untilStopped(): AbortSignal {
  const stopping = new AbortController();
  for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) process.on(event, () => stopping.abort());
  return stopping.signal;
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
