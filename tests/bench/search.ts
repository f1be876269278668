import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import * as z from 'zod/mini';
import { migrate } from '../../server/src/db/migrate.ts';
import { startTailgate } from './child.ts';
import { openDeps, quantile, quietLog } from './fixture.ts';
import { fillOffice, places } from './office-rows.ts';
import type { Report } from './report.ts';

/** Requests of each kind in a round; each asks for another entry. */
const REQUESTS = 40;

/** The questions of one kind: the nth entry. */
const questions: Readonly<Record<string, (n: number) => string>> = {
  'customer, two words': (n) => `${places[n % places.length]} ${n}`,
  'customer, a word of half of them': () => 'market',
  'customer number': (n) => `C${100_000 + n}`,
  'route and stop': (n) => `R${10_000 + n} 7`,
  'beginning of routes': (n) => `R${10 + (n % 80)}`,
  invoice: (n) => `${8_000_000 + n * 17}`,
  'beginning of invoices': (n) => `${8_000 + n}`,
  'trace id': (n) => traceOf(n),
  'change, beginning': (n) => uuidOf(n).slice(0, 13),
  'file, beginning': (n) => assetOf(n).slice(0, 10),
  driver: (n) => `${20_000 + n}`,
  nothing: (n) => `zzzz${n}`,
};

const hex = (n: number, length: number): string => n.toString(16).padStart(length, '0');
const traceOf = (n: number): string => `7KQ2${hex(n, 8).toUpperCase()}`;
const uuidOf = (n: number): string => `0191e5f0-${hex(n % 65_536, 4)}-7cc1-9d5e-${hex(n, 12)}`;
const assetOf = (n: number): string => `Q7${hex(n, 14)}`;

/** search: `GET /api/ops/search` over HTTP, with 200,000 stops in 10,000 routes, their changes, files and shadows. */
export async function search({
  rounds,
  mutations: stops = 200_000,
}: {
  rounds: number;
  mutations?: number;
}): Promise<Report> {
  const deps = await openDeps();
  const dataDir = await mkdtemp(join(tmpdir(), 'tailgate-bench-'));
  try {
    const database = await deps.database('search');
    await migrate(database.url, quietLog);
    const filler = new pg.Client({ connectionString: database.url });
    await filler.connect();
    try {
      await fillOffice(filler, stops);
    } finally {
      await filler.end();
    }
    const child = await startTailgate(database.url, dataDir);
    try {
      const token = (await readFile(join(dataDir, 'ops-token'), 'utf8')).trim();
      const ask = (q: string) => askFor(child.url, token, q);
      const figures = [];
      const ratios: Record<string, number> = {};
      for (const [what, question] of Object.entries(questions)) {
        const times: number[] = [];
        let found = 0;
        await ask(question(0));
        for (let n = 1; n <= rounds * REQUESTS; n++) {
          const start = performance.now();
          found += await ask(question(n * 4));
          times.push(performance.now() - start);
        }
        const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
        figures.push({
          what,
          'p50 ms': p50.toFixed(1),
          'p95 ms': p95.toFixed(1),
          'entries a request': (found / times.length).toFixed(1),
        });
        ratios[`${what}: p95 to its limit of 50 ms`] = p95 / 50;
      }
      return { title: `search among ${stops} stops`, figures, ratios };
    } finally {
      await child.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
    await deps.close();
  }
}

const answer = z.object({ data: z.record(z.string(), z.array(z.unknown())) });

async function askFor(url: string, token: string, q: string): Promise<number> {
  const response = await fetch(`${url}/api/ops/search?q=${encodeURIComponent(q)}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (response.status !== 200) throw new Error(`${q}: ${response.status} ${await response.text()}`);
  return Object.values(answer.parse(await response.json()).data).flat().length;
}
