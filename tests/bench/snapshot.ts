import { Agent } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { routeScope } from '@tailgate/sync-protocol';
import { migrate } from '../../server/src/db/migrate.ts';
import { plan } from '../support/mirror.ts';
import { fillBaseline } from './baseline.ts';
import type { Phone } from './fleet.ts';
import { makeFleet } from './fleet.ts';
import type { BenchDatabase, Deps } from './fixture.ts';
import { median, openDeps, quietLog } from './fixture.ts';
import type { Figure, Report } from './report.ts';
import type { Shot } from './rest-load.ts';
import { send } from './rest-load.ts';
import { onBaseline, onTailgate } from './served.ts';
import { benchRoute, WEEK } from './workload.ts';

const STOPS = 150;
const LINES = 20;
/** Routes fetched as a warm-up, and routes fetched one after the other. */
const WARM = 10;
const ALONE = 10;
/** The server's compression level. */
const GZIP_LEVEL = 3;

/**
 * snapshot: a phone fetches its whole route for the first time, first one phone alone, then all phones of a depot at
 * once. Every phone has its own route, so that no cache helps. The time is from the request to the last byte. `npm run
 * bench -- device` measures the phone's own work.
 */
export async function snapshot({ rounds, phones = 100 }: { rounds: number; phones?: number }): Promise<Report> {
  const deps = await openDeps();
  try {
    const seed = await deps.database('seed');
    await migrate(seed.url, quietLog);
    const size = { phones: WARM + ALONE + phones, mutations: 0, stops: STOPS, lines: LINES };
    const fleet = await makeFleet(seed.pool, size);
    await seed.close();
    const ours: Measured[] = [];
    const raw: Measured[] = [];
    const baseline: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      raw.push(await fetchBySql(deps, fleet));
      ours.push(await fetchOurs(deps, fleet));
      baseline.push(await fetchBaseline(deps, fleet));
    }
    return report({ raw, ours, baseline }, phones);
  } finally {
    await deps.close();
  }
}

interface Measured {
  /** Milliseconds of each snapshot alone. */
  readonly alone: readonly number[];
  readonly bytes: number;
  /** Seconds until the last phone has its route. */
  readonly atOnce: number;
  /** CPU milliseconds for each of the simultaneous snapshots. */
  readonly serverCpu: number;
  readonly postgresCpu: number;
}

/** @param fetchRoute fetches the route of the phone with this number; resolves with its bytes */
async function measure(
  count: number,
  cpu: { readonly server: () => number; readonly postgres: () => number },
  fetchRoute: (n: number) => Promise<number>,
): Promise<Measured> {
  let next = 0;
  while (next < WARM) await fetchRoute(next++);
  const alone: number[] = [];
  let bytes = 0;
  while (next < WARM + ALONE) {
    const start = performance.now();
    bytes = await fetchRoute(next++);
    alone.push(performance.now() - start);
  }
  const [server, postgres, start] = [cpu.server(), cpu.postgres(), performance.now()];
  const others = Array.from({ length: count - next }, (_, n) => next + n);
  await Promise.all(others.map(fetchRoute));
  const atOnce = (performance.now() - start) / 1000;
  const each = (seconds: number): number => (seconds / others.length) * 1000;
  return {
    alone,
    bytes,
    atOnce,
    serverCpu: each(cpu.server() - server),
    postgresCpu: each(cpu.postgres() - postgres),
  };
}

const fetchOurs = (deps: Deps, fleet: readonly Phone[]): Promise<Measured> =>
  onTailgate(deps, (child) =>
    overHttp(fleet, child.port, { server: child.cpu, postgres: deps.postgresCpu }, ({ employee, token }, n) => ({
      method: 'GET',
      path: `/api/sync/snapshot?scope=${routeScope(benchRoute(n))}`,
      headers: { employee_id: employee, api_token: token, 'accept-encoding': 'gzip' },
    })),
  );

