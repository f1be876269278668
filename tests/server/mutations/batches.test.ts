import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { routesChannel } from '../../../server/src/db/notify-sql.ts';
import { TestQueue } from '../../support/sealing.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { restChange } from '../../support/rest-change.ts';
import { addRoute, bindQueue, delivered, pipelineDeps, route, updateOf } from './fixture.ts';
import { anyScript, dispatch, submitAll } from './concurrent-edits.ts';

const deps = await pipelineDeps();
const pipeline = deps.open();

describe('batches', () => {
  it('one that waits for a lock delays no other, not even a single tap', async () => {
    const [slow, quick] = [new TestQueue(), new TestQueue()];
    const [slowSession, quickSession] = [await bindQueue(deps, slow, '1001'), await bindQueue(deps, quick, '1002')];
    const [slowRoute, quickRoute] = [await addRoute(deps, 'B1', ['1001']), await addRoute(deps, 'B2', ['1002'])];
    const other = await deps.pool.connect();
    await other.query('begin');
    await other.query('select last_seq from client where client_id = $1 for update', [slow.clientId]);
    let waits = true;
    const first = pipeline.push(slowSession, [updateOf(slow, slowRoute, delivered(1))]).finally(() => (waits = false));
    await expect
      .poll(async () => (await deps.one<{ n: number }>('select count(*) as n from pg_locks where not granted')).n)
      .toBeGreaterThan(0);

    const second = await pipeline.push(quickSession, [updateOf(quick, quickRoute, delivered(1))]);

    expect(second.results[0]?.result).toBe('applied');
    expect(waits).toBe(true);
    await other.query('rollback');
    other.release();
    expect((await first).results[0]?.result).toBe('applied');
  });

  it('with more routes than a notification can name are saved at once, and the notification names all', async () => {
    // A batch takes at most 32 changes of one driver.
    const routes = Array.from({ length: 250 }, (_, n) => ({ id: `ÄÖÜÄÖÜ${n}`, drivers: [`${1001 + (n % 10)}`] }));
    const plans = { facility: 'F01', weekEnd: '20261121', stops: [plan(1)] };
    await insertRoutes(
      deps.pool,
      routes.map((each) => ({ ...plans, ...each })),
    );
    const listener = await deps.pool.connect();
    onTestFinished(() => listener.release(true));
    const heard: unknown[] = [];
    listener.on('notification', ({ payload }) => heard.push(payload));
    await listener.query(`listen ${routesChannel}`);
    const outcomes = await Promise.all(
      routes.map(({ id, drivers: [driver = ''] }) => pipeline.submit(restChange(route(id), delivered(1), driver))),
    );
    expect(outcomes.map(({ result }) => result)).toEqual(routes.map(() => 'applied'));
    await expect.poll(() => heard).toContain('*');
  });

  it('answer and save the same as their items one by one', async () => {
    // All scripts run in parallel, which costs little more than one.
    const anyScripts = fc.array(anyScript, { minLength: 40, maxLength: 40, size: 'max' });
    const sameEitherWay = fc.asyncProperty(anyScripts, async (scripts) => {
      const [batched, single] = [
        await dispatch(deps.database, 'T', scripts),
        await dispatch(deps.database, 'O', scripts),
      ];
      const together = await submitAll(pipeline, deps.database, batched, { together: true });
      const apart = await submitAll(pipeline, deps.database, single, { together: false });
      const differing = scripts.map((script, n) => ({ script, together: together[n], apart: apart[n] }));
      expect(differing.filter((tale) => !isDeepStrictEqual(tale.together, tale.apart))).toEqual([]);
    });
    await fc.assert(sameEitherWay, { numRuns: 1, endOnFailure: true });
  });
});

describe('temporary faults reject the call', () => {
  it('tries a batch again that PostgreSQL ended for a deadlock', async () => {
    const key = await addRoute(deps, 'F5', ['1001']);
    // A sequence counts on where its transaction is rolled back.
    await deps.pool.query(
      `create sequence collision;
       create function collide() returns trigger language plpgsql as
         $$ begin if nextval('collision') <= 2 then raise 'a cycle' using errcode = '40P01'; end if; return new; end $$;
       create trigger collide before insert on ledger for each row when (new.route_id = 'F5') execute function collide()`,
    );
    expect(await pipeline.submit(restChange(key, delivered(1), '1001'))).toMatchObject({ result: 'applied' });
    expect(await deps.one(`select last_value::int as attempts from collision`)).toEqual({ attempts: 3 });
  });

  it('waits for a route that another transaction holds, while others go on', async () => {
    const held = await addRoute(deps, 'F1', ['1001']);
    const free = await addRoute(deps, 'F2', ['1002']);
    const holder = await deps.pool.connect();
    await holder.query('begin');
    await holder.query(`select from route where id = 'F1' for update`);
    let answered = false;
    const waiting = pipeline.submit(restChange(held, delivered(1), '1001')).finally(() => (answered = true));
    await pipeline.submit(restChange(free, delivered(1), '1002'));
    expect(answered).toBe(false);
    await holder.query('commit');
    holder.release();
    expect(await waiting).toMatchObject({ result: 'applied' });
  });

  it('rejects items that wait for a locked route when the server stops', async () => {
    const held = await addRoute(deps, 'F4', ['1001']);
    const stopping = deps.open();
    const holder = await deps.pool.connect();
    await holder.query('begin');
    await holder.query(`select from route where id = 'F4' for update`);
    const waiting = stopping.submit(restChange(held, delivered(1), '1001')).catch((error: unknown) => error);
    await new Promise(setImmediate); // now its batch is open
    await stopping.close();
    const late = new Promise((resolve) => setImmediate(resolve, 'still waiting'));
    expect(await Promise.race([waiting, late])).toEqual(new Error('the server is stopping'));
    await holder.query('commit');
    holder.release();
  });

  it('rejects when the connection is cut before the commit, and the same push again is applied once', async () => {
    const key = await addRoute(deps, 'F3', ['1001']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const item = updateOf(queue, key, delivered(1));
    // Holds the batch inside its transaction: the ledger insert waits for this lock.
    const holder = await deps.pool.connect();
    await holder.query('begin');
    await holder.query('lock table ledger in exclusive mode');
    const pushed = pipeline.push(session, [item]);
    const lost = pushed.then(
      () => 'answered',
      () => 'rejected',
    );
    const stuck = `from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into ledger%' and datname = current_database()`;
    await expect.poll(async () => (await deps.pool.query(`select ${stuck}`)).rowCount).toBe(1);
    await deps.pool.query(`select pg_terminate_backend(pid) ${stuck}`);
    expect(await lost).toBe('rejected');
    await holder.query('commit');
    holder.release();
    expect(await pipeline.push(session, [item])).toMatchObject({ results: [{ result: 'applied', version: 2 }] });
  });
});
