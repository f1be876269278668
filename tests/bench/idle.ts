import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { routeScope } from '@tailgate/sync-protocol';
import { WebSocket } from 'ws';
import { migrate } from '../../server/src/db/migrate.ts';
import { changesOf, fillBaseline } from './baseline.ts';
import type { Child } from './child.ts';
import { collecting } from './child.ts';
import type { Phone } from './fleet.ts';
import { makeFleet } from './fleet.ts';
import type { Deps } from './fixture.ts';
import { median, openDeps, quietLog } from './fixture.ts';
import { connectPhone } from './phone-link.ts';
import { proportionalMemory } from './process-memory.ts';
import type { Figure, Report } from './report.ts';
import { onBaseline, onFloor, onTailgate } from './served.ts';
import { benchRoute } from './workload.ts';

/** Connections that open in parallel. More would measure the kernel's queue. */
const AT_ONCE = 100;
/** Duration of the CPU measurement on idle sockets: two pings of each. */
const WATCHED_MS = 10_000;
/** After this time, the work of every hello has ended. */
const SETTLED_MS = 2_000;
/** The interval that the server sends in `welcome.limits`. */
const PING_MS = 5_000;
const PING = '{"type":"ping"}';
/** A phone of the baseline polls once a second. */
const POLLS_A_PING = PING_MS / 1_000;

/**
 * idle: connected phones that only ping, each following its own route. Memory is the increase by the second half of
 * them, after a collection (PSS). The first half pays for the engine's growth and for compiled code.
 */
export async function idle({ rounds, phones = 5_000 }: { rounds: number; phones?: number }): Promise<Report> {
  const deps = await openDeps();
  try {
    const seed = await deps.database('seed');
    await migrate(seed.url, quietLog);
    const fleet = await makeFleet(seed.pool, { phones, mutations: 0, stops: 5, lines: 3 });
    await seed.close();
    const ours: Measured[] = [];
    const floor: Measured[] = [];
    const baseline: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      floor.push(await onFloor(deps, (child) => measureFloor(deps, child, phones), collecting));
      ours.push(await onTailgate(deps, (child) => measureOurs(deps, child, fleet), collecting));
      baseline.push(await measureBaseline(deps, fleet));
    }
    return report({ floor, ours, baseline }, phones);
  } finally {
    await deps.close();
  }
}

interface Measured {
  /** Bytes of the server's memory for each phone. */
  readonly memory: number;
  /** CPU seconds of server and PostgreSQL in a second, for all phones together. */
  readonly cpu: number;
}

async function settledMemory(child: Child): Promise<number> {
  await pause(SETTLED_MS);
  await child.collect();
  return proportionalMemory(child.pid);
}

/** Runs `open` for all numbers, some in parallel. */
async function openAll<Opened>(count: number, open: (n: number) => Promise<Opened>): Promise<Opened[]> {
  const all: Opened[] = [];
  while (all.length < count) {
    const lot = Array.from({ length: Math.min(AT_ONCE, count - all.length) }, (_, n) => all.length + n);
    all.push(...(await Promise.all(lot.map(open))));
  }
  return all;
}

/** @param open connects one phone; resolves when it is idle */
async function measureSockets(
  deps: Deps,
  child: Child,
  count: number,
  open: (n: number) => Promise<WebSocket>,
): Promise<Measured> {
  const timers: NodeJS.Timeout[] = [];
  const openAndPing = async (n: number): Promise<WebSocket> => {
    const socket = await open(n);
    const begin = (): void => {
      timers.push(setInterval(() => socket.send(PING), PING_MS));
    };
    // Each at its own moment, like real phones.
    timers.push(setTimeout(begin, Math.random() * PING_MS));
    return socket;
  };
  const half = Math.floor(count / 2);
  const sockets = await openAll(half, openAndPing);
  const before = await settledMemory(child);
  sockets.push(...(await openAll(count - half, (n) => openAndPing(half + n))));
  const added = (await settledMemory(child)) - before;
  await pause(PING_MS);
  const [server, postgres, start] = [child.cpu(), deps.postgresCpu(), performance.now()];
  await pause(WATCHED_MS);
  const used = child.cpu() - server + deps.postgresCpu() - postgres;
  const cpu = (used / (performance.now() - start)) * 1000;
  for (const timer of timers) clearInterval(timer);
  const isOpen = sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length;
  for (const socket of sockets) socket.terminate();
  if (isOpen < count) throw new Error(`${count - isOpen} of ${count} sockets were closed`);
  return { memory: added / (count - half), cpu };
}

