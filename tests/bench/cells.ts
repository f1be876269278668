import { setInterval as ticks } from 'node:timers/promises';
import { openCells, STOPS, type Cell, type Cells } from './cell-fixture.ts';
import { median, quantile } from './fixture.ts';
import type { Phone } from './fleet.ts';
import { LockSamples } from './lock-samples.ts';
import { connectPhone, drainPhone } from './phone-link.ts';
import { proportionalMemory } from './process-memory.ts';
import type { Figure, Report } from './report.ts';
import { benchRoute, sealedQueue } from './workload.ts';

/** Pace of the quiet cell's phone. */
const EVERY_MS = 25;

const places = ['together', 'apart'] as const;
type Place = (typeof places)[number];
const inWords: Record<Place, string> = { together: 'in one PostgreSQL', apart: 'in a PostgreSQL each' };

const drains: readonly { readonly name: string; readonly place: Place; readonly count: number }[] = [
  { name: '1', place: 'together', count: 1 },
  ...[2, 4].flatMap((count) => places.map((place) => ({ name: `${count} ${inWords[place]}`, place, count }))),
];

const storms: Readonly<Record<string, { readonly place: Place; readonly isQuiet?: true }>> = {
  'no storm': { place: 'apart', isQuiet: true },
  'storm in another PostgreSQL': { place: 'apart' },
  'storm in the same PostgreSQL': { place: 'together' },
};

interface Drained {
  readonly rate: number;
  readonly serverCpu: number;
  readonly postgresCpu: number;
  readonly memory: number;
  readonly connections: number;
  readonly waits: LockSamples;
}

/**
 * cells: the queues of 1, 2 and 4 cells drain at the same time, the same number of changes in total, each cell with a serving
 * process of its own; in one PostgreSQL, and in one each. Then a phone of a quiet cell sends a change every 25 ms: alone,
 * beside the storm of a cell in another PostgreSQL of the same machine, and beside one in its own PostgreSQL.
 *
 * @throws Error where a cell waits for a lock of another one, other than that of NOTIFY
 */
