import { countOf, readWords, runProgram } from '../../server/src/runtime/command-line.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { StartError } from '../../server/src/runtime/start-error.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { endTestCluster, startTestCluster } from '../support/test-cluster.ts';
import { openDepot, type Depot } from './depot.ts';
import { simulateAll } from './simulation.ts';

const help = `npm run simulate -- [--seed N] [--steps M] [--seeds K] [--story]
K worlds (1) from seed N (1) on, M steps (80) each, in a throw-away PostgreSQL; --story tells what happened in them.
Ends with 1 where a promise was broken.`;

/** Worlds that share a dispatch. One dispatch for all would make the first world wait. */
const AT_ONCE = 200;

await runProgram(help, async (argv) => {
  const { values, positionals } = readWords(argv, {
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '80' },
    seeds: { type: 'string', default: '1' },
    story: { type: 'boolean', default: false },
  });
  if (positionals.length > 0) throw new StartError(`npm run simulate takes options only, got ${positionals.join(' ')}`);
  const [first, steps] = [countOf('seed', values.seed, 0), countOf('steps', values.steps)];
  const end = first + countOf('seeds', values.seeds);
  await inCluster(async (depot) => {
    for (let from = first; from < end; from += AT_ONCE) {
      const seeds = Array.from({ length: Math.min(AT_ONCE, end - from) }, (_, n) => from + n);
      await play(depot, seeds, { steps, tells: values.story });
    }
  });
});

async function inCluster(work: (depot: Depot) => Promise<void>): Promise<void> {
  const cluster = await startTestCluster();
  try {
    await migrate(cluster.url, recordedLog());
    const depot = await openDepot(cluster.url);
    try {
      await work(depot);
    } finally {
      await depot.close();
    }
  } finally {
    await endTestCluster(cluster, []);
  }
}

async function play(
  depot: Depot,
  seeds: readonly number[],
  { steps, tells }: { readonly steps: number; readonly tells: boolean },
): Promise<void> {
  await depot.dispatch(seeds);
  const { broken, stories } = await simulateAll(depot, seeds, steps);
  for (const message of broken) console.error(message);
  if (tells) for (const [seed, story] of stories) console.log([`seed ${seed}`, ...story].join('\n'));
  console.log(`seeds ${seeds[0]} to ${seeds.at(-1)}: ${stories.size} worlds kept every promise`);
  if (broken.length > 0) process.exitCode = 1;
}
