import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import * as z from 'zod/mini';
import { migrate } from '../../server/src/db/migrate.ts';
import { planLines } from '../../server/src/stops/plan-lines.ts';
import { plan } from '../support/mirror.ts';
import { startTailgate } from './child.ts';
import { openDeps, quantile, quietLog } from './fixture.ts';
import type { Report } from './report.ts';

const STOPS_A_ROUTE = 20;
const CUSTOMERS = 10_000;
/** Requests of each kind in a round; each asks for another entry. */
const REQUESTS = 40;

/** Half of the customers share their first word, as markets do. */
const names = ['Market', 'Market', 'Pantry', 'Corner'];
const places = ['Oak Park', 'Berwyn', 'Halsted', 'Söderberg', 'Lakeview', 'Cicero', 'Skokie', 'Midway', 'Evanston'];

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
      await fill(filler, stops);
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

/** Rows as the import and the pipeline write them; the texts of plan and result are the same but for their numbers. */
async function fill(pool: pg.Client, stops: number): Promise<void> {
  const template = plan(1, 6);
  const doc = JSON.stringify({ ...template, customer: { ...template.customer, id: '@customer', name: '@name' } });
  const routes = Math.ceil(stops / STOPS_A_ROUTE);
  await pool.query(
    `insert into facility (id, name, zone) select 'F0' || n, 'Depot', 'America/Chicago' from generate_series(1, 5) n`,
  );
  await pool.query(
    `insert into customer (facility, id, name, street, city, phone)
     select 'F0' || 1 + n % 5, 'C' || 100000 + n, ($2::text[])[1 + n % cardinality($2::text[])] || ' ' || ($3::text[])[1 + n % cardinality($3::text[])] || ' ' || n,
            n || ' Main St', 'Chicago', '' from generate_series(0, $1::int - 1) n`,
    [CUSTOMERS, names, places],
  );
  await pool.query(
    `insert into employee (id, name, phone, active, facility, job)
     select 20000 + n, 'Driver ' || n, '', true, 'F01', '' from generate_series(1, 2000) n`,
  );
  await pool.query(
    `insert into route (facility, id, week_end, version, hosted_through, name, dispatched_on, published_at)
     select 'F0' || 1 + n % 5, 'R' || 10000 + n % 2000, to_char(date '2026-11-28' - 7 * (n / 2000), 'YYYYMMDD'), 20, 20, 'Route',
            to_char(date '2026-11-24' - 7 * (n / 2000), 'YYYYMMDD'), now() from generate_series(0, $1::int - 1) n`,
    [routes],
  );
  await pool.query(
    `insert into route_driver (facility, route_id, week_end, employee, type, seq)
     select facility, id, week_end, 20000 + (substr(id, 2)::int % 2000), 'D', 1 from route`,
  );
  await pool.query(
    `with place as (
       select r.*, s, ((substr(r.id, 2)::int - 10000) * $1 + s) as n from route r cross join generate_series(1, $1::int) s
     )
     insert into stop_plan (facility, route_id, week_end, stop_id, version, doc, lines, invoices, sequence, eta, customer)
     select facility, id, week_end, s, 1, replace($2, '@customer', 'C' || 100000 + n % 10000), $3,
            array[(8000000 + n * 17 + substr(week_end, 5)::int)::text], s, '', 'C' || 100000 + n % 10000
       from place`,
    [STOPS_A_ROUTE, doc, planLines(template)],
  );
  await pool.query(
    `insert into stop_result (facility, route_id, week_end, stop_id, version) select facility, route_id, week_end, stop_id, 1 from stop_plan`,
  );
  await pool.query(
    `insert into host_shadow (facility, route_id, week_end, stop_id, sequence, rows)
     select facility, route_id, week_end, stop_id, 1,
            '{"files":{"RTSTUP":{"columns":["RUSTS","RUTRC"],"rows":[["D","7KQ2' || upper(lpad(to_hex(row_number() over ()), 8, '0')) || '"]]}}}'
       from stop_plan`,
  );
  await pool.query(
    `insert into ledger (facility, id, route_id, week_end, stop_id, version, source, hash, employee, edit_time, received_at, result, body)
     select facility, ('0191e5f0-' || lpad(to_hex(n % 65536), 4, '0') || '-7cc1-9d5e-' || lpad(to_hex(n), 12, '0'))::uuid,
            route_id, week_end, stop_id, 1, 'sync', '', '20001', now(), now(), 'applied', '{}'
       from (select *, row_number() over () as n from stop_plan) p`,
  );
  await pool.query(
    `insert into asset (id, batch, state, expected_at)
     select 'Q7' || lpad(to_hex(n), 14, '0'), 'Q7' || lpad(to_hex(n), 14, '0'), 'L', now() from generate_series(1, $1::int) n`,
    [stops],
  );
  await pool.query('vacuum analyze');
}
