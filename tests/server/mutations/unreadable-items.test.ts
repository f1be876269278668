import type { MutationName } from '@tailgate/sync-protocol';
import { canonicalJson } from '@tailgate/sync-protocol';
import { describe, expect, it } from 'vitest';
import { deepCanonicalJson } from '../../../server/src/mutations/deep-json.ts';
import { TestQueue } from '../../support/sealing.ts';
import { addRoute, bindQueue, delivered, pipelineDeps, sessionOf, updateOf } from './fixture.ts';

const deps = await pipelineDeps();
const pipeline = deps.open();

const readJson: (text: string) => unknown = JSON.parse;
const nested = (levels: number): string => `${'[{"b":1,"a":'.repeat(levels)}0${'}]'.repeat(levels)}`;
const incidentsOf = async (queue: TestQueue) =>
  (await deps.pool.query<{ kind: string }>('select kind from incident where client_id = $1', [queue.clientId])).rows;

describe('an item that nests without end', () => {
  it.each(['stop.update', 'stop.of_tomorrow'])(
    'goes to quarantine as received (%s), is known again, and the queue continues',
    async (name) => {
      const key = await addRoute(deps, name.slice(5, 15), ['1001']);
      const queue = new TestQueue();
      const session = await bindQueue(deps, queue, '1001');
      const hostile = {
        ...updateOf(queue, key, delivered(1)),
        name,
        args: { route: key, deep: readJson(nested(100_000)) },
      };
      const answer = await pipeline.push(session, [hostile, updateOf(queue, key, delivered(2))]);
      const quarantined = { result: 'quarantined', code: 'VALIDATION_FAILED', reason: 'nested too deeply' };
      expect(answer).toMatchObject({ last_seq: 2, results: [quarantined, { result: 'applied' }] });

      const { rows } = await deps.pool.query<{ body: Buffer; route_id: string }>(
        'select body, route_id from quarantine where client_id = $1',
        [queue.clientId],
      );
      const kept = rows.map(({ body, route_id }) => ({ route_id, text: body.toString() }));
      const sorted = `${'[{"a":'.repeat(100_000)}0${',"b":1}]'.repeat(100_000)}`;
      expect(kept[0]?.text.includes(`"deep":${sorted},"route":{`)).toBe(true);
      expect(kept).toMatchObject([{ route_id: key.id }]);
      expect(await pipeline.push(sessionOf(queue, '1001'), [hostile])).toMatchObject({ results: [quarantined] });
    },
  );

  it('has the same text as other items', () => {
    const value = readJson('{"z":[1,{"y":null,"x":[],"é":"\\n\\ud800"}],"a":{},"10":true,"9":[[],[2,[3]]]}');
    expect(deepCanonicalJson(value)).toBe(canonicalJson(value));
  });
});

describe('an item whose arguments are malformed', () => {
  it.each<[MutationName, object, number | null]>([
    ['stop.update', { stop: { id: 2, updates: { status: 'X' } } }, 2],
    ['stop.update', { stop: { id: '3', products: 'none' } }, 3],
    ['stop.skip_refuse', { stop_id: 1, status: 'D' }, 1],
    ['stop.update', { stop: { id: 'first', updates: {} } }, null],
    ['stop.update', { stop: { id: 4, products: [{ id: 'A', action: { open_action: [{ a: '\0' }] } }] } }, 4],
    ['stop.update', { stop: { id: 4, collections: [{ id: 'A', action: { open_action: { '\ud800': 1 } } }] } }, 4],
    ['stop.update', {}, null],
  ])('is found by the stop that it names, if it names one: %s %j', async (name, args, stop_id) => {
    const key = { facility: 'F01', id: 'NAMED', week_end: '20261121' };
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const { results } = await pipeline.push(session, [queue.seal(name, { route: key, ...args })]);
    expect(results).toMatchObject([{ result: 'quarantined', code: 'VALIDATION_FAILED' }]);
    const { rows } = await deps.pool.query('select route_id, stop_id from quarantine where client_id = $1', [
      queue.clientId,
    ]);
    expect(rows).toEqual([{ route_id: 'NAMED', stop_id }]);
  });
});

describe('an item whose envelope is broken', () => {
  it('keeps its place in the chain if its link is readable', async () => {
    const key = await addRoute(deps, 'LINK', ['1001']);
    const queue = new TestQueue();
    const session = await bindQueue(deps, queue, '1001');
    const first = updateOf(queue, key, delivered(1));
    const broken = queue.seal('stop.update', ['no object']);
    const third = updateOf(queue, key, delivered(3));
    const answer = await pipeline.push(session, [first, broken, third]);
    expect(answer.results.map(({ result }) => result)).toEqual(['applied', 'quarantined', 'applied']);
    expect(answer.results[2]).not.toHaveProperty('warnings');
    expect(await incidentsOf(queue)).toEqual([]);
  });
});
