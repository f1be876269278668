import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Change } from '../../../server/src/mutations/change.ts';
import { restChange } from '../../support/rest-change.ts';
import { addRoute, delivered, pipelineDeps } from './fixture.ts';

const deps = await pipelineDeps();

async function entriesOf(stop: number): Promise<unknown[]> {
  const { rows } = await deps.pool.query<Record<string, unknown>>(
    'select source, employee, attempts from quarantine where stop_id = $1 order by source',
    [stop],
  );
  return rows;
}

test('nodes that refuse the same request concurrently keep one entry', async () => {
  const key = await addRoute(deps, 'R1', ['1001']);
  const nodes = [deps.open(), deps.open()];
  for (let stop = 100; stop < 110; stop++) {
    const change = restChange(key, delivered(stop), '1001');
    const outcomes = await Promise.all(nodes.map((node) => node.submit({ ...change, id: randomUUID() })));
    expect(outcomes).toMatchObject([{ code: 'STOP_NOT_FOUND' }, { code: 'STOP_NOT_FOUND' }]);
    expect(await entriesOf(stop)).toHaveLength(1);
  }
});

test('repetitions by the office and a timer add no entry; each edge has its own', async () => {
  const key = await addRoute(deps, 'R2', ['1001']);
  const pipeline = deps.open();
  const office: Partial<Change> = { source: 'office', actor: { kind: 'office', user: 'ANN' }, dedupeByContent: false };
  const timer: Partial<Change> = { source: 'timer', actor: { kind: 'timer' }, dedupeByContent: false };
  for (const more of [{}, office, office, timer, timer, timer])
    await pipeline.submit({ ...restChange(key, delivered(120), '1001'), ...more });
  expect(await entriesOf(120)).toEqual([
    { source: 'office', employee: 'ANN', attempts: 2 },
    { source: 'rest', employee: '1001', attempts: 1 },
    { source: 'timer', employee: 'timer', attempts: 3 },
  ]);
});
