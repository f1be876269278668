import { Agent } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setInterval as ticks } from 'node:timers/promises';
import { routeScope } from '@tailgate/sync-protocol';
import { migrate } from '../../server/src/db/migrate.ts';
import { baselineBodies, changesOf, drainIntoBaseline, fillBaseline, post } from './baseline.ts';
import type { Child } from './child.ts';
import { startBaseline, startTailgate } from './child.ts';
import type { Phone } from './fleet.ts';
import { makeFleet } from './fleet.ts';
import type { Deps } from './fixture.ts';
import { openDeps, quantile, quietLog } from './fixture.ts';
import { connectPhone, drainPhone } from './phone-link.ts';
import { recordPipeline, replayOn } from './raw-limit.ts';
import type { RecordedQuery } from './recorded.ts';
import type { Figure, Report } from './report.ts';
import { benchRoute } from './workload.ts';

/** Interval of the writer's changes: the pace of one driver, not a load test. */
const EVERY_MS = 100;
/** Poll interval of the baseline's second phone. */
const POLL_MS = 1000;
/**
 * Phones of other routes. Each round sends their queued changes first, so that the server has run its code before the
 * measurement.
 */
const OTHERS = 20;

interface Latencies {
  /** Milliseconds from sending to the acknowledgement, after the commit. */
  readonly ack: number[];
  /** Milliseconds from sending until the second phone has the change. */
  readonly visible: number[];
}

/** live: on a running server, one writer sends a change every 100 ms, and a second phone of the route watches. */
export async function live({ rounds, mutations = 100 }: { rounds: number; mutations?: number }): Promise<Report> {
  const deps = await openDeps();
  try {
    const seed = await deps.database('seed');
    await migrate(seed.url, quietLog);
    const [writer, ...others] = await makeFleet(seed.pool, { phones: 1 + OTHERS, mutations, stops: 50, lines: 20 });
    if (!writer) throw new Error('no phone');
    const watcher = await secondPhone(seed.pool, writer);
    await seed.close();
    const transactions = await recordPipeline(deps, [writer], 1);
    const transactionsBefore = await recordPipeline(deps, others, 50);
    const replay = async (run: (transaction: readonly RecordedQuery[]) => Promise<void>): Promise<Latencies> => {
      for (const transaction of transactionsBefore) await run(transaction);
      return paced(transactions, run);
    };
    const ours: Latencies[] = [];
    const raw: Latencies[] = [];
    const baseline: Latencies[] = [];
    for (let round = 0; round < rounds; round++) {
      raw.push(await replayOn(deps, [writer, ...others], replay));
      ours.push(await liveOurs(deps, { writer, watcher, others }));
      baseline.push(await liveBaseline(deps, { writer, others }));
    }
    return report({ raw, ours, baseline }, mutations);
  } finally {
    await deps.close();
  }
}

/** One after the other, at the driver's pace. */
async function* atPace<Work>(all: readonly Work[]): AsyncGenerator<Work> {
  let next = 0;
  for await (const _tick of ticks(EVERY_MS)) {
    const work = all[next++];
    if (work === undefined) return;
    yield work;
  }
}

async function paced<Work>(all: readonly Work[], run: (work: Work) => Promise<void>): Promise<Latencies> {
  const ack: number[] = [];
  for await (const work of atPace(all)) {
    const start = performance.now();
    await run(work);
    ack.push(performance.now() - start);
  }
  return { ack, visible: [] };
}

/** Another device of the same driver, with its own queue. */
async function secondPhone(
  pool: { query: (text: string, values: unknown[]) => Promise<unknown> },
  { employee }: Phone,
): Promise<Phone> {
  const token = 'token-of-the-second-phone';
  await pool.query(
    `insert into session (token_hash, employee, device, expires_at) values (sha256($1::bytea), $2, 'second', now() + interval '1 day')`,
    [Buffer.from(token), employee],
  );
  return { employee, token, clientId: crypto.randomUUID(), items: [] };
}

interface Phones {
  readonly writer: Phone;
  readonly watcher: Phone;
  readonly others: readonly Phone[];
}

