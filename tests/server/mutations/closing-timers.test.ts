import { routeScope, type StopResult } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { startClosing, type ClosingOptions } from '../../../server/src/mutations/jobs/closing-timers.ts';
import type { Pipeline, RouteCommit } from '../../../server/src/mutations/change.ts';
import { queues } from '../../../server/src/mutations/jobs/wakeups.ts';
import { idOf } from '../../../server/src/stops/mutation-id.ts';
import { readResult } from '../../../server/src/stops/stored-documents.ts';
import { atFileEnd } from '../../support/file-end.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { restChange } from '../../support/rest-change.ts';
import { addRoute, pipelineDeps } from './fixture.ts';

const TIMER_MS = 600_000;
const NEVER_MS = 3_600_000;

type Deps = Awaited<ReturnType<typeof pipelineDeps>>;
let deps: Deps;
let legacy: Pipeline;
let arrivalGated: Pipeline;
beforeAll(async () => {
  deps = await pipelineDeps();
  legacy = deps.open('legacy');
  arrivalGated = deps.open('arrival');
});

/** Closing timers of a node; without `sweepMs` only the alarm and the start check for due routes. */
async function startTimers(pipeline: Pipeline, options: Partial<ClosingOptions> = {}) {
  const log = recordedLog();
  const timers = await startClosing({
    db: deps.pool,
    boss: deps.boss,
    submit: (change) => pipeline.submit(change),
    clock: () => new Date(),
    log,
    sweepMs: NEVER_MS,
    ...options,
  });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= timers.stop());
  atFileEnd(stop);
  return { log, stop };
}

/** A driver's edit of stop 999, received so long ago that the timer fires in `dueInMs`. */
const warehouse = (key: Awaited<ReturnType<typeof addRoute>>, sent: object, dueInMs: number) => {
  const receivedAt = new Date(Date.now() - TIMER_MS + dueInMs);
  return restChange(key, { id: 999, ...sent }, '1001', { receivedAt, editTime: receivedAt });
};
const arrived = { arrived: true };
const delivered = { updates: { status: 'D' } };

/** The first commit of this pipeline that closes the route. */
function closeOf(pipeline: Pipeline, id: string): Promise<RouteCommit> {
  return new Promise((resolve) => {
    const stop = pipeline.onCommit((commits) => {
      const close = commits.find(
        ({ key, documents }) => key.id === id && documents.some(({ text }) => text.includes('"status":"C"')),
      );
      if (!close) return;
      stop();
      resolve(close);
    });
  });
}

interface RouteRow {
  version: number;
  header_version: number;
  status: string;
  closed_by: string | null;
  autoclose_at: Date | null;
  forceclose_at: Date | null;
}
async function routeRow(id: string): Promise<RouteRow> {
  const { rows } = await deps.pool.query<RouteRow>(
    'select version, header_version, status, closed_by, autoclose_at, forceclose_at from route where id = $1',
    [id],
  );
  if (!rows[0]) throw new Error(`no route ${id}`);
  return rows[0];
}

async function warehouseResult(id: string): Promise<StopResult> {
  const { rows } = await deps.pool.query<{ doc: string }>(
    'select doc from stop_result where route_id = $1 and stop_id = 999',
    [id],
  );
  return readResult(rows[0]?.doc ?? '');
}

async function ledgerOf(id: string) {
  const { rows } = await deps.pool.query<{ version: number; source: string; employee: string; result: string }>(
    'select version, source, employee, result from ledger where route_id = $1 order by version, received_at',
    [id],
  );
  return rows;
}

