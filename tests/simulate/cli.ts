import { parseArgs } from 'node:util';
import { migrate } from '../../server/src/db/migrate.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { endTestCluster, startTestCluster } from '../support/test-cluster.ts';
import { openDepot } from './depot.ts';
import { simulateAll } from './simulation.ts';

// npm run simulate -- --seed N --steps M [--seeds K] [--story]: K worlds from seed N on, M steps each,
// in a throw-away PostgreSQL. Ends with 1 where a promise was broken.

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '80' },
    seeds: { type: 'string', default: '1' },
    story: { type: 'boolean', default: false },
  },
});
const [first, steps, count] = [Number(values.seed), Number(values.steps), Number(values.seeds)];
/** Worlds that share a dispatch: all would make the first one wait. */
const AT_ONCE = 200;

const cluster = await startTestCluster();
try {
  await migrate(cluster.url, recordedLog());
  const depot = await openDepot(cluster.url);
  try {
    for (let from = first; from < first + count; from += AT_ONCE)
      await run(Array.from({ length: Math.min(AT_ONCE, first + count - from) }, (_, n) => from + n));
  } finally {
    await depot.close();
  }

  async function run(seeds: readonly number[]): Promise<void> {
    await depot.dispatch(seeds);
    const { broken, stories } = await simulateAll(depot, seeds, steps);
    for (const message of broken) console.error(message);
    if (values.story) for (const [seed, story] of stories) console.log([`seed ${seed}`, ...story].join('\n'));
    console.log(`seeds ${seeds[0]} to ${seeds.at(-1)}: ${stories.size} worlds kept every promise`);
    if (broken.length > 0) process.exitCode = 1;
  }
} finally {
  await endTestCluster(cluster, []);
}
