import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { insertRoutes, plan } from '../support/mirror.ts';
import { tokenHash } from './fixture.ts';
import { benchRoute, sealedQueue, WEEK } from './workload.ts';

/** A driver with a route of 20-line stops, a session, and a queue of sealed items. */
export interface Phone {
  readonly employee: string;
  readonly token: string;
  readonly clientId: string;
  readonly items: readonly string[];
}

export interface FleetSize {
  readonly phones: number;
  readonly mutations: number;
  readonly stops: number;
  readonly lines: number;
}

/** Inserts routes, drivers and sessions, seals the queues of the phones, and then flushes everything to disk. */
export async function makeFleet(pool: pg.Pool, size: FleetSize): Promise<Phone[]> {
  const routes = Array.from({ length: size.phones }, (_, n) => ({
    facility: 'F01',
    id: benchRoute(n).id,
    weekEnd: WEEK,
    drivers: [String(10_000 + n)],
    stops: Array.from({ length: size.stops }, (_stop, s) => plan(s + 1, size.lines)),
  }));
  for (let i = 0; i < routes.length; i += 100) await insertRoutes(pool, routes.slice(i, i + 100));
  await pool.query(
    `insert into code values ('credit-reason', '10', 'Damaged', '', true, '', false, false, 1, true) on conflict do nothing`,
  );
  const phones = routes.map((_, n) => ({
    employee: String(10_000 + n),
    token: `token-of-phone-${n}-${randomUUID()}`,
    clientId: randomUUID(),
    items: sealedQueue(benchRoute(n), size.mutations, size.stops),
  }));
  await pool.query(
    `insert into session (token_hash, employee, device, expires_at) select h, e, 'bench', now() + interval '1 day' from unnest($1::bytea[], $2::text[]) as k (h, e)`,
    [phones.map(({ token }) => tokenHash(token)), phones.map(({ employee }) => employee)],
  );
  await pool.query('vacuum analyze');
  await pool.query('checkpoint');
  return phones;
}
