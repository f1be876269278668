import { stopView } from '@tailgate/sync-protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RouteAnswer } from '../../../server/src/http/endpoints/route-answer.ts';
import { stopPayload } from '../../../server/src/routes/payload.ts';
import type { ChangedStop, PendingRoute } from '../../../server/src/routes/queries.ts';
import { plan } from '../../support/mirror.ts';

const descriptor = { message: 'Grüße', stop: stopPayload };
const route = (version: number): PendingRoute => ({
  key: { facility: 'F01', id: 'R1', week_end: '20261121' },
  epoch: 1,
  version,
  name: `Tür ${version}`,
  changedAt: new Date(version),
  arrived: false,
  autocloseAt: null,
  forcecloseAt: null,
  drivers: [],
});

/** An added, changed, moved or removed stop. */
const change = fc
  .record({ id: fc.integer({ min: 1, max: 6 }), sequence: fc.nat(5), gone: fc.boolean(), comment: fc.string() })
  .map(({ id, sequence, gone, comment: driver_comments }): ChangedStop => ({
    id,
    plan: gone ? undefined : { ...plan(id, 1), sequence },
    result: { status: 'P', updates: { driver_comments } },
  }));
const version = fc.uniqueArray(change, { selector: ({ id }) => id, maxLength: 4 });

test('an answer updated from the previous one equals one built from all stops (contract §4)', () => {
  fc.assert(
    fc.property(fc.array(version, { maxLength: 6 }), (versions) => {
      const all = new Map<number, ChangedStop>();
      let answer: RouteAnswer<ReturnType<typeof stopPayload>> | undefined;
      for (const [n, stops] of versions.entries()) {
        for (const stop of stops) all.set(stop.id, stop);
        answer = RouteAnswer.of(descriptor, route(n), { epoch: 1, version: n, stops }, answer);
        const shown = [...all.values()]
          .flatMap(({ plan: planned, result }) => (planned ? [stopView(planned, result)] : []))
          .toSorted((a, b) => a.sequence - b.sequence || a.id - b.id);
        expect(JSON.parse(answer.bytes.toString())).toEqual({
          success: true,
          message: 'Grüße',
          data: {
            ...{ id: 'R1', facility: 'F01', week_end: '20261121', drivers: [] },
            ...{ name: `Tür ${n}`, last_updated: new Date(n).toISOString() },
            stops: shown.map(stopPayload),
          },
          meta: { version: n, arrived: false, autoclose_at: null, forceclose_at: null },
        });
        expect(answer.version).toBe(n);
      }
    }),
  );
});
