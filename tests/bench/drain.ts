import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { migrate } from '../../server/src/db/migrate.ts';
import { baselineBodies, drainIntoBaseline, fillBaseline } from './baseline.ts';
import { startBaseline, startTailgate } from './child.ts';
import type { FleetSize, Phone } from './fleet.ts';
import { makeFleet } from './fleet.ts';
import type { Deps } from './fixture.ts';
import { median, openDeps, quietLog } from './fixture.ts';
import { drainPhone } from './phone-link.ts';
import { recordPipeline, replayOn } from './raw-limit.ts';
import type { RecordedQuery } from './recorded.ts';
import type { Figure, Report } from './report.ts';

/**
 * drain: phones with full queues reconnect at once. The time is from the first connection to the last acknowledgement,
 * with fsync on. The report adds the baseline and the raw limit: the recorded statements of the drain, replayed by SQL
 * alone over two connections.
 */
export async function drain({
  rounds,
  phones = 100,
  mutations = 50,
}: {
  rounds: number;
  phones?: number;
  mutations?: number;
}): Promise<Report> {
  const size = { phones, mutations, stops: 50, lines: 20 };
  const deps = await openDeps();
  try {
    const seed = await deps.database('seed');
    await migrate(seed.url, quietLog);
    const fleet = await makeFleet(seed.pool, size);
    await seed.close();
    const recorded = await recordPipeline(deps, fleet, 50);
    const ours: Measured[] = [];
    const raw: Measured[] = [];
    const baseline: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      raw.push(await drainRaw(deps, recorded, fleet));
      ours.push(await drainOurs(deps, fleet));
      baseline.push(await drainBaseline(deps, fleet, size));
    }
    return report(size, { ours, raw, baseline });
  } finally {
    await deps.close();
  }
}

interface Measured {
  readonly rate: number;
  /** CPU seconds for 1,000 mutations, server and PostgreSQL. */
  readonly serverCpu: number;
  readonly postgresCpu: number;
}

async function measured(
  deps: Deps,
  count: number,
  serverCpu: () => number,
  work: () => Promise<void>,
): Promise<Measured> {
  const [server, postgres, start] = [serverCpu(), deps.postgresCpu(), performance.now()];
  await work();
  const seconds = (performance.now() - start) / 1000;
  const per1000 = (cpu: number): number => (cpu / count) * 1000;
  return {
    rate: count / seconds,
    serverCpu: per1000(serverCpu() - server),
    postgresCpu: per1000(deps.postgresCpu() - postgres),
  };
}

const countOf = (fleet: readonly Phone[]): number => fleet.reduce((sum, { items }) => sum + items.length, 0);

async function drainOurs(deps: Deps, fleet: readonly Phone[]): Promise<Measured> {
  const database = await deps.database('ours', 'seed');
  const dataDir = await mkdtemp(join(tmpdir(), 'tailgate-bench-'));
  const child = await startTailgate(database.url, dataDir);
  try {
    const result = await measured(
      deps,
      countOf(fleet),
      () => child.cpu(),
      async () => {
        await Promise.all(fleet.map((phone) => drainPhone(child, phone)));
      },
    );
    await expectLedger(database.pool, countOf(fleet));
    return result;
  } finally {
    await child.stop();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function expectLedger(pool: pg.Pool, count: number): Promise<void> {
  const { rows } = await pool.query<{ count: number }>(`select count(*) from ledger where result = 'applied'`);
  if (rows[0]?.count !== count) throw new Error(`the ledger has ${rows[0]?.count} of ${count}`);
}

async function drainBaseline(deps: Deps, fleet: readonly Phone[], size: FleetSize): Promise<Measured> {
  const database = await deps.database('baseline');
  await fillBaseline(database.pool, fleet, size.stops);
  const child = await startBaseline(database.url);
  const bodies = fleet.map((phone, n) => baselineBodies(phone, `B${n}`));
  try {
    return await measured(
      deps,
      countOf(fleet),
      () => child.cpu(),
      () => drainIntoBaseline(child, bodies),
    );
  } finally {
    await child.stop();
    await database.drop();
  }
}

/** Two connections: the upper limit for any program that writes the same rows. */
async function drainRaw(
  deps: Deps,
  transactions: readonly RecordedQuery[][],
  fleet: readonly Phone[],
): Promise<Measured> {
  const own = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
  return replayOn(deps, fleet, (run) => {
    const waiting = transactions.values();
    const connection = async (): Promise<void> => {
      for (const transaction of waiting) await run(transaction);
    };
    return measured(deps, countOf(fleet), own, async () => {
      await Promise.all([connection(), connection()]);
    });
  });
}

function report(size: FleetSize, { ours, raw, baseline }: Record<'ours' | 'raw' | 'baseline', Measured[]>): Report {
  const rate = (all: Measured[]): number => median(all.map((one) => one.rate));
  const cpu = (all: Measured[]): string =>
    `${median(all.map((one) => one.serverCpu)).toFixed(3)} + ${median(all.map((one) => one.postgresCpu)).toFixed(3)}`;
  const row = (what: string, all: Measured[]): Figure => ({
    what,
    'mutations/s': Math.round(rate(all)),
    'CPU s / 1,000 (server + PostgreSQL)': cpu(all),
    runs: all.map((one) => Math.round(one.rate)).join(' '),
  });
  return {
    title: `drain: ${size.phones} phones × ${size.mutations} queued mutations, stops of ${size.lines} lines`,
    figures: [
      row('raw limit (the same statements, SQL alone)', raw),
      row('tailgate', ours),
      row('baseline (one POST, one transaction)', baseline),
    ],
    ratios: {
      'of the raw limit (guard ≥ 0.25)': rate(ours) / rate(raw),
      'times the baseline (guard ≥ 4)': rate(ours) / rate(baseline),
    },
  };
}
