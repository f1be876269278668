import { operations } from '@tailgate/sync-protocol';
import type { PathSetName, StopPlan } from '@tailgate/sync-protocol';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { StopChange } from '../../support/any-route.ts';
import { anyChange, anyStops } from '../../support/any-route.ts';
import { insertRoutes } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';
import { linesOf, StopModel } from '../../support/stop-model.ts';

const { readRoute, readRouteV20, syncStops } = operations;
const runs = { numRuns: 20 };
/** Dozens of requests each run, which take long on a busy machine. */
const patient = 90_000;

let server: RestServer;
let drivers: readonly Signed[];
let number = 0;

beforeAll(async () => {
  server = await startRestServer();
  await newRoute([]);
  drivers = [await signUp(server.client, '1001'), await signUp(server.client, '1002')];
});

/** The one open route of both drivers from now on. */
async function newRoute(stops: readonly StopPlan[]): Promise<string> {
  const { pool } = server.database;
  await pool.query(`update route set status = 'C' where status = 'O'`);
  const id = `R${++number}`;
  await insertRoutes(pool, [{ facility: 'F01', id, weekEnd: '20261121', drivers: ['1001', '1002'], stops }]);
  return id;
}

interface SentChange {
  readonly driver: number;
  readonly paths: PathSetName;
  readonly stop: number;
  readonly change: StopChange;
}
const changes = fc.array(
  fc.record({
    driver: fc.nat(1),
    paths: fc.constantFrom<PathSetName[]>('v20', 'current'),
    stop: fc.nat(1),
    change: anyChange,
  }),
  { minLength: 1, maxLength: 6 },
);

const signed = (index: number): Signed => {
  const driver = drivers[index];
  if (!driver) throw new Error(`no driver ${index}`);
  return driver;
};

const bodyOf = ({ id, products, collections }: StopPlan, { updates, lines, returns }: StopChange) => ({
  id,
  updates,
  products: linesOf(products, lines),
  collections: linesOf(collections, returns),
});

const put = (id: string, plan: StopPlan, { driver, paths, change }: SentChange) =>
  server.client.take(syncStops, { as: signed(driver), paths, body: { id, stops: [bodyOf(plan, change)] } });
const get = () => server.client.call(readRoute, { as: signed(0) });
const stopsOf = (data: unknown) => readRoute.data.parse(data).stops;

test(
  'GET shows the stored values, field by field, the last writer of each field, groups and entries in their order (contract §4)',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyStops, changes, async (plans, sequence) => {
        const id = await newRoute(plans);
        const models = plans.map((plan) => new StopModel(plan));
        for (const sent of sequence) {
          const plan = plans[sent.stop];
          if (!plan) continue;
          const { stops } = await put(id, plan, sent);
          expect(['applied', 'duplicate', 'stale']).toContain(stops[0]?.result);
          models[sent.stop]?.take(sent.change, signed(sent.driver).employee_id);
        }
        expect(stopsOf((await get()).data)).toEqual(models.map((model) => model.expected()));
      }),
      runs,
    );
  },
  patient,
);

test(
  'the same body again is a duplicate without any effect: same version, same tag (contract §4)',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyStops, changes, async (plans, sequence) => {
        const id = await newRoute(plans);
        for (const sent of sequence) {
          const plan = plans[sent.stop];
          if (!plan) continue;
          const first = await put(id, plan, sent);
          const before = await get();
          const again = await put(id, plan, { ...sent, paths: sent.paths === 'v20' ? 'current' : 'v20' });
          // A request that changed nothing stored nothing to compare with; it changes nothing again.
          const untouched = first.stops[0]?.result !== 'applied';
          expect(again.stops[0]?.result).toBe(untouched ? first.stops[0]?.result : 'duplicate');
          expect(again.stops[0]?.version).toBe(first.stops[0]?.version);
          const after = await get();
          expect([after.headers.get('etag'), after.meta]).toEqual([before.headers.get('etag'), before.meta]);
        }
      }),
      runs,
    );
  },
  patient,
);

test(
  'v20 shows the plan of each line without its results, and the stop as the unprefixed set shows it (contract §4)',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyStops, changes, async (plans, sequence) => {
        const id = await newRoute(plans);
        const v20 = async () => (await server.client.take(readRouteV20, { paths: 'v20', as: signed(0) })).stops;
        const planned = await v20();
        for (const sent of sequence) {
          const plan = plans[sent.stop];
          if (plan) await put(id, plan, sent);
        }
        const now = await v20();
        const withoutAction = (stops: typeof now) =>
          stops.map(({ products, collections }) => [
            products.map(({ action: _, ...line }) => line),
            collections.map(({ action: _, ...line }) => line),
          ]);
        expect(withoutAction(now)).toEqual(withoutAction(planned));
        const frames = (stops: readonly { id: number; updates: unknown; customer: unknown }[]) =>
          stops.map(({ id: stop, updates, customer }) => ({ stop, updates, customer }));
        expect(frames(now)).toEqual(frames(stopsOf((await get()).data)));
      }),
      { numRuns: 10 },
    );
  },
  patient,
);
