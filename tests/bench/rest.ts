import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { migrate } from '../../server/src/db/migrate.ts';
import type { Child } from './child.ts';
import { startRestBaseline, startTailgate } from './child.ts';
import type { Phone } from './fleet.ts';
import { makeFleet } from './fleet.ts';
import type { Deps } from './fixture.ts';
import { median, openDeps, processCpu, quantile, quietLog } from './fixture.ts';
import { peakMemory, residentMemory, resetPeakMemory } from './process-memory.ts';
import type { Figure, Report } from './report.ts';
import { fillRestBaseline } from './rest-baseline.ts';
import type { Shots } from './rest-load.ts';
import { ask, fire, prepare } from './rest-load.ts';
import { download, RestWork, upload, uploadedIds } from './rest-work.ts';

const STOPS = 150;
const LINES = 20;
/** Drivers, each with a route: the same fleet as in `drain`. */
const FLEET = 100;
/** At lower concurrency, fewer requests share a commit. */
const FEW = 32;
const PHOTO = 300_000;
const PHOTOS = 30;
const LARGE = 25 * 1024 * 1024 - 1024;
/** Requests prepared for each load: more than any server takes in the time. */
const MAX_PUTS = 16_000;

const phases = [
  'GET route, whole',
  'GET route, gzip accepted',
  'GET route, after a change',
  'GET route, unchanged (304)',
  'PUT stop, 32 at a time',
  'PUT stop, 100 at a time',
  'asset up, 300 kB',
  'asset down, 300 kB',
] as const;
type Phase = (typeof phases)[number];

/** One phase of one round. */
interface Measured {
  readonly rate: number;
  readonly latencies: readonly number[];
  /** CPU seconds for 1,000 requests. */
  readonly serverCpu: number;
  readonly postgresCpu: number;
  readonly loadCpu: number;
  readonly bytes: number;
  readonly peak: number;
}
/** Bytes of memory that one large file costs. */
interface LargeFile {
  readonly up: number;
  readonly down: number;
}
interface Round {
  readonly phases: ReadonlyMap<Phase, Measured>;
  readonly large: LargeFile;
}

/**
 * rest: the documented REST interface, then the baseline, on the same machine. Each connection sends one request at a
 * time.
 */
export async function rest({ rounds }: { rounds: number }): Promise<Report> {
  const deps = await openDeps();
  try {
    const seed = await deps.database('seed');
    await migrate(seed.url, quietLog);
    const phones = await makeFleet(seed.pool, { phones: FLEET, mutations: 0, stops: STOPS, lines: LINES });
    await seed.close();
    const baselineSeed = await deps.database('baseline_seed');
    await fillRestBaseline(baselineSeed.pool, phones, STOPS, LINES);
    await baselineSeed.close();
    const ours: Round[] = [];
    const baseline: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      ours.push(await measureOurs(deps, phones));
      baseline.push(await measureBaseline(deps, phones));
    }
    return report(ours, baseline);
  } finally {
    await deps.close();
  }
}

