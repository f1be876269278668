import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setInterval as ticks } from 'node:timers/promises';
import { migrate } from '../../server/src/db/migrate.ts';
import { startLogWorker, startTailgate, type Child } from './child.ts';
import type { Phone } from './fleet.ts';
import { makeFleet } from './fleet.ts';
import { openDeps, quantile, quietLog, type BenchDatabase, type Deps } from './fixture.ts';
import { connectPhone } from './phone-link.ts';
import type { Figure, Report } from './report.ts';

/** Taps a second: a load that leaves room, and the target, which fills two cores. Each lasts as long. */
const RATES = [500, 2_000] as const;
const FULL_RATE = 2_000;
const TICK_MS = 5;

/** Milliseconds. */
interface Lags {
  readonly p50: number;
  readonly max: number;
}

/** Who keeps the log: `beside` a process of its own; `within` the process that takes the taps. */
const places = ['none', 'beside', 'within'] as const;
type Place = (typeof places)[number];

interface Measured {
  readonly rate: number;
  readonly place: Place;
  /** From sending to the acknowledgement. */
  readonly acks: readonly number[];
  /** From the receipt of a tap to the signed checkpoint over its leaf. */
  readonly lag: Lags | undefined;
  /** Of a log that begins with all taps waiting. */
  readonly leavesASecond: number | undefined;
}

/** log: taps at two rates without a log, and with one; then the log of a whole backlog. */
export async function log({
  rounds,
  phones = 200,
  mutations = 100,
}: {
  rounds: number;
  phones?: number;
  mutations?: number;
}): Promise<Report> {
  const deps = await openDeps();
  try {
    const seed = await deps.database('seed');
    await migrate(seed.url, quietLog);
    const fleet = await makeFleet(seed.pool, { phones, mutations, stops: 50, lines: 20 });
    await seed.close();
    const all: Measured[] = [];
    for (let round = 0; round < rounds; round++)
      for (const rate of RATES) {
        const part = fleet.map((phone) => ({
          ...phone,
          items: phone.items.slice(0, (phone.items.length * rate) / FULL_RATE),
        }));
        for (const place of places) all.push(await measure(deps, part, rate, place));
      }
    return report(all, (phones * mutations) / FULL_RATE);
  } finally {
    await deps.close();
  }
}

