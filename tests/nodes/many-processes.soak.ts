import { beforeAll, describe, expect, test } from 'vitest';
import { startServer, type ServerProcess } from '../support/server-process.ts';
import { allOnHost, openSignedUp, until, type Device } from '../system/device.ts';
import { RouteHistory, hostStateOf } from '../system/route-history.ts';
import { demoRoute, openService, type Service } from '../system/service.ts';

// Two processes that serve and two that replicate, as `npm start` runs them, on one PostgreSQL.

const delivered = { status: 'D', end_delivery_time: '2026-11-20T16:05:00.000Z' } as const;
const route = demoRoute('R100');

let service: Service;
let worker: ServerProcess;
let apis: readonly ServerProcess[];
/** Phones of the two drivers of one route, each at a node of its own. */
let left: Device;
let right: Device;

beforeAll(async () => {
  service = await openService({ role: 'worker' });
  worker = service.server;
  apis = await Promise.all([1, 2].map(() => startServer(service.env, ['--role', 'api'])));
  [left, right] = await Promise.all(
    ['1001', '1002'].map((employee, n) => openSignedUp(apis[n]?.port ?? 0, employee)),
  ).then(([one, other]) => {
    if (!one || !other) throw new Error('two nodes, two phones');
    return [one, other];
  });
});

function signal({ pid }: ServerProcess, name: NodeJS.Signals): void {
  if (pid === undefined) throw new Error('it does not run');
  process.kill(pid, name);
}

async function leasesOfRoute(): Promise<number> {
  const statement = 'select from route_lease where route_id = $1 and expires_at > now()';
  return (await service.database.pool.query(statement, [route.id])).rows.length;
}

const commentAt = ({ app }: Device, stop: number) => app.stop(stop, route).current?.updates.driver_comments;

describe('several processes on one PostgreSQL', () => {
  test('another worker takes over the route of a killed worker', async ({ annotate }) => {
    const next = await startServer(service.env, ['--role', 'worker']);
    // This worker is paused until the other one has the route and is in the middle of it, at two seconds a statement.
    signal(next, 'SIGSTOP');
    await service.fault('slow', 'on');
    const day = new RouteHistory(route);
    const receipts = [1, 2, 3].map((id) => day.update(left.app, { id, updates: delivered }));
    await Promise.all(receipts.map(({ accepted }) => accepted));
    await expect.poll(leasesOfRoute).toBe(1);
    await worker.kill9();
    const killedAt = performance.now();
    signal(next, 'SIGCONT');
    await service.fault('slow', 'off');
    expect(receipts.map(({ current }) => current.at)).toEqual(['accepted', 'accepted', 'accepted']);
    await allOnHost(left.app, [...day.ids]);
    const seconds = ((performance.now() - killedAt) / 1_000).toFixed(1);
    await annotate(`from the end of a worker until another had brought its route to the host: ${seconds} s`);
    expect(await hostStateOf(service, route)).toEqual(day.expected());
    await worker.start();
  });

  test('the workers write each change to the host once, from any node and with any number of workers', async () => {
    const writes = await service.watchWrites();
    const stops = Array.from({ length: 40 }, (_, n) => n + 1);
    const big = demoRoute('R900');
    const [drivers, day] = [await openSignedUp(apis[1]?.port ?? 0, '1009'), new RouteHistory(big)];
    const shared = new RouteHistory(route);
    for (const id of stops) day.update(drivers.app, { id, updates: delivered });
    for (const id of [4, 5, 6, 7]) shared.update(left.app, { id, updates: delivered });
    for (const id of [8, 9, 10, 11]) shared.update(right.app, { id, updates: delivered });
    const idsOf = ({ ids }: RouteHistory, { app }: Device) => [...ids].filter((id) => app.receipt(id));
    await Promise.all([
      allOnHost(drivers.app, idsOf(day, drivers)),
      allOnHost(left.app, idsOf(shared, left)),
      allOnHost(right.app, idsOf(shared, right)),
    ]);
    const written = (await writes()).map(({ stop }) => stop).toSorted((a, b) => a - b);
    expect(written).toEqual([...stops, 4, 5, 6, 7, 8, 9, 10, 11].toSorted((a, b) => a - b));
    expect(await hostStateOf(service, big)).toEqual(day.expected());
  });

  test('a change that one node accepts appears on the other, both ways', async ({ annotate }) => {
    const times: number[] = [];
    const pass = async (from: Device, to: Device, stop: number, word: string): Promise<void> => {
      const start = performance.now();
      from.app.updateStop(route, { id: stop, updates: { driver_comments: word } });
      await until(to.app.stop(stop, route), (shown) => shown?.updates.driver_comments === word);
      times.push(performance.now() - start);
    };
    for (let n = 0; n < 50; n++) {
      await pass(left, right, 1, `left ${n}`);
      await pass(right, left, 2, `right ${n}`);
    }
    expect([commentAt(left, 2), commentAt(right, 1)]).toEqual(['right 49', 'left 49']);
    const [p50, p99] = [0.5, 0.99].map((q) => times.toSorted((a, b) => a - b)[Math.floor(q * times.length)]);
    await annotate(
      `from a tap to the phone at the other node: ${p50?.toFixed(1)} ms (p50), ${p99?.toFixed(1)} ms (p99)`,
    );
  });
});
