import type { Evidence } from './evidence.ts';
import { FACILITY, routeOf, routesOf } from './fixture.ts';

/** What the events of a world have led to, a line each: the database has it, and no event names it. */
export async function outcomesOf({ db, seed, drivers }: Evidence): Promise<string[]> {
  const ofDrivers = [drivers.map(({ employee }) => employee)];
  const { rows: incidents } = await db.query<{ readonly kind: string }>(
    'select kind from incident where employee = any($1) order by kind',
    ofDrivers,
  );
  const { rows: queues } = await db.query<{ readonly employee: string; readonly queues: number }>(
    `select employee, count(distinct client_id)::int as queues from ledger where employee = any($1)
      group by employee having count(distinct client_id) > 1 order by employee`,
    ofDrivers,
  );
  const { rows: closed } = await db.query<{ readonly closed_by: string }>(
    'select closed_by from route where facility = $1 and id = any($2) and closed_by is not null order by id',
    [FACILITY, routesOf(seed).map(({ id }) => id)],
  );
  const { rows: parked } = await db.query<{ readonly stop_id: number }>(
    'select stop_id from parked where facility = $1 and route_id = $2 order by stop_id',
    [FACILITY, routeOf(seed).id],
  );
  return [
    ...incidents.map(({ kind }) => `  incident ${kind}`),
    ...queues.map(({ employee, queues: count }) => `  ${employee} has ${count} queues`),
    ...closed.map(({ closed_by }) => `  a route is closed by ${closed_by}`),
    ...parked.map(({ stop_id }) => `  stop ${stop_id} is parked`),
  ];
}