const fetchBaseline = (deps: Deps, fleet: readonly Phone[]): Promise<Measured> =>
  onBaseline(
    deps,
    (database) => fillWithPlans(database, fleet),
    (child) =>
      overHttp(fleet, child.port, { server: child.cpu, postgres: deps.postgresCpu }, (_phone, n) => ({
        method: 'GET',
        path: `/route?route=${benchRoute(n).id}`,
        headers: {},
      })),
  );

/** The plans of our phones, in the baseline's column. */
async function fillWithPlans({ pool }: BenchDatabase, fleet: readonly Phone[]): Promise<void> {
  await fillBaseline(pool, fleet, STOPS);
  for (let stop = 1; stop <= STOPS; stop++)
    await pool.query('update b_stop set plan = $1 where id = $2', [JSON.stringify(plan(stop, LINES)), stop]);
  await pool.query('vacuum analyze');
  await pool.query('checkpoint');
}

async function overHttp(
  fleet: readonly Phone[],
  port: number,
  cpu: Parameters<typeof measure>[1],
  shot: (phone: Phone, n: number) => Shot,
): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: fleet.length });
  const shots = fleet.map(shot);
  try {
    return await measure(fleet.length, cpu, async (n) => {
      const { length } = await send(port, agent, shots[n] ?? { method: 'GET', path: '/', headers: {} }, 200);
      return length;
    });
  } finally {
    agent.destroy();
  }
}

const compress = promisify(gzip);

/** The documents by SQL alone, joined and compressed, without rights, versions and frames. */
async function fetchBySql(deps: Deps, fleet: readonly Phone[]): Promise<Measured> {
  const database = await deps.database('raw', 'seed');
  const own = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
  try {
    return await measure(fleet.length, { server: own, postgres: deps.postgresCpu }, async (n) => {
      const { facility, id } = benchRoute(n);
      const documents = async (table: 'stop_plan' | 'stop_result'): Promise<string[]> => {
        const { rows } = await database.pool.query<{ doc: string }>({
          name: `raw ${table}`,
          text: `select doc from ${table} where facility = $1 and route_id = $2 and week_end = $3`,
          values: [facility, id, WEEK],
        });
        return rows.map(({ doc }) => doc);
      };
      const both = await Promise.all([documents('stop_plan'), documents('stop_result')]);
      const { length } = await compress(`[${both.flat().join(',')}]`, { level: GZIP_LEVEL });
      return length;
    });
  } finally {
    await database.drop();
  }
}

function report(all: Record<'raw' | 'ours' | 'baseline', readonly Measured[]>, phones: number): Report {
  const of = (what: keyof typeof all, value: (one: Measured) => number): number => median(all[what].map(value));
  const alone = (what: keyof typeof all): number => median(all[what].flatMap((one) => one.alone));
  const row = (label: string, what: keyof typeof all): Figure => ({
    what: label,
    'one alone, ms': alone(what).toFixed(1),
    kB: (of(what, ({ bytes }) => bytes) / 1000).toFixed(1),
    [`${phones} at once, s`]: of(what, ({ atOnce }) => atOnce).toFixed(2),
    'CPU ms each (server + PostgreSQL)': `${of(what, ({ serverCpu }) => serverCpu).toFixed(1)} + ${of(what, ({ postgresCpu }) => postgresCpu).toFixed(1)}`,
  });
  const atOnce = (what: keyof typeof all): number => of(what, (one) => one.atOnce);
  return {
    title: `snapshot: ${STOPS} stops of ${LINES} products, a route a phone (targets: ≤ 10 ms, ≤ 40 kB; ${phones} at once ≤ 0.8 s)`,
    figures: [
      row('raw limit (the documents by SQL alone, compressed)', 'raw'),
      row('tailgate', 'ours'),
      row('baseline (rows as JSON)', 'baseline'),
    ],
    ratios: {
      'times the raw limit, alone': alone('ours') / alone('raw'),
      [`times faster than the baseline, ${phones} at once`]: atOnce('baseline') / atOnce('ours'),
    },
  };
}