async function measureOurs(deps: Deps, phones: readonly Phone[]): Promise<Round> {
  const database = await deps.database('ours', 'seed');
  const dataDir = await mkdtemp(join(tmpdir(), 'tailgate-bench-'));
  const child = await startTailgate(database.url, dataDir);
  try {
    const work = new RestWork(phones, STOPS);
    const large = await measureLargeFile(child);
    const measured = await measurePhases(deps, child, work);
    measured.set(
      'GET route, unchanged (304)',
      await measure(deps, child, await work.unchangedRoute(child.port, reading), reading),
    );
    await expectApplied(database.pool, work.put);
    return { phases: measured, large };
  } finally {
    await child.stop();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measureBaseline(deps: Deps, phones: readonly Phone[]): Promise<Round> {
  const database = await deps.database('baseline', 'baseline_seed');
  const child = await startRestBaseline(database.url);
  try {
    const large = await measureLargeFile(child);
    return { phases: await measurePhases(deps, child, new RestWork(phones, STOPS)), large };
  } finally {
    await child.stop();
    await database.drop();
  }
}

/** Checks that the server did the work: a fast answer without it is not a figure. */
async function expectApplied(pool: pg.Pool, count: number): Promise<void> {
  const { rows } = await pool.query<{ count: number }>(`select count(*) from ledger where result = 'applied'`);
  if (rows[0]?.count !== count) throw new Error(`${rows[0]?.count} of ${count} stop objects were applied`);
}

/** Warm-up until the engine has compiled the measured path. The write path needs longest. */
const reading = { connections: 8, warmSeconds: 0.3, seconds: 1 };
const writing = { warmSeconds: 1.5, seconds: 1.5 };
const files = { connections: 8, warmSeconds: 0.3, seconds: 1 };
type WarmedLoad = typeof reading;

async function measurePhases(deps: Deps, child: Child, work: RestWork): Promise<Map<Phase, Measured>> {
  const photo = upload(PHOTO);
  const photoShot = prepare(photo);
  const run = (shots: Shots, load: WarmedLoad): Promise<Measured> => measure(deps, child, shots, load);
  const put = (connections: number): Promise<Measured> => {
    work.stockUp(connections, MAX_PUTS / connections);
    return run({ next: work.putStop }, { ...writing, connections });
  };
  const measured = new Map<Phase, Measured>();
  measured.set('GET route, whole', await run({ next: work.readRoute }, reading));
  measured.set('GET route, gzip accepted', await run({ next: work.readRouteCompressed }, reading));
  measured.set(
    'GET route, after a change',
    await run({ before: work.putStop, next: work.readRouteCompressed }, reading),
  );
  measured.set('PUT stop, 32 at a time', await put(FEW));
  measured.set('PUT stop, 100 at a time', await put(FLEET));
  measured.set('asset up, 300 kB', await run({ next: () => photoShot }, files));
  const ids = await uploadedIds(child.port, photo, 20);
  const downloads = ids.map((id) => prepare(download(id)));
  const next = (connection: number, turn: number) => downloads[(connection + turn) % ids.length] ?? photoShot;
  measured.set('asset down, 300 kB', await run({ next }, files));
  return measured;
}

async function measure(deps: Deps, child: Child, shots: Shots, load: WarmedLoad): Promise<Measured> {
  await fire(child.port, shots, { ...load, seconds: load.warmSeconds });
  resetPeakMemory(child.pid);
  const [server, postgres, own] = [child.cpu(), deps.postgresCpu(), ownCpu()];
  const { count, seconds, latencies, bytes } = await fire(child.port, shots, load);
  const per1000 = (cpu: number): number => (cpu / count) * 1000;
  return {
    rate: count / seconds,
    latencies,
    serverCpu: per1000(child.cpu() - server),
    postgresCpu: per1000(deps.postgresCpu() - postgres),
    loadCpu: per1000(ownCpu() - own),
    bytes: bytes / count,
    peak: peakMemory(child.pid),
  };
}

/** CPU seconds of this process, which is the load. */
const ownCpu = (): number => processCpu(process.pid);

/** Runs on a server that has already served a stop's photos. Before that, any file grows the engine's heap. */
async function measureLargeFile({ port, pid }: Child): Promise<LargeFile> {
  for (const photo of await uploadedIds(port, upload(PHOTO), PHOTOS)) await ask(port, download(photo));
  const costOf = async <Done>(work: () => Promise<Done>): Promise<{ cost: number; done: Done }> => {
    resetPeakMemory(pid);
    const before = residentMemory(pid);
    const done = await work();
    return { cost: peakMemory(pid) - before, done };
  };
  const up = await costOf(() => uploadedIds(port, upload(LARGE), 1));
  const down = await costOf(() => ask(port, download(up.done[0] ?? '')));
  return { up: up.cost, down: down.cost };
}

const MIB = 1024 * 1024;

function report(ours: readonly Round[], baseline: readonly Round[]): Report {
  const of = (rounds: readonly Round[], phase: Phase): Measured[] =>
    rounds.flatMap((round) => round.phases.get(phase) ?? []);
  const rate = (rounds: readonly Round[], phase: Phase): number => median(of(rounds, phase).map((one) => one.rate));
  const row = (phase: Phase, who: string, all: readonly Measured[]): Figure => {
    const mid = (value: (one: Measured) => number): number => median(all.map(value));
    const latencies = all.flatMap((one) => one.latencies);
    const ms = (q: number): string => quantile(latencies, q).toFixed(1);
    return {
      what: phase,
      who,
      'requests/s': Math.round(mid((one) => one.rate)),
      'ms p50 / p99': `${ms(0.5)} / ${ms(0.99)}`,
      'CPU s / 1,000 (server + PostgreSQL)': `${mid((one) => one.serverCpu).toFixed(2)} + ${mid((one) => one.postgresCpu).toFixed(2)}`,
      'of the load': mid((one) => one.loadCpu).toFixed(2),
      'kB an answer': Math.round(mid((one) => one.bytes) / 1000),
      'peak MiB': Math.round(mid((one) => one.peak) / MIB),
    };
  };
  const figures = phases.flatMap((phase) =>
    [row(phase, 'tailgate', of(ours, phase)), row(phase, 'baseline', of(baseline, phase))].filter(
      (figure) => !Number.isNaN(figure['requests/s']),
    ),
  );
  const both = phases.filter((phase) => of(baseline, phase).length > 0);
  const cost = (rounds: readonly Round[], way: keyof LargeFile): string =>
    (median(rounds.map(({ large }) => large[way])) / MIB).toFixed(0);
  const large = (who: string, rounds: readonly Round[]): string =>
    `${who} ${cost(rounds, 'up')} up, ${cost(rounds, 'down')} down`;
  return {
    title:
      `rest: ${FLEET} routes of ${STOPS} stops × ${LINES} products; GET and files on ${reading.connections} connections. ` +
      `Memory in MiB that one file of 25 MiB costs (target < 30): ${large('tailgate', ours)}; ${large('baseline', baseline)}`,
    figures,
    ratios: Object.fromEntries(
      both.map((phase) => [
        `times the baseline: ${phase}${targets[phase] ?? ''}`,
        rate(ours, phase) / rate(baseline, phase),
      ]),
    ),
  };
}

const targets: { readonly [Name in Phase]?: string } = {
  'GET route, whole': ' (target ≥ 3)',
  'PUT stop, 100 at a time': ' (target ≥ 3)',
};
