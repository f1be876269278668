import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import * as z from 'zod/mini';
import { migrate } from '../../server/src/db/migrate.ts';
import { startTailgate } from './child.ts';
import { openDeps, quantile, quietLog } from './fixture.ts';
import { addTroubles, fillOffice } from './office-rows.ts';
import type { Report } from './report.ts';

/** Requests of each kind in a round. */
const REQUESTS = 20;
const LIVE_ROUTES = 500;
const week = '20261128';

const page = z.object({
  data: z.unknown(),
  meta: z.optional(z.nullable(z.object({ next_cursor: z.nullable(z.string()) }))),
});

/** Reads a path of the operators, with all of its pages. */
type Read = (path: string) => Promise<void>;

const readings: Readonly<Record<string, { readonly limitMs: number; readonly paths: (n: number) => string }>> = {
  [`list of ${LIVE_ROUTES} live routes, in pages of 200`]: { limitMs: 1_000, paths: () => 'routes?limit=200' },
  'one route': { limitMs: 50, paths: (n) => `routes/${placeOf(n)}` },
  'one stop': { limitMs: 50, paths: (n) => `routes/${placeOf(n)}/stops/${1 + (n % 20)}` },
  search: { limitMs: 50, paths: (n) => `search?q=Berwyn%20${n}` },
  'what needs a person': { limitMs: 100, paths: () => 'attention' },
};

/** The nth route of the week, as `fillOffice` numbers them. */
const placeOf = (n: number): string => `F0${1 + (n % 5)}/R${10_000 + n}/${week}`;

/**
 * ops-routes: the reads of the console over HTTP, with 200,000 stops, 500 live routes, 10,000 parked stops of 50 causes and
 * 20,000 flags.
 */
export async function opsRoutes({
  rounds,
  mutations: stops = 200_000,
}: {
  rounds: number;
  mutations?: number;
}): Promise<Report> {
  const deps = await openDeps();
  const dataDir = await mkdtemp(join(tmpdir(), 'tailgate-bench-'));
  try {
    const database = await deps.database('office');
    await migrate(database.url, quietLog);
    const filler = new pg.Client({ connectionString: database.url });
    await filler.connect();
    try {
      await fillOffice(filler, stops);
      await addTroubles(filler, { live: LIVE_ROUTES, parked: 10_000, flags: 20_000 });
    } finally {
      await filler.end();
    }
    const child = await startTailgate(database.url, dataDir);
    try {
      const token = (await readFile(join(dataDir, 'ops-token'), 'utf8')).trim();
      return await measure((path) => readAll(`${child.url}/api/ops/${path}`, token), rounds, {
        stops,
        cpu: () => child.cpu() + deps.postgresCpu(),
      });
    } finally {
      await child.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
    await deps.close();
  }
}

async function measure(
  read: Read,
  rounds: number,
  { stops, cpu }: { readonly stops: number; readonly cpu: () => number },
): Promise<Report> {
  const figures = [];
  const ratios: Record<string, number> = {};
  for (const [what, { limitMs, paths }] of Object.entries(readings)) {
    const times: number[] = [];
    await read(paths(0));
    const before = cpu();
    for (let n = 1; n <= rounds * REQUESTS; n++) {
      const start = performance.now();
      await read(paths(n));
      times.push(performance.now() - start);
    }
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    const cpuMs = ((cpu() - before) * 1_000) / times.length;
    figures.push({ what, 'p50 ms': p50.toFixed(1), 'p99 ms': p99.toFixed(1), 'CPU ms': cpuMs.toFixed(1) });
    ratios[`${what}: p50 to its limit of ${limitMs} ms`] = p50 / limitMs;
  }
  return { title: `reads of the console, ${stops} stops`, figures, ratios };
}

async function readAll(url: string, token: string): Promise<void> {
  let cursor: string | null | undefined;
  do {
    const next = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const response = await fetch(`${url}${next}`, { headers: { authorization: `Bearer ${token}` } });
    if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    cursor = page.parse(await response.json()).meta?.next_cursor;
  } while (cursor);
}