export async function cells({
  rounds,
  phones = 48,
  mutations = 100,
}: {
  rounds: number;
  phones?: number;
  mutations?: number;
}): Promise<Report> {
  const all = await openCells([phones, phones / 2, phones / 4, phones / 4].map(Math.ceil));
  const drained = drains.map((): Drained[] => []);
  const acks = new Map(Object.keys(storms).map((name): [string, number[]] => [name, []]));
  let run = 0;
  /** Later edits than those of the queues before, so that none of them loses. */
  const seal = (count: number): string[][] => {
    const first = new Date(Date.now() - 7_200_000 + run++ * mutations * 1_000);
    return Array.from({ length: count }, (_, n) => sealedQueue(benchRoute(n), mutations, STOPS, first));
  };
  try {
    // Each process runs its code once before the measurement.
    for (const cell of new Set([...all.together, ...all.apart])) await drainPhones(cell, seal(4));
    for (let round = 0; round < rounds; round++) {
      for (const [n, { place, count }] of drains.entries())
        drained[n]?.push(await drainAll(all[place].slice(0, count), seal(Math.floor(phones / count))));
      for (const [name, storm] of Object.entries(storms))
        acks.get(name)?.push(...(await tapBeside(all[storm.place], seal(phones), !storm.isQuiet)));
    }
  } finally {
    await all.close();
  }
  return {
    title: `cells: a serving process a cell, ${phones} phones × ${mutations} queued mutations in total, ${rounds} rounds`,
    figures: [...drains.map(({ name }, n) => figureOf(name, drained[n] ?? [])), ...[...acks].map(ackFigure)],
    ratios: ratiosOf(acks),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const withQueue = (driver: Phone, items: readonly string[]): Phone => ({
  ...driver,
  clientId: crypto.randomUUID(),
  items,
});

const drainPhones = ({ child, drivers }: Cell, queues: readonly (readonly string[])[]): Promise<unknown> =>
  Promise.all(
    drivers.slice(0, queues.length).map((driver, n) => drainPhone(child, withQueue(driver, queues[n] ?? []))),
  );

/** Every cell drains these queues. */
async function drainAll(all: Cells[Place], queues: readonly (readonly string[])[]): Promise<Drained> {
  const count = all.length * sum(queues.map(({ length }) => length));
  const postgres = [...new Set(all.map(({ deps }) => deps))];
  const serverCpu = (): number => sum(all.map(({ child }) => child.cpu()));
  const postgresCpu = (): number => sum(postgres.map((deps) => deps.postgresCpu()));
  const [server, database, start] = [serverCpu(), postgresCpu(), performance.now()];
  const waits = new LockSamples();
  await waits.during(all, Promise.all(all.map((cell) => drainPhones(cell, queues))));
  const seconds = (performance.now() - start) / 1_000;
  return {
    rate: count / seconds,
    serverCpu: ((serverCpu() - server) / count) * 1_000,
    postgresCpu: ((postgresCpu() - database) / count) * 1_000,
    memory: median(all.map(({ child }) => proportionalMemory(child.pid))),
    connections: median(await Promise.all(all.map((cell) => cell.connections()))),
    waits,
  };
}

/** @returns milliseconds from sending to acknowledgement, of each change of the second cell's phone */
async function tapBeside(
  [storming, quiet]: readonly Cell[],
  queues: readonly (readonly string[])[],
  hasStorm: boolean,
): Promise<number[]> {
  const [driver] = quiet?.drivers ?? [];
  if (!storming || !quiet || !driver) throw new Error('two cells were opened');
  const ended = new AbortController();
  const storm = hasStorm ? drainPhones(storming, queues).finally(() => ended.abort()) : undefined;
  const [times] = await Promise.all([tap(quiet, withQueue(driver, queues[0] ?? []), ended.signal), storm]);
  return times;
}

/** Sends the changes of a phone at its pace, until there are no more, or the signal. */
function tap({ child }: Cell, phone: Phone, ended: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  const sentAt: number[] = [];
  let isLast = false;
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      if (!isLast || times.length < sentAt.length) return;
      link.socket.terminate();
      resolve(times);
    };
    const send = async (): Promise<void> => {
      for await (const _tick of ticks(EVERY_MS)) {
        const item = phone.items[sentAt.length];
        isLast = item === undefined || ended.aborted;
        if (isLast) break;
        sentAt.push(performance.now());
        link.socket.send(`{"type":"push","mutations":[${item}]}`);
      }
      finish();
    };
    const link = connectPhone(child, phone, {}, (frame) => {
      if (frame.type === 'welcome') void send();
      else if (frame.type === 'ack') {
        for (const { seq } of frame.results) times.push(performance.now() - (sentAt[seq - 1] ?? 0));
        finish();
      } else if (frame.type === 'reject' || frame.type === 'error') reject(new Error(JSON.stringify(frame)));
    });
    link.socket.once('error', reject);
  });
}

function figureOf(name: string, runs: readonly Drained[]): Figure {
  const of = (read: (run: Drained) => number): number => median(runs.map(read));
  return {
    cells: name,
    'mutations/s': Math.round(of(({ rate }) => rate)),
    'CPU s / 1,000 (servers + PostgreSQL)': `${of(({ serverCpu }) => serverCpu).toFixed(3)} + ${of(({ postgresCpu }) => postgresCpu).toFixed(3)}`,
    'MB a process': Math.round(of(({ memory }) => memory) / 1024 / 1024),
    'connections a cell': of(({ connections }) => connections),
    'busy sessions': LockSamples.describe(runs.map(({ waits }) => waits)),
    runs: runs.map(({ rate }) => Math.round(rate)).join(' '),
  };
}

const ackFigure = ([name, times]: readonly [string, readonly number[]]): Figure => ({
  cells: `a quiet one, ${name}`,
  'ack ms p50 / p99': `${quantile(times, 0.5).toFixed(1)} / ${quantile(times, 0.99).toFixed(1)}`,
  runs: `${times.length} taps`,
});

function ratiosOf(acks: ReadonlyMap<string, readonly number[]>): Report['ratios'] {
  const [, apart = [], together = []] = [...acks.values()];
  const ratio = (q: number): number => quantile(together, q) / quantile(apart, q);
  return {
    'ack of a quiet cell beside a storm, p50: in the same PostgreSQL, by in another one': ratio(0.5),
    'the same, p99': ratio(0.99),
  };
}