describe('a closing timer (contract §4, Closing a route)', () => {
  it('closes the route at its alarm after an arrival, and completes stop 999 in the same version', async () => {
    const key = await addRoute(deps, 'C1', ['1001']);
    const outcome = await legacy.submit(warehouse(key, arrived, 300));
    expect(outcome).toMatchObject({ result: 'applied', routeStatus: 'O', version: 2 });
    const closing = closeOf(legacy, 'C1');
    const { stop } = await startTimers(legacy);
    const commit = await closing;
    await stop();

    expect(commit).toMatchObject({ from: 2, to: 3 });
    expect(commit.documents.map(({ key: name, version }) => ({ name, version }))).toEqual([
      { name: 'route', version: 3 },
      { name: 'result/999', version: 3 },
    ]);
    expect(await routeRow('C1')).toEqual({
      version: 3,
      header_version: 3,
      status: 'C',
      closed_by: 'A',
      autoclose_at: null,
      forceclose_at: null,
    });
    const result = await warehouseResult('C1');
    expect(result).toMatchObject({ status: 'C', arrived: true });
    expect(result.by?.[0]).toMatchObject({ client: 'timer', by: '' });
    expect(await ledgerOf('C1')).toEqual([
      { version: 2, source: 'rest', employee: '1001', result: 'applied' },
      { version: 3, source: 'timer', employee: 'timer', result: 'applied' },
    ]);
  });

  it('closes by force without an arrival, and leaves stop 999 as the driver left it', async () => {
    const key = await addRoute(deps, 'C2', ['1001']);
    await arrivalGated.submit(warehouse(key, delivered, 300));
    const before = await warehouseResult('C2');
    const closing = closeOf(arrivalGated, 'C2');
    const { stop } = await startTimers(arrivalGated);
    const commit = await closing;
    await stop();

    expect(commit.documents.map(({ key: name }) => name)).toEqual(['route']);
    expect(await routeRow('C2')).toMatchObject({ version: 3, status: 'C', closed_by: 'F' });
    expect(await warehouseResult('C2')).toEqual(before);
    expect(before.status).toBe('D');
  });

  it('wakes the worker in the commit of the close', async () => {
    const jobs = async () => {
      const { rows } = await deps.pool.query<{ n: number }>(
        'select count(*)::int as n from pgboss.job where name = $1',
        [queues.replicate],
      );
      return rows[0]?.n ?? 0;
    };
    const key = await addRoute(deps, 'C3', ['1001']);
    await legacy.submit(warehouse(key, arrived, -1));
    const before = await jobs();
    const closing = closeOf(legacy, 'C3');
    const { stop } = await startTimers(legacy);
    await closing;
    await stop();
    expect(await jobs()).toBe(before + 1);
  });

  it('decides stop 999, even against an edit from a clock that runs ahead', async () => {
    const key = await addRoute(deps, 'C4', ['1001']);
    await legacy.submit(
      restChange(key, { id: 999, updates: { status: 'S' } }, '1001', { editTime: new Date(Date.now() + 86_400_000) }),
    );
    await legacy.submit(warehouse(key, arrived, -1));
    const closing = closeOf(legacy, 'C4');
    const { stop } = await startTimers(legacy);
    await closing;
    await stop();
    expect((await warehouseResult('C4')).status).toBe('C');
    const late = await legacy.submit(restChange(key, { id: 999, ...delivered }, '1001'));
    expect(late).toMatchObject({ status: 'C', routeStatus: 'C', warnings: [{ code: 'after_close' }] });
  });
});

