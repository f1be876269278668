import { readWords, runProgram } from '../../server/src/runtime/command-line.ts';
import { StartError } from '../../server/src/runtime/start-error.ts';
import { drainBacklog } from './backlog.ts';
import { collectWhileHostIsDown } from './host-down.ts';
import { killAppAtEachOperation, killWorkerAtEachStep, killWorkerTwice } from './killed-worker.ts';
import { findAllMistakes } from './patches.ts';
import { testPagesWithReact } from './react-pages.ts';
import { runSlowTests, runWithIbmDb } from './suites.ts';

// Runs of minutes, which are not part of the suite: all by `npm run soak`, or some by name.

const menu: { readonly [name: string]: () => Promise<boolean> } = {
  suites: runSlowTests,
  db2: runWithIbmDb,
  patches: findAllMistakes,
  'host-down': collectWhileHostIsDown,
  backlog: drainBacklog,
  'killed-worker': killWorkerAtEachStep,
  'killed-twice': killWorkerTwice,
  'killed-app': killAppAtEachOperation,
  'react-pages': testPagesWithReact,
};

const names = Object.keys(menu).join(', ');

await runProgram(`npm run soak [-- NAME…]    all of ${names}, or some`, async (argv) => {
  const { positionals: asked } = readWords(argv, {});
  const unknown = asked.filter((name) => !Object.hasOwn(menu, name));
  if (unknown.length > 0) throw new StartError(`nothing is named ${unknown.join(', ')}: there are ${names}`);
  for (const [name, run] of Object.entries(menu)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    console.log(`== ${name}`);
    if (!(await run())) process.exitCode = 1;
  }
});
