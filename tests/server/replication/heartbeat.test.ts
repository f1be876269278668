import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createPool } from '../../../server/src/db/pool.ts';
import { withTransaction } from '../../../server/src/db/transaction.ts';
import { closedBreaker } from '../../../server/src/replication/control/breaker.ts';
import { findLiveWorker, Heartbeat } from '../../../server/src/replication/control/heartbeat.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { createDatabase } from '../../support/postgres.ts';
import { recordedLog } from '../../support/recorded-log.ts';

let database: TestDatabase;
const hostStatus = { breaker: closedBreaker, paused: [] };

beforeAll(async () => {
  database = await createDatabase();
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const heartbeat = (worker = randomUUID(), intervalMs?: number) =>
  new Heartbeat({
    db: database.pool,
    worker,
    hostStatus: () => hostStatus,
    log: recordedLog(),
    ...(intervalMs === undefined ? {} : { intervalMs }),
  });
const age = (seconds: number) =>
  database.pool.query('update worker_heartbeat set seen_at = now() - make_interval(secs => $1)', [seconds]);

describe('the heartbeat of workers', () => {
  test('without a worker the check fails', async () => {
    await expect(findLiveWorker(database.pool)).rejects.toThrow('no worker has sent a heartbeat for 20 s');
  });

  test('a worker is found from its first beat until it stops', async () => {
    const worker = heartbeat();
    await worker.start();
    await findLiveWorker(database.pool);
    await worker.stop();
    await expect(findLiveWorker(database.pool)).rejects.toThrow('no worker');
  });

  test('it beats repeatedly', async () => {
    const worker = heartbeat(randomUUID(), 5);
    await worker.start();
    await age(3_600);
    await expect
      .poll(() =>
        findLiveWorker(database.pool).then(
          () => 'found',
          () => 'missing',
        ),
      )
      .toBe('found');
    await worker.stop();
  });

  test('stop waits for a slow heartbeat, and none follows', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const heartbeats = vi.spyOn(database.pool, 'query');
    const worker = heartbeat(randomUUID(), 5);
    await worker.start();
    await withTransaction(database.pool, async (tx) => {
      await tx.query('lock table worker_heartbeat');
      vi.advanceTimersByTime(50);
    });
    expect(heartbeats).toHaveBeenCalledTimes(2);
    await worker.stop();
    await expect(findLiveWorker(database.pool)).rejects.toThrow('no worker');
  });

  test('a worker without a beat for 20 s is missing, and another one is enough', async () => {
    const [ended, running] = [heartbeat(), heartbeat()];
    await ended.start();
    await age(19);
    await findLiveWorker(database.pool);
    await age(21);
    await expect(findLiveWorker(database.pool)).rejects.toThrow('no worker');
    await running.start();
    await findLiveWorker(database.pool);
    await ended.stop();
    await findLiveWorker(database.pool);
    await running.stop();
  });

  test('a worker without a beat for a day is deleted', async () => {
    const [old, young] = [heartbeat(), heartbeat()];
    await old.start();
    await age(90_000);
    await young.start();
    const { rowCount } = await database.pool.query('select from worker_heartbeat');
    expect(rowCount).toBe(1);
    await old.stop();
    await young.stop();
  });

  test('an unreachable database does not stop the heartbeat', async () => {
    const db = createPool({ url: database.url, name: 'away', log: recordedLog() });
    await db.end();
    const worker = new Heartbeat({ db, worker: randomUUID(), hostStatus: () => hostStatus, log: recordedLog() });
    await expect(worker.start()).resolves.toBeUndefined();
    await expect(worker.stop()).resolves.toBeUndefined();
  });
});
