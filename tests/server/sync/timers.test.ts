import { operations, routeScope } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import { Replica } from '../../support/replica.ts';
import { TestQueue } from '../../support/sealing.ts';
import { readSnapshot } from '../../support/snapshot.ts';
import { startSyncNode } from '../../support/sync-node.ts';

const DAY_MS = 86_400_000;

test('the feed sends a running timer, and the close that it causes, to the phones of the route (docs/protocol.md, The feed)', async () => {
  // The test moves the clock by ten minutes while a socket is open. The server does not count them as silence.
  const node = await startSyncNode({ timersRing: true, limits: { sweep_ms: 60_000, ping_ms: 3_600_000 } });
  const key = { facility: 'F01', id: 'R1', week_end: '20261121' };
  await insertRoutes(node.database.pool, [
    { ...key, weekEnd: key.week_end, drivers: ['1001'], stops: [plan(1), plan(999, 0)] },
  ]);
  const as = await signUp(node.client, '1001');
  const scope = routeScope(key);
  const replica = new Replica();
  replica.take(await readSnapshot(node, as, scope));
  const phone = await Phone.connect(node.socketUrl, new TestQueue().clientId);
  await phone.signOn(as, { cursors: { [scope]: replica.cursor } });
  replica.take(await phone.next('patch'));

  const now = node.clock.now.getTime();
  const body = { id: key.id, stops: [{ id: 999, arrived: true }] };
  await node.client.take(operations.syncStops, { as, body });
  replica.take(await phone.next('patch'));
  const autoclose_at = new Date(now + 600_000).toISOString();
  expect(replica.documents.get('route')?.value).toMatchObject({ status: 'O', autoclose_at, forceclose_at: null });
  expect(await phone.next('timer')).toEqual({ type: 'timer', scope, autoclose_at, forceclose_at: null });

  node.clock.now = new Date(now + 600_000);
  replica.take(await phone.next('patch'));
  expect(replica.documents.get('route')?.value).toMatchObject({ status: 'C', closed_by: 'A', autoclose_at: null });
  expect(replica.documents.get('result/999')?.value).toMatchObject({ status: 'C' });
  expect(await phone.next('timer')).toEqual({ type: 'timer', scope, autoclose_at: null, forceclose_at: null });
});

test('a phone follows a closed route for seven days of the server’s clock, not of PostgreSQL’s', async () => {
  const node = await startSyncNode({});
  node.clock.now = new Date(Date.now() - 30 * DAY_MS);
  const closed = [
    ['LATELY', 6],
    ['LONG-AGO', 8],
  ] as const;
  await insertRoutes(
    node.database.pool,
    closed.map(([id]) => ({ facility: 'F01', id, weekEnd: '20261121', drivers: ['1001'], stops: [plan(999, 0)] })),
  );
  for (const [id, days] of closed)
    await node.database.pool.query(
      `update route set status = 'C', closed_by = 'D', closed_at = $2, hosted_through = version where id = $1`,
      [id, new Date(node.clock.now.getTime() - days * DAY_MS)],
    );
  const as = await signUp(node.client, '1001');
  const phone = await Phone.connect(node.socketUrl, new TestQueue().clientId);
  const { routes } = await phone.signOn(as, {});
  expect(routes.map(({ id }) => id)).toEqual(['LATELY']);
});
