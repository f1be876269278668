import type { RouteKey } from '@tailgate/sync-protocol';
import { expect, test, vi } from 'vitest';
import { HostError } from '../../../server/src/host/host.ts';
import { noDrift, type Drift } from '../../../server/src/replication/from-host/drift.ts';
import { judgeRoutes } from '../../../server/src/replication/from-host/judge-routes.ts';
import { recordedLog } from '../../support/recorded-log.ts';

// Facilities that leave their shadow: each of their routes is compared, and no other one matters.

const routeOf = (facility: string): RouteKey => ({ facility, id: 'R1', week_end: '20261121' });
const [pilot, shadowed] = [routeOf('F01'), routeOf('F02')];
const isDue = ({ facility }: RouteKey) => facility === 'F01';
const unread = (key: RouteKey): Drift => ({
  ...noDrift,
  unjudged: [key],
  unreadable: [{ key, error: new HostError('42704', 'RTIMGP in PODDTA type *FILE not found', { file: 'RTIMGP' }) }],
});

const judge = (drifts: readonly Drift[], stopping = new AbortController().signal) => {
  const left = [...drifts];
  const next = async () => left.shift() ?? noDrift;
  const compareRoutes = vi.fn<(keys: readonly RouteKey[]) => Promise<Drift>>(next);
  const imports = { findDrift: next, compareRoutes, importNow: async () => true };
  return { judged: judgeRoutes(imports, { isDue, stopping, log: recordedLog() }), compareRoutes };
};

test('a due route that needs an unreadable file ends it with the names of both', async () => {
  await expect(judge([unread(pilot)]).judged).rejects.toThrow(
    'LEGACY_MODE stays as it was: route R1 of facility F01, week 20261121, needs RTIMGP, which cannot be read (RTIMGP in PODDTA type *FILE not found).',
  );
});

test('a route of a facility that stays in shadow holds up nothing', async () => {
  const { judged, compareRoutes } = judge([unread(shadowed)]);
  await judged;
  expect(compareRoutes).not.toHaveBeenCalled();
});

test('the due routes that are left are compared again, and a stop ends the wait', async () => {
  const { judged, compareRoutes } = judge([{ ...noDrift, unjudged: [pilot, shadowed] }]);
  await judged;
  expect(compareRoutes.mock.calls).toEqual([[[pilot]]]);
  const stopping = new AbortController();
  const stopped = judge([{ ...noDrift, unjudged: [pilot] }], stopping.signal);
  stopping.abort();
  await expect(stopped.judged).rejects.toBe(stopping.signal.reason);
  expect(stopped.compareRoutes).not.toHaveBeenCalled();
});
