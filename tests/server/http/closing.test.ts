import { operations } from '@tailgate/sync-protocol';
import type { PathSetName } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CloseMode } from '../../../server/src/routes/closing.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

// The table of contract §4, Closing a route, cell by cell, as a client sees it.

const { readRoute, readRouteV20, syncStops } = operations;
const minute = 60_000;
const arrived = { arrived: true };
const delivered = { updates: { status: 'D' } };

interface Environment {
  readonly server: RestServer;
  readonly drivers: ReadonlyMap<string, Signed>;
}
const environments = new Map<CloseMode, Environment>();
let taken = 0;
const routes = 40;

beforeAll(async () => {
  for (const mode of ['legacy', 'arrival'] as const) {
    const server = await startRestServer({ closeMode: mode, timersRing: true });
    // A route of its own for each case: only its driver sees it close.
    const ids = Array.from({ length: routes }, (_, n) => String(2001 + n));
    await insertRoutes(
      server.database.pool,
      ids.map((id) => ({
        facility: 'F01',
        id: `R${id}`,
        weekEnd: '20261121',
        drivers: [id],
        stops: [plan(1), plan(999, 0)],
      })),
    );
    environments.set(mode, { server, drivers: new Map<string, Signed>() });
  }
});

/** A driver with a route that is not closed. */
async function onTheRoad(mode: CloseMode) {
  const environment = environments.get(mode);
  if (!environment) throw new Error(`no ${mode} environment`);
  const { server } = environment;
  const employee = String(2001 + taken++);
  const as = await signUp(server.client, employee);
  const id = `R${employee}`;
  const send = async (stop: object, paths: PathSetName = 'current', call: object = {}) => {
    const data = await server.client.take(syncStops, {
      as,
      paths,
      body: { id, stops: [{ id: 999, ...stop }] },
      ...call,
    });
    return { route: data.route_status, ...data.stops[0] };
  };
  const readMeta = async (paths: PathSetName = 'current') => {
    const reply = await server.client.call(paths === 'v20' ? readRouteV20 : readRoute, { as, paths });
    return reply.success ? readRoute.meta?.parse(reply.meta) : undefined;
  };
  /** The status that a request without changes returns. */
  const state = async () => {
    const { route, status } = await send({ products: [] });
    return { route, warehouse: status };
  };
  const later = (ms: number) => (server.clock.now = new Date(server.clock.now.getTime() + ms));
  const isClosed = async () => {
    while (await readMeta());
    return state();
  };
  const due = () => new Date(server.clock.now.getTime() + 10 * minute).toISOString();
  return { send, readMeta, state, later, isClosed, due };
}

describe.each(['v20', 'current'] as const)('legacy environment, %s (contract §4)', (paths) => {
  test('an arrival starts the timer, which completes stop 999 and closes the route after 10 minutes (contract §4)', async () => {
    const { send, readMeta, state, later, isClosed, due } = await onTheRoad('legacy');
    const deadline = due();
    expect(await send(arrived, paths)).toMatchObject({ route: 'O', result: 'applied', status: 'P' });
    expect(await readMeta(paths)).toMatchObject({ arrived: false, autoclose_at: deadline, forceclose_at: null });
    later(10 * minute - 1);
    expect(await state()).toEqual({ route: 'O', warehouse: 'P' });
    later(1);
    expect(await isClosed()).toEqual({ route: 'C', warehouse: 'C' });
  });

  test.each([
    ['delivered', delivered],
    ['delivered and arrived', { ...arrived, ...delivered }],
    ['complete, which counts as delivered', { updates: { status: 'C' } }],
  ])('%s closes the route at once (contract §4)', async (_, stop) => {
    const { send, readMeta } = await onTheRoad('legacy');
    expect(await send(stop, paths)).toMatchObject({ route: 'C', status: 'D', warnings: [] });
    expect(await readMeta(paths)).toBeUndefined();
  });

  test('a close cancels the timer: the driver has closed it, stop 999 keeps D (contract §4)', async () => {
    const { send, state, later } = await onTheRoad('legacy');
    await send(arrived, paths);
    await send(delivered, paths);
    later(11 * minute);
    expect(await state()).toEqual({ route: 'C', warehouse: 'D' });
  });
});

