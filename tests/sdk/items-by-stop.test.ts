import { routeScope } from '@tailgate/sync-protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Progress, QueueItem } from '../../client-sdk/src/queue/item.ts';
import { isUnfinished, toItem } from '../../client-sdk/src/queue/item.ts';
import { ItemsByStop } from '../../client-sdk/src/queue/items-by-stop.ts';

const routes = ['R1', 'R2'].map((id) => ({ facility: 'F01', id, week_end: '20261128' }));

/** One item for each stop of each route, and one without a known route. */
const newItems = (): QueueItem[] =>
  [...routes.flatMap((route) => [1, 2, 2].map((stop_id) => ({ route, stop_id }))), {}].map((args, seq) =>
    toItem({
      client_id: 'queue',
      employee: '1001',
      form: 'sealed',
      edit_time: 0,
      mutation: {
        id: `id-${seq}`,
        seq,
        name: 'stop.skip_refuse',
        version: 1,
        args,
        captured_at: '',
        boot_id: '',
        monotonic_ms: 0,
        prev_hash: null,
      },
      progress: { at: 'waiting' },
    }),
  );

const steps: readonly Progress[] = [
  { at: 'waiting' },
  { at: 'accepted', version: 1, epoch: null, since: 0, superseded: [], evidence: undefined },
  { at: 'on_host', version: 1, since: 0, accepted_at: 0, evidence: 'awaited' },
  { at: 'on_host', version: 1, since: 0, accepted_at: 0, evidence: undefined },
  { at: 'quarantined', code: 'X', reason: 'x', since: 0, dismissed: undefined },
];
const story = fc.array(fc.tuple(fc.nat(6), fc.constantFrom(...steps, 'forget' as const)), { maxLength: 60 });

test('after any changes of its items, a route and a stop return exactly the unfinished ones', () => {
  fc.assert(
    fc.property(story, (script) => {
      const [items, unfinished] = [newItems(), new ItemsByStop(isUnfinished)];
      const expected = new Set<QueueItem>();
      for (const [i, step] of script) {
        const item = items[i]!;
        if (step === 'forget') unfinished.forget(item);
        else {
          item.progress = step;
          unfinished.place(item);
        }
        if (step !== 'forget' && item.target && isUnfinished(item)) expected.add(item);
        else expected.delete(item);
      }
      for (const scope of routes.map(routeScope)) {
        const ofScope = [...expected].filter(({ target }) => target?.scope === scope);
        expect(new Set(unfinished.of(scope))).toEqual(new Set(ofScope));
        expect(unfinished.scopes.includes(scope)).toBe(ofScope.length > 0);
        for (const stop of [1, 2, 3])
          expect(new Set(unfinished.ofStop(scope, stop))).toEqual(
            new Set(ofScope.filter(({ target }) => target?.stop === stop)),
          );
      }
    }),
  );
});
