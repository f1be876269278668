import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setInterval as ticks } from 'node:timers/promises';
import { routeScope, type ServerFrame } from '@tailgate/sync-protocol';
import { migrate } from '../../server/src/db/migrate.ts';
import { dispatchRoute, writeMasters } from '../../server/src/host/tools/dispatch.ts';
import type { Host } from '../../server/src/host/host.ts';
import { parseRouteFile } from '../../server/src/host/tools/load-file.ts';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { startTailgate, type Child } from './child.ts';
import type { Phone } from './fleet.ts';
import { quantile, quietLog, tokenHash, type BenchDatabase, type Deps } from './fixture.ts';
import { connectPhone, type PhoneLink } from './phone-link.ts';
import type { Figure } from './report.ts';
import { benchRoute, sealedQueue, WEEK } from './workload.ts';

const ROUTES = 20;
/** Each stop is recorded once. A second change of a waiting stop would be replicated together with the first. */
const STOPS = 25;
/** 50 mutations/s, the load of the target (performance.md). */
const EVERY_MS = 20;
/** Changes by the office. Each shows after two quiet seconds. */
const CHANGES = 60;
const CHANGE_EVERY_MS = 250;
const PING_MS = 5_000;

/** Listeners for the frames of a route's phone. */
type Watchers = ReadonlyMap<string, Set<(frame: ServerFrame) => void>>;

/** Milliseconds. */
interface HostLatencies {
  /** From the acknowledgement at the phone to the commit on the host. */
  readonly out: number[];
  /** From the commit on the host to the arrival on the phone. */
  readonly in: number[];
}

/**
 * A running server, role `all`, with the stand-in in its own database: first 50 mutations/s out, then the office's
 * changes in.
 */
