import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPasswords } from '../../server/src/auth/passwords.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { startChild } from './child.ts';
import { median, openDeps, quantile, quietLog } from './fixture.ts';
import type { Figure, Report } from './report.ts';

/** Attempts of each kind: enough for a stable median. */
const TRIES = 200;

interface Attempt {
  readonly path: string;
  readonly body: (employee: string) => object;
  readonly status: number;
}

const attempts: Readonly<Record<string, Attempt>> = {
  'sign-in, wrong password': {
    path: '/api/auth/signin',
    body: (employee_id) => ({ employee_id, password: 'a wrong guess' }),
    status: 401,
  },
  'password update, wrong current one': {
    path: '/api/auth/password/update',
    body: (employee_id) => ({ employee_id, current_password: 'a wrong guess', new_password: 'never taken' }),
    status: 401,
  },
  'password reset': { path: '/api/auth/password/reset', body: (employee_id) => ({ employee_id }), status: 200 },
};

/**
 * Measures whether response times reveal which ids exist. Known and unknown ids alternate. Each attempt has its own id
 * and address, so that no limit applies. Every known driver has a pending one-time password, which must not show
 * either.
 */
export async function authTiming(): Promise<Report> {
  const deps = await openDeps();
  const dataDir = await mkdtemp(join(tmpdir(), 'tailgate-bench-'));
  try {
    const { url, pool } = await deps.database('auth_timing');
    await migrate(url, quietLog);
    const stored = await (await openPasswords()).hash('the right password');
    for (const kind of Object.keys(attempts)) {
      const prefix = prefixOf(kind);
      await pool.query(
        `insert into employee (id, name, phone, active, facility, job)
         select $1 || n, 'Driver ' || n, '312-555-' || n, true, 'F01', 'DRIVER' from generate_series(1, $2::int) n`,
        [`${prefix}K`, TRIES],
      );
    }
    await pool.query(`insert into account (employee, password_hash) select id, $1 from employee`, [stored]);
    // No password has this mark. One guess in 256 has the right mark; its cost is a separate question.
    await pool.query(
      `insert into one_time_password (employee, hash, mark, expires_at) select id, $1, 300, now() + interval '1 day' from employee`,
      [stored],
    );
    await pool.query('vacuum analyze');
    const env = { DATABASE_URL: url, DATA_DIR: dataDir, LOG_LEVEL: 'warn', DEMO: '0', TRUST_PROXY: '1' };
    const server = await startChild('../../server/src/main.ts', env, /^Tailgate is ready\b/m, ['--role', 'api']);
    try {
      const figures: Figure[] = [];
      const ratios: Record<string, number> = {};
      for (const [kind, attempt] of Object.entries(attempts)) {
        const { known, unknown } = await measure(server.url, attempt, prefixOf(kind));
        figures.push({ what: kind, ...row('known', known), ...row('unknown', unknown) });
        ratios[`known / unknown, ${kind}`] = median(known) / median(unknown);
      }
      return {
        title: `auth-timing: medians of ${TRIES} tries each, ms (target: within 10 %)`,
        figures,
        ratios,
      };
    } finally {
      await server.stop();
    }
  } finally {
    await deps.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const row = (who: string, times: readonly number[]): Figure => ({
  [`${who} p50`]: median(times).toFixed(2),
  [`${who} p90`]: quantile(times, 0.9).toFixed(2),
});

/** Ids that no other kind of attempt uses. */
const prefixOf = (kind: string): string => `T${Object.keys(attempts).indexOf(kind)}`;

async function measure(url: string, attempt: Attempt, prefix: string) {
  const times = { known: new Array<number>(), unknown: new Array<number>() };
  let address = 0;
  const once = async (employee: string): Promise<number> => {
    address += 1;
    const headers = {
      'content-type': 'application/json',
      'x-forwarded-for': `10.${prefix.slice(1)}.${address >> 8}.${address & 255}`,
    };
    const begun = performance.now();
    const response = await fetch(url + attempt.path, {
      method: 'POST',
      headers,
      body: JSON.stringify(attempt.body(employee)),
    });
    await response.text();
    const took = performance.now() - begun;
    if (response.status !== attempt.status) throw new Error(`${attempt.path} answered ${response.status}`);
    return took;
  };
  // First opens connections, prepares plans and compiles code.
  for (let n = 0; n < 20; n++) await once(`${prefix}W${n}`);
  for (let n = 1; n <= TRIES; n++) {
    // The order alternates, so that neither kind profits from the other.
    const order = n % 2 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
    for (const who of order) times[who].push(await once(`${prefix}${who === 'known' ? 'K' : 'U'}${n}`));
  }
  return times;
}
