import { expect, test } from 'vitest';
import { TestQueue } from '../../support/sealing.ts';
import { addRoute, bindQueue, delivered, pipelineDeps, updateOf } from './fixture.ts';

const deps = await pipelineDeps();
const pipeline = deps.open();

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