export async function hostLive(deps: Deps): Promise<HostLatencies> {
  const database = await deps.database('host_live');
  await migrate(database.url, quietLog);
  const clerk = await openStandIn({ url: database.url, library: 'PODDTA', log: quietLog, program: 'CLERK' });
  const dataDir = await mkdtemp(join(tmpdir(), 'tailgate-bench-'));
  try {
    await fillHost(clerk);
    const child = await startTailgate(database.url, dataDir, 'all');
    try {
      const phones = await signedIn(database);
      const watched: Watchers = new Map(phones.map((_, n) => [benchRoute(n).id, new Set()]));
      const links = await Promise.all(phones.map((phone, n) => connect(child, phone, n, watched)));
      // The server closes a silent socket.
      const pinging = setInterval(() => {
        for (const { socket } of links) socket.send('{"type":"ping"}');
      }, PING_MS);
      try {
        const out = await recordAndWatch(database, phones, links, watched);
        return { out, in: await changeAndWatch(clerk, watched) };
      } finally {
        clearInterval(pinging);
        for (const { socket } of links) socket.terminate();
      }
    } finally {
      await child.stop();
    }
  } finally {
    await clerk.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

export function hostLiveFigures({ out, in: inwards }: HostLatencies): Figure[] {
  const row = (what: string, waits: readonly number[]): Figure => ({
    what,
    'ms p50': Math.round(quantile(waits, 0.5)),
    'ms p99': Math.round(quantile(waits, 0.99)),
    changes: waits.length,
  });
  return [row('accepted → on the host, at 50/s', out), row('changed on the host → on the phone', inwards)];
}

async function fillHost(clerk: Host): Promise<void> {
  const office = { user: 'OFFICE', now: new Date() };
  const employees = Array.from({ length: ROUTES }, (_, n) => String(10_000 + n));
  await writeMasters(clerk, office, {
    facilities: [{ FAFAC: 'F01', FANAM: 'Depot', FATZ: 'America/Chicago' }],
    employees: employees.map((id) => ({
      ...{ EMEMP: id, EMNAM: `Driver ${id}`, EMPHN: '', EMSTS: 'A', EMFAC: 'F01', EMJOB: '' },
    })),
    codes: [],
  });
  for (const [n, employee] of employees.entries()) {
    const stops = Array.from({ length: STOPS }, (_, s) => ({
      id: s + 1,
      customer: { id: `C${s}`, name: `Market ${s}` },
      products: Array.from({ length: 20 }, (_line, i) => ({
        ...{ id: `ITM${100_000 + i * 7919}`, name: `Item ${i}`, invoice: `INV${s + 1}`, quantity: i + 3 },
      })),
      collections: [],
    }));
    const drivers = [{ id: employee, type: 'DRIVER' }];
    const route = { id: benchRoute(n).id, facility: 'F01', week_end: WEEK, name: `Route ${n}`, drivers, stops };
    for (const file of parseRouteFile(route)) await dispatchRoute(clerk, file, office);
  }
}

/** Waits until all routes are published. Returns their drivers, each with a queue. */
async function signedIn({ pool }: BenchDatabase): Promise<Phone[]> {
  for (let published = 0; published < ROUTES;) {
    const { rows } = await pool.query<{ n: number }>(
      'select count(*)::int as n, pg_sleep(0.05) from route where published_at is not null',
    );
    published = rows[0]?.n ?? 0;
  }
  const phones = Array.from({ length: ROUTES }, (_, n) => ({
    employee: String(10_000 + n),
    token: `token-of-phone-${n}-${randomUUID()}`,
    clientId: randomUUID(),
    items: sealedQueue(benchRoute(n), STOPS, STOPS),
  }));
  await pool.query(
    `insert into session (token_hash, employee, device, expires_at)
     select h, e, 'bench', now() + interval '1 day' from unnest($1::bytea[], $2::text[]) as k (h, e)`,
    [phones.map(({ token }) => tokenHash(token)), phones.map(({ employee }) => employee)],
  );
  return phones;
}

/** Passes the frames of a phone to the listeners of its route. */
function connect(child: Child, phone: Phone, n: number, watched: Watchers): Promise<PhoneLink> {
  const scope = routeScope(benchRoute(n));
  return new Promise((resolve, reject) => {
    const link = connectPhone(child, phone, { [scope]: { epoch: '1.1', version: 1 } }, (frame) => {
      if (frame.type === 'welcome') resolve(link);
      else if (['reject', 'error', 'snapshot'].includes(frame.type)) reject(new Error(JSON.stringify(frame)));
      else for (const watch of watched.get(benchRoute(n).id) ?? []) watch(frame);
    });
    link.socket.once('error', reject);
  });
}

async function recordAndWatch(
  { pool }: BenchDatabase,
  phones: readonly Phone[],
  links: readonly PhoneLink[],
  watched: Watchers,
): Promise<number[]> {
  const ackedAt = new Map<string, number>();
  const hostedAt = new Map<string, number>();
  const done = Promise.withResolvers<void>();
  const total = ROUTES * STOPS;
  const poll = () => {
    if (ackedAt.size === total && hostedAt.size === total) done.resolve();
  };
  for (const n of phones.keys()) {
    const { id } = benchRoute(n);
    watched.get(id)?.add((frame) => {
      if (frame.type !== 'ack') return;
      // The n-th item of a queue is for the n-th stop.
      for (const { seq } of frame.results) ackedAt.set(`${id} ${seq}`, performance.now());
      poll();
    });
  }
  await pool.query(`create function note_host_commit() returns trigger language plpgsql as $$ begin
    perform pg_notify('host_commit', trim(new.RURTE) || ' ' || new.RUSTP); return null; end $$`);
  await pool.query(
    'create trigger note_host_commit after insert or update on PODDTA.RTSTUP for each row execute function note_host_commit()',
  );
  const listener = await pool.connect();
  try {
    listener.on('notification', ({ payload = '' }) => {
      if (!hostedAt.has(payload)) hostedAt.set(payload, performance.now());
      poll();
    });
    await listener.query('listen host_commit');
    let next = 0;
    for await (const _tick of ticks(EVERY_MS)) {
      const n = next % ROUTES;
      const item = phones[n]?.items[Math.floor(next / ROUTES)];
      if (item === undefined) break;
      links[n]?.socket.send(`{"type":"push","mutations":[${item}]}`);
      next += 1;
    }
    await done.promise;
  } finally {
    listener.release(true);
  }
  return [...hostedAt].map(([stop, at]) => Math.max(0, at - (ackedAt.get(stop) ?? at)));
}

/** Each change gives a stop a new planned arrival, which identifies the change. */
async function changeAndWatch(clerk: Host, watched: Watchers): Promise<number[]> {
  const waits: number[] = [];
  let change = 0;
  const seen: Promise<void>[] = [];
  for await (const _tick of ticks(CHANGE_EVERY_MS)) {
    if (change === CHANGES) break;
    const { id } = benchRoute(change % ROUTES);
    const [stop, eta] = [Math.floor(change / ROUTES) + 1, String(230_000 + change)];
    await clerk.query('update PODDTA.RTSTPP set RSETA = ? where RSRTE = ? and RSSTP = ?', [eta, id, String(stop)]);
    const committed = performance.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    const watch = (frame: ServerFrame): void => {
      if (frame.type !== 'patch' || !JSON.stringify(frame).includes(eta)) return;
      watched.get(id)?.delete(watch);
      waits.push(performance.now() - committed);
      resolve();
    };
    watched.get(id)?.add(watch);
    seen.push(promise);
    change += 1;
  }
  await Promise.all(seen);
  return waits;
}
