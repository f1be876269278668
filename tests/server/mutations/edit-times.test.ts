import { expect, test } from 'vitest';
import { TestQueue } from '../../support/sealing.ts';
import { addRoute, bindQueue, delivered, pipelineDeps, updateOf } from './fixture.ts';

const deps = await pipelineDeps();
const pipeline = deps.open();

test('a phone whose clock was set back, and whose app was killed, shifts none of the changes that it recorded behind', async () => {
  const key = await addRoute(deps, 'E1', ['1001']);
  const queue = new TestQueue();
  const session = await bindQueue(deps, queue, '1001');
  const minutes = (n: number): Date => new Date(session.clock.serverNow + n * 60_000);
  const first = updateOf(queue, key, delivered(1, 'an hour ahead'), minutes(50));
  const later = updateOf(queue, key, delivered(1, 'set back'), minutes(-9));
  await pipeline.push(session, [first]);
  await pipeline.push(session, [later]);
  const { rows } = await deps.pool.query<{ id: string; edit_time: Date; received_at: Date }>(
    'select id, edit_time, received_at from ledger where client_id = $1 order by seq',
    [queue.clientId],
  );
  expect(rows).toMatchObject([
    { id: first.id, edit_time: rows[0]?.received_at },
    { id: later.id, edit_time: minutes(-9) },
  ]);
  const { doc } = await deps.one<{ doc: string }>(
    `select doc::text as doc from stop_result where route_id = 'E1' and stop_id = 1`,
  );
  expect(JSON.parse(doc)).toMatchObject({ updates: { driver_comments: 'set back' } });
});

test('a reading that came late bounds the next change all the same', async () => {
  const key = await addRoute(deps, 'E2', ['1001']);
  const queue = new TestQueue();
  const session = await bindQueue(deps, queue, '1001');
  const read = (serverNow: number) => ({ ...session, clock: { ...session.clock, bootId: queue.bootId, serverNow } });
  const items = [updateOf(queue, key, delivered(1)), updateOf(queue, key, delivered(2))];
  await pipeline.push(read(session.clock.serverNow + 60_000), items.slice(0, 1));
  await pipeline.push(read(session.clock.serverNow - 60_000), items.slice(1));
  const { rows } = await deps.pool.query<{ edit_time: Date; received_at: Date }>(
    'select edit_time, received_at from ledger where client_id = $1 order by seq',
    [queue.clientId],
  );
  expect(rows.map(({ edit_time }) => edit_time)).toEqual([rows[0]?.received_at, rows[0]?.received_at]);
});

test('a change of an earlier run is not later than one of the present run behind it in its push', async () => {
  const key = await addRoute(deps, 'E3', ['1001']);
  const queue = new TestQueue();
  const session = await bindQueue(deps, queue, '1001');
  const now = session.clock.serverNow;
  // The boot of another queue is another run.
  const earlier = queue.take(updateOf(new TestQueue(), key, delivered(1), new Date(now + 3_000_000)));
  const present = updateOf(queue, key, delivered(2));
  const clock = { ...session.clock, bootId: queue.bootId, monotonicMs: present.monotonic_ms + 60_000 };
  await pipeline.push({ ...session, clock }, [earlier, present]);
  const { rows } = await deps.pool.query<{ edit_time: Date }>(
    'select edit_time from ledger where client_id = $1 order by seq',
    [queue.clientId],
  );
  expect(rows.map(({ edit_time }) => edit_time)).toEqual([new Date(now - 60_000), new Date(now - 60_000)]);
});