function measureOurs(deps: Deps, child: Child, fleet: readonly Phone[]): Promise<Measured> {
  return measureSockets(deps, child, fleet.length, (n) => {
    const phone = fleet[n];
    if (!phone) throw new Error('no phone');
    const { promise, resolve, reject } = Promise.withResolvers<WebSocket>();
    // Version 1 is the plan's: the phone already has its route.
    const cursors = { [routeScope(benchRoute(n))]: { epoch: '1.1', version: 1 } };
    const link = connectPhone(child, phone, cursors, (frame) => {
      if (frame.type === 'welcome') resolve(link.socket);
      else if (frame.type === 'reject' || frame.type === 'error') reject(new Error(JSON.stringify(frame)));
    });
    link.socket.once('error', reject);
    return promise;
  });
}

/** Sockets without any state on the server. */
const measureFloor = (deps: Deps, child: Child, count: number): Promise<Measured> =>
  measureSockets(deps, child, count, () => {
    const socket = new WebSocket(`ws://127.0.0.1:${child.port}/api/sync`, { perMessageDeflate: false });
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(socket)).once('error', reject);
    });
  });

/** Keep-alive connections of polling phones. All polls of a second run once, and their CPU counts. */
function measureBaseline(deps: Deps, fleet: readonly Phone[]): Promise<Measured> {
  const count = fleet.length;
  const fill = ({ pool }: { pool: Parameters<typeof fillBaseline>[0] }) => fillBaseline(pool, fleet, 5);
  const measure = async (child: Child): Promise<Measured> => {
    const agent = new Agent({ keepAlive: true, maxSockets: count, maxFreeSockets: count });
    const poll = (n: number) => changesOf(child, agent, benchRoute(n).id, 0);
    try {
      // All in flight together, so that each has its own connection.
      const half = Math.floor(count / 2);
      await Promise.all(fleet.slice(half).map((_, n) => poll(n)));
      const before = await settledMemory(child);
      const [server, postgres] = [child.cpu(), deps.postgresCpu()];
      await Promise.all(fleet.map((_, n) => poll(n)));
      const cpu = child.cpu() - server + deps.postgresCpu() - postgres;
      return { memory: ((await settledMemory(child)) - before) / half, cpu };
    } finally {
      agent.destroy();
    }
  };
  return onBaseline(deps, fill, measure, collecting);
}

function report(all: Record<'floor' | 'ours' | 'baseline', readonly Measured[]>, phones: number): Report {
  const of = (what: keyof typeof all, value: keyof Measured): number => median(all[what].map((one) => one[value]));
  const row = (label: string, what: keyof typeof all): Figure => ({
    what: label,
    'kB each': (of(what, 'memory') / 1000).toFixed(1),
    'CPU of all of them, % of a core': (of(what, 'cpu') * 100).toFixed(0),
    runs: all[what].map(({ memory }) => (memory / 1000).toFixed(1)).join(' '),
  });
  return {
    title: `idle: ${phones} connected phones, a ping every ${PING_MS / 1000} s (target: ≤ 15 kB of server memory each)`,
    figures: [
      row('bare floor (sockets alone)', 'floor'),
      row('tailgate', 'ours'),
      row(`baseline (kept-alive, ${POLLS_A_PING} polls for each ping)`, 'baseline'),
    ],
    ratios: { 'times the bare floor’s memory': of('ours', 'memory') / of('floor', 'memory') },
  };
}