async function measure(deps: Deps, fleet: readonly Phone[], rate: number, place: Place): Promise<Measured> {
  const database = await deps.database('log', 'seed');
  const dataDir = await mkdtemp(join(tmpdir(), 'tailgate-bench-'));
  const [role, settings] = [place === 'within' ? 'all' : 'api', { LEGACY_MODE: 'off', LOG_LEVEL: 'error' }];
  try {
    // No facility replicates: of the worker's tasks only the log has work.
    const child = await startTailgate(database.url, dataDir, role, [], settings);
    const { url, pool } = database;
    let worker = place === 'beside' ? await startLogWorker(url, dataDir) : undefined;
    try {
      const acks = await tapAtPace(child, fleet, rate);
      const start = performance.now();
      if (place === 'none') worker = await startLogWorker(url, dataDir);
      await untilLogged(pool, acks.length);
      const leavesASecond = place === 'none' ? (acks.length * 1_000) / (performance.now() - start) : undefined;
      const lag = place === 'none' ? undefined : await lagsOf(pool);
      return { rate, place, acks, lag, leavesASecond };
    } finally {
      await worker?.stop();
      await child.stop();
    }
  } finally {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function untilLogged(pool: BenchDatabase['pool'], taps: number): Promise<void> {
  for (let logged = 0; logged < taps;) {
    const { rows } = await pool.query<{ n: number }>(
      `select coalesce(sum(size), 0)::int as n, pg_sleep(0.05) from log where facility = 'F01'`,
    );
    logged = rows[0]?.n ?? 0;
  }
}

async function lagsOf(pool: BenchDatabase['pool']): Promise<Lags> {
  const { rows } = await pool.query<{ p50: number; max: number }>(
    `select percentile_cont(0.5) within group (order by lag) as p50, max(lag) as max from (
       select extract(epoch from c.signed_at - l.received_at)::float8 * 1000 as lag
         from ledger l join log_leaf f on f.facility = l.facility and f.kind = 'mutation' and f.source = l.id::text
        cross join lateral (select k.signed_at from log_checkpoint k
                             where k.facility = f.facility and k.generation = f.generation and k.size > f.leaf_index
                             order by k.size limit 1) c) lags`,
  );
  const [row] = rows;
  if (!row) throw new Error('the log has no leaf');
  return row;
}

/** Every phone in turn sends its next tap; a late tick sends what is due. @returns the waits for acknowledgements */
async function tapAtPace(child: Child, fleet: readonly Phone[], rate: number): Promise<number[]> {
  const acks: number[] = [];
  const total = fleet.reduce((sum, { items }) => sum + items.length, 0);
  const sentAt = fleet.map((): number[] => []);
  const done = Promise.withResolvers<void>();
  const links = await Promise.all(
    fleet.map(
      (phone, n) =>
        new Promise<ReturnType<typeof connectPhone>>((resolve, reject) => {
          const link = connectPhone(child, phone, {}, (frame) => {
            if (frame.type === 'welcome') resolve(link);
            else if (frame.type === 'ack') {
              for (const { seq } of frame.results) acks.push(performance.now() - (sentAt[n]?.[seq - 1] ?? 0));
              if (acks.length === total) done.resolve();
            } else if (frame.type === 'reject' || frame.type === 'error') {
              const error = new Error(JSON.stringify(frame));
              reject(error);
              done.reject(error);
            }
          });
        }),
    ),
  );
  try {
    const start = performance.now();
    let sent = 0;
    for await (const _tick of ticks(TICK_MS)) {
      const due = Math.min(total, Math.floor(((performance.now() - start) * rate) / 1_000));
      for (; sent < due; sent++) {
        const n = sent % fleet.length;
        const item = fleet[n]?.items[Math.floor(sent / fleet.length)];
        sentAt[n]?.push(performance.now());
        links[n]?.socket.send(`{"type":"push","mutations":[${item}]}`);
      }
      if (sent === total) break;
    }
    await done.promise;
    return acks;
  } finally {
    for (const { socket } of links) socket.terminate();
  }
}

function report(all: readonly Measured[], seconds: number): Report {
  const median = (values: readonly number[]): number => quantile([...values], 0.5);
  const of = (rate: number, place: Place): Measured[] => all.filter((one) => one.rate === rate && one.place === place);
  const ack = (rate: number, place: Place, q: number): number =>
    median(of(rate, place).map(({ acks }) => quantile([...acks], q)));
  const inSeconds = (ms: number): string => (ms / 1_000).toFixed(1);
  const row = (rate: number, place: Place): Figure => {
    const lags = of(rate, place).flatMap(({ lag }) => lag ?? []);
    const [p50, max] = [median(lags.map((lag) => lag.p50)), Math.max(...lags.map((lag) => lag.max))];
    return {
      what: `${rate} taps a second, ${titles[place]}`,
      'ack ms p50 / p99': `${ack(rate, place, 0.5).toFixed(1)} / ${ack(rate, place, 0.99).toFixed(1)}`,
      'lag s p50 / max': lags.length > 0 ? `${inSeconds(p50)} / ${inSeconds(max)}` : '',
    };
  };
  const leaves = median(of(FULL_RATE, 'none').flatMap(({ leavesASecond }) => leavesASecond ?? []));
  const ratio = (rate: number, place: Place): [string, number] => [
    `times the ack p50 without the log: ${rate} a second, ${titles[place]}`,
    ack(rate, place, 0.5) / ack(rate, 'none', 0.5),
  ];
  const ratios = RATES.flatMap((rate) => [ratio(rate, 'beside'), ratio(rate, 'within')]);
  return {
    title: `log: taps for ${seconds} s (guard: lag ≤ 10 s, ack with the log ≤ 1.3 × without)`,
    figures: [
      ...RATES.flatMap((rate) => places.map((place) => row(rate, place))),
      { what: 'leaves a second, of a backlog', 'ack ms p50 / p99': Math.round(leaves), 'lag s p50 / max': '' },
    ],
    ratios: Object.fromEntries(ratios),
  };
}

const titles = {
  none: 'without the log',
  beside: 'beside a worker of the log',
  within: 'the log in the same process',
} as const;