describe('exactly one close', () => {
  it('if two nodes receive the same alarms', async () => {
    const ids = Array.from({ length: 12 }, (_, n) => `N${n}`);
    for (const id of ids) await legacy.submit(warehouse(await addRoute(deps, id, ['1001']), arrived, -1));
    const nodes = [deps.open('legacy'), deps.open('legacy')];
    const { log: first, stop: stopFirst } = await startTimers(nodes[0]!);
    const { log: second, stop: stopSecond } = await startTimers(nodes[1]!);
    await Promise.all([stopFirst(), stopSecond()]);

    for (const id of ids) {
      expect(await routeRow(id)).toMatchObject({ status: 'C', closed_by: 'A', version: 3 });
      expect((await ledgerOf(id)).filter(({ source }) => source === 'timer')).toHaveLength(1);
    }
    expect([...first.lines, ...second.lines]).toEqual([]);
  });

  it('if the driver closes the route between the read and the lock', async () => {
    const key = await addRoute(deps, 'R1', ['1001']);
    await legacy.submit(warehouse(key, arrived, -1));
    const { stop } = await startTimers(legacy, {
      db: {
        query: async (statement, values) => {
          const found = await deps.pool.query(statement, values);
          await legacy.submit(restChange(key, { id: 999, ...delivered }, '1001'));
          return found;
        },
      },
    });
    await stop();
    expect(await routeRow('R1')).toMatchObject({ status: 'C', closed_by: 'D', version: 3, autoclose_at: null });
    expect((await ledgerOf('R1')).map(({ source }) => source)).toEqual(['rest', 'rest']);
    expect((await warehouseResult('R1')).status).toBe('D');
  });

  it('if a driver used an id derived from route and deadline', async () => {
    const key = await addRoute(deps, 'R3', ['1001']);
    await legacy.submit(warehouse(key, arrived, -1));
    const { autoclose_at } = await routeRow('R3');
    const id = idOf(`timer ${routeScope(key)} ${autoclose_at?.toISOString()}`);
    await legacy.submit(restChange(key, { id: 1, ...delivered }, '1001', { id }));
    const { log, stop } = await startTimers(legacy);
    await stop();
    expect(await routeRow('R3')).toMatchObject({ status: 'C', closed_by: 'A' });
    expect(log.lines).toEqual([]);
  });

  it('and the alarm of a cancelled timer closes nothing', async () => {
    const key = await addRoute(deps, 'R2', ['1001']);
    await legacy.submit(warehouse(key, { ...arrived, ...delivered }, -1));
    const { stop } = await startTimers(legacy);
    await stop();
    expect(await routeRow('R2')).toMatchObject({ status: 'C', closed_by: 'D', version: 2 });
    expect(await ledgerOf('R2')).toHaveLength(1);
  });
});

describe('a deadline survives', () => {
  it('every process: the next start closes overdue routes', async () => {
    const stopped = deps.open('legacy');
    await stopped.submit(warehouse(await addRoute(deps, 'S1', ['1001']), arrived, -1));
    await stopped.close();
    const next = deps.open('legacy');
    const { stop } = await startTimers(next);
    await stop();
    expect(await routeRow('S1')).toMatchObject({ status: 'C', closed_by: 'A' });
  });

  it('the loss of its alarm, by the sweep', async () => {
    const key = await addRoute(deps, 'S2', ['1001']);
    const closing = closeOf(legacy, 'S2');
    const { stop } = await startTimers(legacy, { sweepMs: 20 });
    await legacy.submit(warehouse(key, arrived, 3_000));
    await deps.pool.query('delete from pgboss.job where name = $1', [queues.close]);
    await closing;
    await stop();
    expect(await routeRow('S2')).toMatchObject({ status: 'C', closed_by: 'A' });
  });

  it('other routes whose close is refused: they wait longer each time', async () => {
    const broken = await addRoute(deps, 'S4', ['1001']);
    await legacy.submit(warehouse(broken, arrived, -2_000));
    await deps.pool.query(`delete from stop_result where route_id = 'S4' and stop_id = 999`);
    await legacy.submit(warehouse(await addRoute(deps, 'S5', ['1001']), arrived, -1));
    const closing = closeOf(legacy, 'S5');
    let now = Date.now();
    const { log, stop } = await startTimers(legacy, { sweepMs: 20, routesASweep: 1, clock: () => new Date(now) });
    await closing;
    expect(log.lines).toHaveLength(1);
    now += 10_000;
    await expect.poll(() => log.lines.length).toBe(2);
    now += 10_000;
    const next = closeOf(legacy, 'S6');
    await legacy.submit(warehouse(await addRoute(deps, 'S6', ['1001']), arrived, -1));
    await next;
    expect(log.lines).toHaveLength(2);
    now += 10_000;
    await expect.poll(() => log.lines.length).toBe(3);
    await stop();
    await deps.pool.query(`update route set autoclose_at = null where id = 'S4'`);
  });

  it('the sweep reports a missing database and runs again', async () => {
    const key = await addRoute(deps, 'S3', ['1001']);
    await legacy.submit(warehouse(key, arrived, -1));
    let away = true;
    const closing = closeOf(legacy, 'S3');
    const { log, stop } = await startTimers(legacy, {
      sweepMs: 20,
      db: {
        query: async (statement, values) => {
          if (!away) return deps.pool.query(statement, values);
          away = false;
          throw new Error('Connection terminated unexpectedly');
        },
      },
    });
    await closing;
    await stop();
    expect(log.lines.map(({ level }) => level)).toEqual(['warn']);
  });
});
