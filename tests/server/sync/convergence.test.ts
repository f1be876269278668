import { operations, routeScope } from '@tailgate/sync-protocol';
import type { RouteKey } from '@tailgate/sync-protocol';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { createDatabase } from '../../support/postgres.ts';
import { Replica } from '../../support/replica.ts';
import type { Signed } from '../../support/rest-client.ts';
import { TestQueue } from '../../support/sealing.ts';
import { readSnapshot } from '../../support/snapshot.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';

let database: TestDatabase;
let nodes: [SyncNode, SyncNode];
let drivers: [Signed, Signed];
let routes = 0;

beforeAll(async () => {
  database = await createDatabase();
  nodes = [await startSyncNode({ database }), await startSyncNode({ database })];
  await newRoute();
  drivers = [await signUp(nodes[0].client, '1001'), await signUp(nodes[0].client, '1002')];
});

async function newRoute(): Promise<RouteKey> {
  const key = { facility: 'F01', id: `R${++routes}`, week_end: '20261121' };
  const stops = Array.from({ length: 5 }, (_, n) => plan(n + 1));
  await insertRoutes(database.pool, [{ ...key, weekEnd: key.week_end, drivers: ['1001', '1002'], stops }]);
  return key;
}

/** A phone that follows a route by the protocol and keeps its replica over reconnects. */
class Follower {
  readonly replica = new Replica();
  readonly #scope: string;
  readonly #who: Signed;
  readonly #queue = new TestQueue();
  #phone: Phone | undefined;

  constructor(scope: string, who: Signed) {
    this.#scope = scope;
    this.#who = who;
  }

  async connect(node: SyncNode): Promise<void> {
    this.#phone?.terminate();
    const phone = await Phone.connect(node.socketUrl, this.#queue.clientId);
    this.#phone = phone;
    await phone.signOn(this.#who, { cursors: { [this.#scope]: this.replica.cursor } });
    const frame = await phone.either('patch', 'snapshot');
    if (frame.type === 'patch') return this.replica.take(frame);
    this.replica.take(await readSnapshot(node, this.#who, this.#scope));
    phone.send({ type: 'subscribe', cursors: { [this.#scope]: this.replica.cursor } });
    this.replica.take(await phone.next('patch'));
  }

  async push(key: RouteKey, stop: number, comment: string): Promise<void> {
    this.#phone?.push(
      this.#queue.seal('stop.update', { route: key, stop: { id: stop, updates: { driver_comments: comment } } }),
    );
    await this.#phone?.next('ack');
  }

  async until(version: number, hosted: number): Promise<void> {
    while (this.replica.cursor?.version !== version || this.replica.hostedThrough !== hosted) {
      const patch = await this.#phone?.next('patch');
      if (patch) this.replica.take(patch);
    }
    this.#phone?.terminate();
  }
}

type Act =
  | { readonly do: 'push'; readonly who: 0 | 1; readonly stop: number }
  | { readonly do: 'write'; readonly node: 0 | 1; readonly stop: number }
  | { readonly do: 'reconnect'; readonly who: 0 | 1; readonly node: 0 | 1 }
  | { readonly do: 'plan' | 'remove' | 'host'; readonly stop: number; readonly notified: boolean };

const one = fc.constantFrom<0 | 1>(0, 1);
const stop = fc.integer({ min: 1, max: 5 });
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant('push' as const), who: one, stop }),
  fc.record({ do: fc.constant('write' as const), node: one, stop }),
  fc.record({ do: fc.constant('reconnect' as const), who: one, node: one }),
  fc.record({ do: fc.constantFrom('plan' as const, 'remove' as const, 'host' as const), stop, notified: fc.boolean() }),
);

/** Edits by REST without waiting, so that edits overlap with reads and reconnects. */
const write = (node: SyncNode, { id }: RouteKey, number: number, comment: string): Promise<unknown> =>
  node.client.take(operations.syncStops, {
    as: drivers[0],
    body: { id, stops: [{ id: number, updates: { driver_comments: comment } }] },
  });

/** The writes of import and worker. Without `notified`, the notification is lost. */
async function change(
  key: RouteKey,
  kind: 'plan' | 'remove' | 'host',
  number: number,
  notified: boolean,
): Promise<void> {
  const { pool } = database;
  if (kind === 'host') await pool.query('update route set hosted_through = version where id = $1', [key.id]);
  else {
    await pool.query(
      `with raised as (update route set version = version + 1, plan_version = version + 1 where id = $1 returning version)
       update stop_plan p set version = raised.version, removed_at = $3 from raised where p.route_id = $1 and p.stop_id = $2`,
      [key.id, number, kind === 'remove' ? new Date() : null],
    );
  }
  if (notified) await pool.query(`select pg_notify('tailgate_routes', $1)`, [routeScope(key)]);
}

describe('two phones on two nodes, with edits, imports, lost notifications and reconnects', () => {
  test('end with the server’s documents, and every checksum matches', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), async (acts) => {
        const key = await newRoute();
        const scope = routeScope(key);
        const followers = [new Follower(scope, drivers[0]), new Follower(scope, drivers[1])] as const;
        await Promise.all([followers[0].connect(nodes[0]), followers[1].connect(nodes[1])]);
        const writes: Promise<unknown>[] = [];
        for (const [i, each] of acts.entries()) {
          if (each.do === 'push') await followers[each.who].push(key, each.stop, `edit ${i}`);
          else if (each.do === 'write') writes.push(write(nodes[each.node], key, each.stop, `write ${i}`));
          else if (each.do === 'reconnect') await followers[each.who].connect(nodes[each.node]);
          else await change(key, each.do, each.stop, each.notified);
        }
        await Promise.all(writes);
        const { to, hosted_through: hosted = 0, docs } = await readSnapshot(nodes[0], drivers[0], scope);
        await Promise.all(followers.map((follower) => follower.until(to, hosted)));
        const expected = new Map(docs.map(({ key: name, version, value }) => [name, { version, value }]));
        for (const { replica } of followers) expect(replica.documents).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });
});
