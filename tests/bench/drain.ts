import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import { codeBook } from '../../server/src/codes/code-book.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import type { Connection } from '../../server/src/db/types.ts';
import { openPipeline } from '../../server/src/mutations/pipeline.ts';
import { bossWakeups, createQueues } from '../../server/src/mutations/wakeups.ts';
import { baselineBodies, drainIntoBaseline, fillBaseline } from './baseline.ts';
import { startBaseline, startTailgate } from './child.ts';
import type { FleetSize, Phone } from './fleet.ts';
import { makeFleet } from './fleet.ts';
import type { Ground } from './ground.ts';
import { median, openGround, quietLog } from './ground.ts';
import { drainPhone } from './phone-link.ts';
import type { RecordedQuery } from './recorded.ts';
import { recordingDb } from './recorded.ts';
import type { Figure, Report } from './report.ts';

/**
 * drain: phones with full queues reconnect at once; measured from the first connection to the last acknowledgement,
 * everything durable (fsync on). Beside it the baseline, and the raw limit: the very statements of the drain, recorded
 * and run again by SQL alone over two connections.
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
  const ground = await openGround();
  try {
    const seed = await ground.database('seed');
    await migrate(seed.url, quietLog);
    await withBoss(seed.url, createQueues);
    const fleet = await makeFleet(seed.pool, size);
    await seed.close();
    const recorded = await record(ground, fleet);
    const ours: Measured[] = [];
    const raw: Measured[] = [];
    const baseline: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      raw.push(await replay(ground, recorded, fleet));
      ours.push(await drainOurs(ground, fleet));
      baseline.push(await drainBaseline(ground, fleet, size));
    }
    return report(size, { ours, raw, baseline });
  } finally {
    await ground.close();
  }
}

interface Measured {
  readonly rate: number;
  /** CPU seconds for 1,000 mutations, server and PostgreSQL. */
  readonly serverCpu: number;
  readonly postgresCpu: number;
}

async function measured(
  ground: Ground,
  count: number,
  serverCpu: () => number,
  work: () => Promise<void>,
): Promise<Measured> {
  const [server, postgres, start] = [serverCpu(), ground.postgresCpu(), performance.now()];
  await work();
  const seconds = (performance.now() - start) / 1000;
  const per1000 = (cpu: number): number => (cpu / count) * 1000;
  return {
    rate: count / seconds,
    serverCpu: per1000(serverCpu() - server),
    postgresCpu: per1000(ground.postgresCpu() - postgres),
  };
}

const countOf = (fleet: readonly Phone[]): number => fleet.reduce((sum, { items }) => sum + items.length, 0);

async function drainOurs(ground: Ground, fleet: readonly Phone[]): Promise<Measured> {
  const database = await ground.database('ours', 'seed');
  const dataDir = await mkdtemp(join(tmpdir(), 'tailgate-bench-'));
  const child = await startTailgate(database.url, dataDir);
  try {
    const result = await measured(
      ground,
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

async function drainBaseline(ground: Ground, fleet: readonly Phone[], size: FleetSize): Promise<Measured> {
  const database = await ground.database('baseline');
  await fillBaseline(database.pool, fleet, size.stops);
  const child = await startBaseline(database.url);
  const bodies = fleet.map((phone, n) => baselineBodies(phone, `B${n}`));
  try {
    return await measured(
      ground,
      countOf(fleet),
      () => child.cpu(),
      () => drainIntoBaseline(child, bodies),
    );
  } finally {
    await child.stop();
    await database.drop();
  }
}

/** Runs the drain through the pipeline once and keeps its statements. */
async function record(ground: Ground, fleet: readonly Phone[]): Promise<RecordedQuery[][]> {
  const database = await ground.database('record', 'seed');
  await bindClients(database.pool, fleet);
  const db = recordingDb(database.pool);
  await withBoss(database.url, async (boss) => {
    const rules = {
      codes: codeBook([{ type: 'credit-reason', code: '10', stop_type: '' }]),
      closeMode: 'legacy',
      timerMs: 600_000,
    } as const;
    const pipeline = openPipeline({
      db,
      wakeups: bossWakeups(boss),
      rules: () => rules,
      clock: () => new Date(),
      log: quietLog,
    });
    const now = Date.now();
    const clock = { bootId: '', monotonicMs: 0, deviceNow: now, serverNow: now };
    await Promise.all(
      fleet.map(async ({ clientId, employee, items }) => {
        const queue = { session: {}, clientId, employee, clock };
        for (let i = 0; i < items.length; i += 50) {
          await pipeline.room();
          await pipeline.push(queue, readItems(`[${items.slice(i, i + 50).join(',')}]`));
        }
      }),
    );
    await pipeline.close();
  });
  await database.drop();
  return db.transactions;
}

const readItems: (text: string) => unknown[] = JSON.parse;

async function replay(
  ground: Ground,
  transactions: readonly RecordedQuery[][],
  fleet: readonly Phone[],
): Promise<Measured> {
  const database = await ground.database('replay', 'seed');
  await bindClients(database.pool, fleet);
  const waiting = transactions.values();
  const own = (): number => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
  const connection = async (): Promise<void> => {
    const client: Connection = await database.pool.connect();
    for (const transaction of waiting)
      for (const { statement, values } of transaction) await client.query(statement, values);
    client.release();
  };
  const result = await measured(ground, countOf(fleet), own, async () => {
    await Promise.all([connection(), connection()]);
  });
  await expectLedger(database.pool, countOf(fleet));
  await database.drop();
  return result;
}

async function bindClients(pool: pg.Pool, fleet: readonly Phone[]): Promise<void> {
  await pool.query(
    `insert into client (client_id, employee, device, queue_key_hash) select c, e, 'bench', '' from unnest($1::uuid[], $2::text[]) as k (c, e)`,
    [fleet.map(({ clientId }) => clientId), fleet.map(({ employee }) => employee)],
  );
}

async function withBoss(url: string, work: (boss: PgBoss) => Promise<void>): Promise<void> {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  boss.on('error', (error) => quietLog.error({ err: error }, 'pg-boss'));
  await boss.start();
  await work(boss);
  await boss.stop({ graceful: false });
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
      'of the raw limit (target ≥ 0.5)': rate(ours) / rate(raw),
      'times the baseline (target ≥ 6)': rate(ours) / rate(baseline),
    },
  };
}
