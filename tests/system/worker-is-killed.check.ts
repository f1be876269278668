import { expect, test } from 'vitest';
import { Chance } from '../simulate/chance.ts';
import { KilledWorker, OVER, type Step } from './killed-worker.ts';

// `KILL_SEED=… npm run test:long -- worker-is-killed` chooses the same steps again; KILL_STEPS=all takes every one
// (`npm run soak -- killed-worker`).
const { KILL_SEED: givenSeed, KILL_STEPS: wanted } = process.env;
const seed = Number(givenSeed ?? Math.floor(Math.random() * 2 ** 31));
/** A process has to start again after each. */
const STEP_TIMEOUT_MS = 60_000;
/** Lease, mirror, one transaction with two stops, the log, and the record of the result. */
const FEWEST_STEPS = 10;

test(
  'worker killed -9 at each step: another one ends with every row once, right and in order, and each driver’s receipt',
  async ({ annotate }) => {
    const story = await KilledWorker.open();
    const steps = await story.learnSteps();
    expect(steps.length).toBeGreaterThan(FEWEST_STEPS);
    await annotate(`KILL_SEED=${seed}`);
    for (const { step, again } of wanted === 'all' ? eachStep(steps) : oneOfEachPhase(steps)) {
      await annotate(`killed before ${step.nth}× ${step.name}`);
      if (again) await annotate(`and the next one before ${again.name}`);
      await story.killBefore(step, again);
      const { host, changes, written, logged, trouble } = await story.poll();
      expect(host).toEqual(story.expected());
      // Each change once, in order, with one receipt each.
      expect(written).toHaveLength(changes);
      expect(written).toEqual([...new Set(written)].toSorted((a, b) => a - b));
      expect(logged).toEqual(written);
      // No write counts as a clerk's, and nothing waits for a person.
      expect(trouble).toEqual([{ notTheDrivers: 0, parked: 0, incidents: 0 }]);
    }
  },
  wanted === 'all' ? 60 * STEP_TIMEOUT_MS : 4 * STEP_TIMEOUT_MS,
);

interface Kill {
  readonly step: Step;
  /** The step at which the next worker is killed while it settles the remains of this one. */
  readonly again?: Step;
}

/** The log message of every worker that settles something. */
const SETTLING = /^mirror: (lease_claim|replicate_(route|stops|settle))$/;

const eachStep = (steps: readonly Step[]): Kill[] => steps.map((step) => ({ step }));

/**
 * While it writes on the host; when a stop is committed there and not recorded, and the next one until it writes or
 * records; when all is recorded.
 */
function oneOfEachPhase(steps: readonly Step[]): Kill[] {
  const chance = new Chance(seed);
  const first = (prefix: string) => steps.findIndex(({ name }) => name.startsWith(`host: ${prefix}`)) + 1;
  const [begun, committed] = [first(''), first('commit')];
  const again = chance.one(steps.filter(({ name }) => SETTLING.test(name)));
  return [
    { step: chance.one(steps.slice(begun, committed)) },
    { step: chance.one(steps.slice(committed, -1)), again },
    { step: OVER },
  ];
}
