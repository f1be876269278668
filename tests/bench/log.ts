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

/** Taps a second, the load of the target. */
const RATE = 2_000;
const TICK_MS = 5;

/** Milliseconds. */
interface Lags {
  readonly p50: number;
  readonly max: number;
}

interface Round {
  /** From sending to the acknowledgement. */
  readonly acks: Record<'without' | 'with', readonly number[]>;
  /** From the receipt of a tap to the signed checkpoint over its leaf. */
  readonly lag: Lags;
  /** Of a log that begins with all taps waiting. */
  readonly leavesASecond: number;
}

/** log: 2,000 taps a second, beside no log and beside a worker of the log; then the log of a whole backlog. */
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
    const all: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      const { acks: without, leavesASecond } = await withoutLog(deps, fleet);
      const { acks, lag } = await withLog(deps, fleet);
      all.push({ acks: { without, with: acks }, lag, leavesASecond });
    }
    return report(all, phones * mutations);
  } finally {
    await deps.close();
  }
}

async function onServer<Result>(
  deps: Deps,
  work: (child: Child, database: BenchDatabase, dataDir: string) => Promise<Result>,
): Promise<Result> {
  const database = await deps.database('log', 'seed');
  const dataDir = await mkdtemp(join(tmpdir(), 'tailgate-bench-'));
  try {
    const child = await startTailgate(database.url, dataDir);
    try {
      return await work(child, database, dataDir);
    } finally {
      await child.stop();
    }
  } finally {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The taps alone, and then the time of a log that begins with all of them. */
const withoutLog = (deps: Deps, fleet: readonly Phone[]) =>
  onServer(deps, async (child, { url, pool }, dataDir) => {
    const acks = await tapAtPace(child, fleet);
    const start = performance.now();
    const worker = await startLogWorker(url, dataDir);
    try {
      await untilLogged(pool, acks.length);
      return { acks, leavesASecond: (acks.length * 1_000) / (performance.now() - start) };
    } finally {
      await worker.stop();
    }
  });

/** The same taps beside a worker of the log. */
const withLog = (deps: Deps, fleet: readonly Phone[]) =>
  onServer(deps, async (child, { url, pool }, dataDir) => {
    const worker = await startLogWorker(url, dataDir);
    try {
      const acks = await tapAtPace(child, fleet);
      await untilLogged(pool, acks.length);
      return { acks, lag: await lagsOf(pool) };
    } finally {
      await worker.stop();
    }
  });

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
async function tapAtPace(child: Child, fleet: readonly Phone[]): Promise<number[]> {
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
      const due = Math.min(total, Math.floor(((performance.now() - start) * RATE) / 1_000));
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

function report(rounds: readonly Round[], taps: number): Report {
  const median = (values: readonly number[]): number => quantile([...values], 0.5);
  const ackOf = (which: 'without' | 'with', q: number): number =>
    median(rounds.map(({ acks }) => quantile([...acks[which]], q)));
  const row = (what: string, which: 'without' | 'with'): Figure => ({
    what,
    'ack ms p50 / p99': `${ackOf(which, 0.5).toFixed(1)} / ${ackOf(which, 0.99).toFixed(1)}`,
    'lag s p50 / max':
      which === 'without'
        ? ''
        : `${(median(rounds.map(({ lag }) => lag.p50)) / 1_000).toFixed(1)} / ${(Math.max(...rounds.map(({ lag }) => lag.max)) / 1_000).toFixed(1)}`,
  });
  const leaves = median(rounds.map(({ leavesASecond }) => leavesASecond));
  return {
    title: `log: ${RATE} taps a second, ${taps} a round (guard: lag ≤ 10 s, ack with the log ≤ 1.3 × without)`,
    figures: [
      row('without the log', 'without'),
      row('beside a worker of the log', 'with'),
      { what: 'leaves a second, of a backlog', 'ack ms p50 / p99': Math.round(leaves), 'lag s p50 / max': '' },
    ],
    ratios: {
      'times the ack without the log (p50)': ackOf('with', 0.5) / ackOf('without', 0.5),
      'times the ack without the log (p99)': ackOf('with', 0.99) / ackOf('without', 0.99),
    },
  };
}
