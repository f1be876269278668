import { codeBook } from '../../server/src/codes/code-book.ts';
import type { Change } from '../../server/src/mutations/change.ts';
import { openPipeline } from '../../server/src/mutations/intake/pipeline.ts';
import { bossWakeups } from '../../server/src/mutations/jobs/wakeups.ts';
import { restChange } from '../support/rest-change.ts';
import { drained, isAllOnHost, openHostDeps } from './host-fixture.ts';

const ROUTES = 100;
const STOPS = 150;
const MUTATIONS = 200_000;
/** Changes that wait for their answer at the same time, as from that many drivers. */
const AT_ONCE = 256;
/**
 * The worker probes an unreachable host this many times as often as in production. Minutes represent an outage of
 * hours.
 */
const TIME_FACTOR = 50;

/**
 * The host is down while 200,000 mutations collect. Drivers see no difference, no change is lost, and the backlog
 * drains without help.
 */
export async function collectWhileHostIsDown(): Promise<boolean> {
  const deps = await openHostDeps({ routes: ROUTES, stops: STOPS, lines: 20, mutations: 0 });
  const { pool } = deps.database;
  // Mirror and host start in the state that the dispatch program leaves.
  await pool.query(`update stop_result set version = 1, status = 'P', doc = '{"status":"P"}'`);
  await pool.query('update route set version = 1, hosted_through = 1');
  const pipeline = openPipeline({
    db: pool,
    wakeups: bossWakeups(deps.boss),
    rules: () => ({ codes: codeBook([]), closeMode: 'legacy', timerMs: 600_000 }),
    clock: () => new Date(),
    log: deps.log,
  });
  try {
    await pool.query(`insert into PODDTA.standin_fault (fault) values ('outage')`);
    const worker = await deps.startWorker(TIME_FACTOR);
    const waits: number[] = [];
    const start = performance.now();
    let next = 0;
    const submitUntilStopped = async (): Promise<void> => {
      for (let n = next++; n < MUTATIONS; n = next++) {
        const asked = performance.now();
        await pipeline.submit(change(n));
        waits.push(performance.now() - asked);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, submitUntilStopped));
    const seconds = (performance.now() - start) / 1_000;
    waits.sort((one, other) => one - other);
    const at = (share: number): string => (waits[Math.floor(waits.length * share)] ?? 0).toFixed(0);
    const { breaker } = await worker.state();
    console.log(
      `  ${MUTATIONS} mutations taken in ${seconds.toFixed(0)} s while the host was down (answer p50 ${at(0.5)} ms, p99 ${at(0.99)} ms); it was asked ${breaker.failures} times`,
    );
    const { rows } = await pool.query<{ taken: number; hosted: number }>(
      `select (select count(*)::int from ledger where result = 'applied') as taken, (select count(*)::int from PODDTA.RTSTUP) as hosted`,
    );
    console.log(`  ${rows[0]?.taken} in the ledger, ${rows[0]?.hosted} stops on the host`);
    const isCollected = rows[0]?.taken === MUTATIONS && rows[0].hosted === 0 && breaker.state === 'open';

    await pool.query(`delete from PODDTA.standin_fault where fault = 'outage'`);
    const drain = await drained(pool);
    console.log(
      `  drained in ${drain.toFixed(1)} s: ${Math.round(MUTATIONS / drain)} mutations/s, ${Math.round((ROUTES * STOPS) / drain)} stops/s`,
    );
    return (await isAllOnHost(pool, ROUTES * STOPS)) && isCollected;
  } finally {
    await pipeline.close();
    await deps.close();
  }
}

/** The n-th change: stop after stop on route after route, then each again with another count. */
function change(n: number): Change {
  const stop = (Math.floor(n / ROUTES) % STOPS) + 1;
  const route = { facility: 'F01', id: `B${n % ROUTES}`, week_end: '20261128' };
  const round = Math.floor(n / (ROUTES * STOPS));
  const updates = {
    status: 'D',
    end_delivery_time: new Date().toISOString(),
    driver_comments: `round ${round} of stop ${stop}`,
  };
  const osd_data = [{ osd_code: 10, data: [{ quantity: round }] }];
  const products = [{ id: 'ITM100000', invoice: `INV${stop}`, updates: { delivered: round, osd_data } }];
  return restChange(route, { id: stop, updates, products }, '1001', { dedupeByContent: false });
}