async function liveOurs(deps: Deps, { writer, watcher, others }: Phones): Promise<Latencies> {
  const database = await deps.database('ours', 'seed');
  const dataDir = await mkdtemp(join(tmpdir(), 'tailgate-bench-'));
  const child = await startTailgate(database.url, dataDir);
  try {
    await Promise.all(others.map((phone) => drainPhone(child, phone)));
    return await writeAndWatch(child, writer, watcher);
  } finally {
    await child.stop();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function writeAndWatch(child: Child, writer: Phone, watcher: Phone): Promise<Latencies> {
  const scope = routeScope(benchRoute(0));
  const sentAt: number[] = [];
  const result: Latencies = { ack: [], visible: [] };
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      if (result.ack.length < writer.items.length || result.visible.length < writer.items.length) return;
      writing.socket.terminate();
      watching.socket.terminate();
      resolve(result);
    };
    const writing = connectPhone(child, writer, {}, (frame) => {
      if (frame.type === 'welcome') void start();
      else if (frame.type === 'ack') {
        for (const { seq } of frame.results) result.ack.push(performance.now() - (sentAt[seq - 1] ?? 0));
        finish();
      } else if (frame.type === 'reject' || frame.type === 'error') reject(new Error(JSON.stringify(frame)));
    });
    // Version 1 is the plan's; the first mutation makes it 2.
    let ready: () => void = () => undefined;
    const watched = new Promise<void>((done) => (ready = done));
    const watching = connectPhone(child, watcher, { [scope]: { epoch: '1.1', version: 1 } }, (frame) => {
      if (frame.type === 'welcome') ready();
      if (frame.type === 'snapshot') reject(new Error('the watcher’s cursor is not accepted'));
      if (frame.type !== 'patch' || frame.scope !== scope) return;
      for (const { version } of frame.docs) result.visible.push(performance.now() - (sentAt[version - 2] ?? 0));
      finish();
    });
    const start = async (): Promise<void> => {
      await watched;
      for await (const item of atPace(writer.items)) {
        sentAt.push(performance.now());
        writing.socket.send(`{"type":"push","mutations":[${item}]}`);
      }
    };
  });
}

async function liveBaseline(deps: Deps, { writer, others }: Omit<Phones, 'watcher'>): Promise<Latencies> {
  const database = await deps.database('baseline');
  await fillBaseline(database.pool, [writer, ...others], 50);
  const child = await startBaseline(database.url);
  const agent = new Agent({ keepAlive: true });
  try {
    await drainIntoBaseline(
      child,
      others.map((phone, n) => baselineBodies(phone, benchRoute(n + 1).id)),
    );
    const ack: number[] = [];
    const visible: number[] = [];
    const sentAt: number[] = [];
    const polling = poll(child, agent, writer.items.length, (version) =>
      visible.push(performance.now() - (sentAt[version - 1] ?? 0)),
    );
    for await (const body of atPace(baselineBodies(writer, benchRoute(0).id))) {
      sentAt.push(performance.now());
      await post(child, agent, body);
      ack.push(performance.now() - (sentAt.at(-1) ?? 0));
    }
    await polling;
    return { ack, visible };
  } finally {
    agent.destroy();
    await child.stop();
    await database.drop();
  }
}

/** Between two polls, only the last version of a stop becomes visible. */
async function poll(child: Child, agent: Agent, until: number, seen: (version: number) => void): Promise<void> {
  let since = 0;
  for await (const _tick of ticks(POLL_MS)) {
    const rows = await changesOf(child, agent, benchRoute(0).id, since);
    for (const version of rows) seen(version);
    since = Math.max(since, ...rows);
    if (since >= until) return;
  }
}

function report(all: Record<'raw' | 'ours' | 'baseline', Latencies[]>, mutations: number): Report {
  const percentile = (what: keyof typeof all, of: keyof Latencies, q: number): number =>
    quantile(
      all[what].flatMap((one) => one[of]),
      q,
    );
  const percentilePair = (what: keyof typeof all, of: keyof Latencies): string =>
    `${percentile(what, of, 0.5).toFixed(1)} / ${percentile(what, of, 0.99).toFixed(1)}`;
  const row = (label: string, what: keyof typeof all): Figure => ({
    what: label,
    'ack ms p50 / p99': percentilePair(what, 'ack'),
    'visible ms p50 / p99': all[what].some(({ visible }) => visible.length > 0) ? percentilePair(what, 'visible') : '',
  });
  return {
    title: `live: one writer every ${EVERY_MS} ms, a second phone watches; ${mutations} mutations a round (guard: median ack ≤ 2.3 × the raw limit)`,
    figures: [
      row('raw limit (the same statements, SQL alone)', 'raw'),
      row('tailgate', 'ours'),
      row(`baseline (polls every ${POLL_MS} ms)`, 'baseline'),
    ],
    ratios: {
      'times faster visible than the baseline (p50)':
        percentile('baseline', 'visible', 0.5) / percentile('ours', 'visible', 0.5),
      'times the raw limit’s ack (p50)': percentile('ours', 'ack', 0.5) / percentile('raw', 'ack', 0.5),
    },
  };
}
