import { drained, isAllOnHost, openHostDeps } from './host-fixture.ts';

/** 15,000 stops, each with a result row, a status, and a third of its lines with one exception: 255,000 rows. */
const SIZE = { routes: 100, stops: 150, lines: 40, mutations: 13 };
const ROWS_A_STOP = 3 + Math.ceil(SIZE.lines / 3);

/** A backlog of 200,000 rows: every value reaches the host. */
export async function drainBacklog(): Promise<boolean> {
  const deps = await openHostDeps(SIZE);
  try {
    const stops = SIZE.routes * SIZE.stops;
    await deps.startWorker(1);
    const seconds = await drained(deps.database.pool);
    console.log(
      `  ${stops * ROWS_A_STOP} rows of ${stops} stops in ${seconds.toFixed(1)} s: ${Math.round((stops * ROWS_A_STOP) / seconds)} rows/s, ${Math.round(stops / seconds)} stops/s`,
    );
    return await isAllOnHost(deps.database.pool, stops);
  } finally {
    await deps.close();
  }
}
