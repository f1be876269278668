import pg from 'pg';
import { countOf, readWords, runProgram } from '../../server/src/runtime/command-line.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { StartError } from '../../server/src/runtime/start-error.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { endTestCluster, startTestCluster } from '../support/test-cluster.ts';
import { censusOf } from './census.ts';
import { openDepot, type Depot, type NewDatabase } from './depot.ts';
import { drawMutants, finderOf } from './mutants.ts';
import { simulateAll } from './simulation.ts';

const help = `npm run simulate -- [--seed N] [--steps M] [--seeds K] [--events] [--census] [--until-broken]
npm run simulate -- --mutants [--seed N] [--seeds K]
K worlds (1) from seed N (1) on, M steps (80) each, in a throw-away PostgreSQL; --events prints their events,
--census counts each kind of event,
--until-broken begins no further world after the first violation.
--mutants draws K mistakes (15) in the server from seed N and prints which world or test finds each. A seed draws the same
ones only from the same code: those of docs/decisions/0136 are --mutants --seed 1 --seeds 15 in a checkout of f3bc3fee.
Exits with 1 where an invariant was violated, a kind of event missing in the census, or a mistake was not found.`;

/** Mistakes that `--mutants` draws where no number is given: those of decision 136. */
const MUTANTS = '15';
/** Worlds that share a dispatch. One dispatch for all would make the first world wait. */
const DISPATCH_BATCH = 200;
/** A search for the first violation begins sooner with fewer. */
const FIRST_BATCH = 25;

await runProgram(help, async (argv) => {
  const { values, positionals } = readWords(argv, {
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '80' },
    seeds: { type: 'string' },
    events: { type: 'boolean', default: false },
    census: { type: 'boolean', default: false },
    'until-broken': { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
  });
  if (positionals.length > 0) throw new StartError(`npm run simulate takes options only, got ${positionals.join(' ')}`);
  const [first, steps] = [countOf('seed', values.seed, 0), countOf('steps', values.steps)];
  const count = countOf('seeds', values.seeds ?? (values.mutants ? MUTANTS : '1'));
  if (values.mutants) return findMutants(first, count);
  const end = first + count;
  await inCluster(async (depot) => {
    const until = values['until-broken'] ? 'broken' : 'end';
    const logs: (readonly string[])[] = [];
    const batch = until === 'broken' ? FIRST_BATCH : DISPATCH_BATCH;
    for (let from = first; from < end; from += batch) {
      const seeds = Array.from({ length: Math.min(batch, end - from) }, (_, n) => from + n);
      const isBroken = await play(depot, seeds, { steps, printsLog: values.events, until, logs });
      if (isBroken && until === 'broken') break;
    }
    if (values.census) printCensus(logs);
  });
});

function printCensus(logs: readonly (readonly string[])[]): void {
  for (const { name, events, worlds } of censusOf(logs)) {
    console.log(`${name}: ${events} in ${worlds} worlds`);
    if (events === 0) process.exitCode = 1;
  }
}

async function findMutants(seed: number, count: number): Promise<void> {
  for (const mutant of drawMutants(seed, count)) {
    const { file, line, before, after } = mutant;
    console.log(`${file}:${line}\n  - ${before.trim()}\n  + ${after.trim()}`);
    const finder = await finderOf(mutant);
    console.log(`  ${finder}`);
    if (finder === 'nothing') process.exitCode = 1;
  }
}

async function inCluster(work: (depot: Depot) => Promise<void>): Promise<void> {
  const cluster = await startTestCluster();
  try {
    const depot = await openDepot(await databasesIn(cluster.url));
    try {
      await work(depot);
    } finally {
      await depot.close();
    }
  } finally {
    await endTestCluster(cluster, []);
  }
}

/** Databases of a cluster, copied from one with all migrations. @param url of its database `postgres` */
async function databasesIn(url: string): Promise<() => Promise<NewDatabase>> {
  const admin = async (text: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  };
  const addressOf = (name: string): string => url.replace(/\/postgres$/, `/${name}`);
  await admin('create database migrated');
  await migrate(addressOf('migrated'), recordedLog());
  let count = 0;
  return async () => {
    const name = `worlds_${++count}`;
    await admin(`create database ${name} template migrated strategy file_copy`);
    return { url: addressOf(name), drop: () => admin(`drop database ${name} with (force)`) };
  };
}

async function play(
  depot: Depot,
  seeds: readonly number[],
  {
    steps,
    printsLog,
    until,
    logs,
  }: {
    readonly steps: number;
    readonly printsLog: boolean;
    readonly until: 'end' | 'broken';
    readonly logs: (readonly string[])[];
  },
): Promise<boolean> {
  await depot.dispatch(seeds);
  const { broken, eventLogs } = await simulateAll(depot, seeds, steps, until);
  logs.push(...eventLogs.values());
  for (const message of broken) console.error(message);
  if (printsLog) for (const [seed, eventLog] of eventLogs) console.log([`seed ${seed}`, ...eventLog].join('\n'));
  console.log(`seeds ${seeds[0]} to ${seeds.at(-1)}: ${eventLogs.size} worlds satisfied every invariant`);
  if (broken.length > 0) process.exitCode = 1;
  return broken.length > 0;
}