describe('arrival-gated environment (contract §4)', () => {
  test('an arrival sets the marker, unprefixed without a timer (contract §4)', async () => {
    const { send, readMeta, later } = await onTheRoad('arrival');
    await send(arrived);
    expect(await readMeta()).toMatchObject({ arrived: true, autoclose_at: null, forceclose_at: null });
    later(11 * minute);
    expect(await readMeta()).toMatchObject({ arrived: true });
  });

  test('by v20 it sets the marker and starts the timer, which completes stop 999 (contract §4)', async () => {
    const { send, readMeta, later, isClosed, due } = await onTheRoad('arrival');
    const deadline = due();
    await send(arrived, 'v20');
    expect(await readMeta('v20')).toMatchObject({ arrived: true, autoclose_at: deadline, forceclose_at: null });
    later(10 * minute);
    expect(await isClosed()).toEqual({ route: 'C', warehouse: 'C' });
  });

  test.each(['v20', 'current'] as const)(
    'delivered after an arrival closes at once, %s (contract §4)',
    async (paths) => {
      const { send } = await onTheRoad('arrival');
      await send(arrived, paths);
      expect(await send(delivered, paths)).toMatchObject({ route: 'C', status: 'D' });
    },
  );

  test.each(['v20', 'current'] as const)(
    'delivered after an arrival in the same body closes at once, too, %s (contract §4)',
    async (paths) => {
      const { send } = await onTheRoad('arrival');
      expect(await send({ ...arrived, ...delivered }, paths)).toMatchObject({ route: 'C', status: 'D' });
    },
  );

  test.each(['v20', 'current'] as const)(
    'delivered without an arrival closes by force after 10 minutes; stop 999 stays D, %s (contract §4)',
    async (paths) => {
      const { send, readMeta, later, isClosed, due } = await onTheRoad('arrival');
      const deadline = due();
      expect(await send(delivered, paths)).toMatchObject({ route: 'O', status: 'D' });
      expect(await readMeta(paths)).toMatchObject({ arrived: false, autoclose_at: null, forceclose_at: deadline });
      later(10 * minute);
      expect(await isClosed()).toEqual({ route: 'C', warehouse: 'D' });
    },
  );

  test('a later arrival only sets the marker: the timer runs on, the next D closes (contract §4)', async () => {
    const { send, readMeta, due } = await onTheRoad('arrival');
    const deadline = due();
    await send(delivered);
    expect(await send(arrived)).toMatchObject({ route: 'O' });
    expect(await readMeta()).toMatchObject({ arrived: true, forceclose_at: deadline });
    expect(await send(delivered)).toMatchObject({ route: 'C', status: 'D' });
  });

  test('a skipped or refused warehouse closes nothing (contract §4)', async () => {
    const { send, readMeta } = await onTheRoad('arrival');
    await send({ ...arrived, updates: { status: 'S' } });
    expect(await readMeta()).toMatchObject({ arrived: true, forceclose_at: null });
  });
});

describe('one timer a route and kind (contract §4)', () => {
  test('the first deadline wins, also with twenty concurrent requests on both path sets (contract §4)', async () => {
    const { send, readMeta, later, due } = await onTheRoad('legacy');
    const deadline = due();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => send(arrived, n % 2 ? 'v20' : 'current')));
    expect(answers.filter(({ result }) => result === 'applied')).toHaveLength(1);
    later(minute);
    // Another change in between, so that it is no duplicate.
    await send({ updates: { driver_comments: 'at the gate' } });
    expect(await send(arrived)).toMatchObject({ result: 'applied' });
    expect(await readMeta()).toMatchObject({ autoclose_at: deadline });
  });

  test('the first deadline of the force-close timer wins, too (contract §4)', async () => {
    const { send, readMeta, later, due } = await onTheRoad('arrival');
    const deadline = due();
    await Promise.all(Array.from({ length: 20 }, (_, n) => send(delivered, n % 2 ? 'v20' : 'current')));
    later(minute);
    await send({ updates: { driver_comments: 'at the gate' } });
    await send(delivered);
    expect(await readMeta()).toMatchObject({ forceclose_at: deadline });
  });

  test('a duplicate under a key starts no timer (contract §4)', async () => {
    const { send, readMeta } = await onTheRoad('legacy');
    const keyed = { headers: { 'idempotency-key': 'arrival' } };
    await send(arrived, 'current', keyed);
    const before = await readMeta();
    expect(await send(arrived, 'current', keyed)).toMatchObject({ result: 'duplicate' });
    expect(await readMeta()).toEqual(before);
  });
});

describe('after the close (contract §4)', () => {
  test('the route still accepts everything, with a warning (contract §4)', async () => {
    const { send } = await onTheRoad('legacy');
    await send(delivered);
    expect(await send({ updates: { driver_comments: 'late' } })).toMatchObject({
      route: 'C',
      result: 'applied',
      warnings: [{ code: 'after_close' }],
    });
  });

  test('a complete warehouse is complete after any change (contract §4)', async () => {
    const { send, later, isClosed } = await onTheRoad('legacy');
    await send(arrived);
    later(10 * minute);
    await isClosed();
    expect(await send(delivered)).toMatchObject({ route: 'C', status: 'C' });
    const skipped = await send({ updates: { status: 'S' } });
    expect(skipped).toMatchObject({ status: 'C', result: 'stale' });
    expect(skipped.warnings?.map(({ code }) => code)).toContain('status_ignored');
  });

  test('arrived is never undone, and on other stops it is only stored (contract §4)', async () => {
    const { send, readMeta } = await onTheRoad('arrival');
    await send({ id: 1, ...arrived });
    expect(await readMeta()).toMatchObject({ arrived: false });
    await send(arrived);
    await send({ arrived: false });
    expect(await readMeta()).toMatchObject({ arrived: true });
  });
});
