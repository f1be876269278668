import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { routeScope } from '@tailgate/sync-protocol';
import { WebSocket } from 'ws';
import { migrate } from '../../server/src/db/migrate.ts';
import { baselineBodies, changesOf, fillBaseline, post } from './baseline.ts';
import type { Child } from './child.ts';
import type { Phone } from './fleet.ts';
import { makeFleet } from './fleet.ts';
import type { Deps } from './fixture.ts';
import { openDeps, quantile, quietLog } from './fixture.ts';
import { connectPhone } from './phone-link.ts';
import type { Figure, Report } from './report.ts';
import { onBaseline, onFloor, onTailgate } from './served.ts';
import { benchRoute } from './workload.ts';

/** Pause between two changes, so that all sockets are idle again. */
const PAUSE_MS = 50;
/** Poll interval of a phone of the baseline. */
const POLL_MS = 1_000;
/** The baseline takes a second for each. */
const BASELINE_CHANGES = 5;

/** Sends the change with this number. Resolves when the last watcher has received it. */
type Spread = (n: number) => Promise<void>;

/**
 * fanout: many idle sockets on one route, and one change. The time is from the sending until the last socket has
 * received it.
 */
export async function fanout({
  rounds,
  phones = 300,
  mutations = 30,
}: {
  rounds: number;
  phones?: number;
  mutations?: number;
}): Promise<Report> {
  const deps = await openDeps();
  try {
    const seed = await deps.database('seed');
    await migrate(seed.url, quietLog);
    const [writer] = await makeFleet(seed.pool, { phones: 1, mutations, stops: 50, lines: 20 });
    if (!writer) throw new Error('no phone');
    await seed.close();
    const ours: number[] = [];
    const floor: number[] = [];
    const baseline: number[] = [];
    for (let round = 0; round < rounds; round++) {
      floor.push(...(await onFloor(deps, (child) => overFloor(child, writer, phones))));
      ours.push(...(await onTailgate(deps, (child) => overFeed(child, writer, phones))));
      baseline.push(...(await overPolls(deps, writer, phones)));
    }
    return report({ floor, ours, baseline }, phones);
  } finally {
    await deps.close();
  }
}

/** @returns milliseconds for each change */
async function timed(count: number, spread: Spread): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    await pause(PAUSE_MS);
    const start = performance.now();
    await spread(n);
    times.push(performance.now() - start);
  }
  return times;
}

/** Resolves after this many calls. */
class Headcount {
  readonly #expected: number;
  #here = 0;
  #all = Promise.withResolvers<void>();

  constructor(expected: number) {
    this.#expected = expected;
  }

  begin(): Promise<void> {
    this.#here = 0;
    this.#all = Promise.withResolvers();
    return this.#all.promise;
  }

  add(): void {
    if (++this.#here === this.#expected) this.#all.resolve();
  }

  fail(error: Error): void {
    this.#all.reject(error);
  }
}

/**
 * Devices of one driver, each with its own queue. The feed's work depends on the number of sockets, not on their
 * drivers.
 */
async function overFeed(child: Child, writer: Phone, watchers: number): Promise<number[]> {
  const scope = routeScope(benchRoute(0));
  // Version 1 is the plan's.
  const cursors = { [scope]: { epoch: '1.1', version: 1 } };
  const count = new Headcount(watchers);
  const open = async (phone: Phone, isWatching: boolean): Promise<WebSocket> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { socket } = connectPhone(child, phone, isWatching ? cursors : {}, (frame) => {
      if (frame.type === 'welcome') resolve();
      else if (frame.type === 'patch' && isWatching && frame.docs.length > 0) count.add();
      else if (frame.type === 'reject' || frame.type === 'error') {
        const error = new Error(JSON.stringify(frame));
        reject(error);
        count.fail(error);
      }
    });
    socket.once('error', reject);
    await promise;
    return socket;
  };
  const idle = await Promise.all(
    Array.from({ length: watchers }, () => open({ ...writer, clientId: randomUUID(), items: [] }, true)),
  );
  const pen = await open(writer, false);
  const times = await timed(writer.items.length, (n) => {
    const all = count.begin();
    pen.send(`{"type":"push","mutations":[${writer.items[n]}]}`);
    return all;
  });
  for (const socket of [...idle, pen]) socket.terminate();
  return times;
}

async function overFloor(child: Child, { items }: Phone, watchers: number): Promise<number[]> {
  const count = new Headcount(watchers + 1);
  const sockets = await Promise.all(
    Array.from({ length: watchers + 1 }, () => {
      const socket = new WebSocket(`ws://127.0.0.1:${child.port}/api/sync`, { perMessageDeflate: false });
      // Parsed as by every client.
      socket.on('message', (data: Buffer) => {
        JSON.parse(data.toString());
        count.add();
      });
      return new Promise<WebSocket>((resolve, reject) => {
        socket.once('open', () => resolve(socket)).once('error', reject);
      });
    }),
  );
  const times = await timed(items.length, (n) => {
    const all = count.begin();
    sockets[0]?.send(items[n] ?? '');
    return all;
  });
  for (const socket of sockets) socket.terminate();
  return times;
}

/** Phones that poll once a second, each at its own moment. */
function overPolls(deps: Deps, writer: Phone, watchers: number): Promise<number[]> {
  const fill = ({ pool }: { pool: Parameters<typeof fillBaseline>[0] }) => fillBaseline(pool, [writer], 50);
  return onBaseline(deps, fill, async (child) => {
    const agent = new Agent({ keepAlive: true, maxSockets: watchers + 1 });
    const route = benchRoute(0).id;
    const bodies = baselineBodies(writer, route).slice(0, BASELINE_CHANGES);
    const phases = Array.from({ length: watchers }, (_, n) => (POLL_MS * n) / watchers);
    const times = await timed(bodies.length, async (n) => {
      const poll = async (phase: number): Promise<void> => {
        await pause(phase);
        while ((await changesOf(child, agent, route, n)).length === 0) await pause(POLL_MS);
      };
      await Promise.all([post(child, agent, bodies[n] ?? ''), ...phases.map(poll)]);
    });
    agent.destroy();
    return times;
  });
}

function report(all: Record<'floor' | 'ours' | 'baseline', readonly number[]>, phones: number): Report {
  const at = (what: keyof typeof all, q: number): number => quantile(all[what], q);
  const row = (label: string, what: keyof typeof all): Figure => ({
    what: label,
    'until the last has it, ms p50': at(what, 0.5).toFixed(1),
    p99: at(what, 0.99).toFixed(1),
    changes: all[what].length,
  });
  return {
    title: `fanout: ${phones} idle sockets on one route, one change (target: ≤ 15 ms)`,
    figures: [
      row('bare floor (one insert, sent on to all)', 'floor'),
      row('tailgate', 'ours'),
      row(`baseline (polls every ${POLL_MS} ms)`, 'baseline'),
    ],
    ratios: {
      'times the bare floor (p50)': at('ours', 0.5) / at('floor', 0.5),
      'times faster than the baseline (p50)': at('baseline', 0.5) / at('ours', 0.5),
    },
  };
}
