import { drainBacklog } from './backlog.ts';
import { collectWhileHostIsDown } from './host-down.ts';
import { killWorkerAtEachStep } from './killed-worker.ts';
import { findAllMistakes } from './patches.ts';

// What takes minutes and is no part of the suite: `npm run soak`, or some of it by name.

const menu: { readonly [name: string]: () => boolean | Promise<boolean> } = {
  patches: findAllMistakes,
  'host-down': collectWhileHostIsDown,
  backlog: drainBacklog,
  'killed-worker': killWorkerAtEachStep,
};

const asked = process.argv.slice(2);
const strange = asked.filter((name) => !Object.hasOwn(menu, name));
if (strange.length > 0) {
  console.error(
    `npm run soak [-- NAME…]; no such name: ${strange.join(', ')}; there are ${Object.keys(menu).join(', ')}`,
  );
  process.exitCode = 1;
} else
  for (const [name, run] of Object.entries(menu)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    console.log(`== ${name}`);
    if (!(await run())) process.exitCode = 1;
  }
