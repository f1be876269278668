import { drained, isAllOnHost, openHostGround } from './host-ground.ts';

/** 15,000 stops, each with a result row, a status, and a third of its lines with one exception: 255,000 rows. */
const SIZE = { routes: 100, stops: 150, lines: 40, mutations: 13 };
const ROWS_A_STOP = 3 + Math.ceil(SIZE.lines / 3);

/** 200,000-row backlog: whatever has collected goes out, every value of it. */
export async function drainBacklog(): Promise<boolean> {
  const ground = await openHostGround(SIZE);
  try {
    const stops = SIZE.routes * SIZE.stops;
    await ground.startWorker(1);
    const seconds = await drained(ground.database.pool);
    console.log(
      `  ${stops * ROWS_A_STOP} rows of ${stops} stops in ${seconds.toFixed(1)} s: ${Math.round((stops * ROWS_A_STOP) / seconds)} rows/s, ${Math.round(stops / seconds)} stops/s`,
    );
    return await isAllOnHost(ground.database.pool, stops);
  } finally {
    await ground.close();
  }
}
