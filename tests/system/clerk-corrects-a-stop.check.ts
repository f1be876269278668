import type { Amendment } from '@tailgate/client-sdk';
import { operations } from '../../server/src/http/operations.ts';
import { expect, test } from 'vitest';
import { openSignedUp, until } from './device.ts';
import { demoRoute, openService, opsToken } from './service.ts';

test('a clerk corrects a delivered stop by SQL: the phone shows field, author and time, and the office can look it up', async () => {
  const service = await openService();
  const { app } = await openSignedUp(service.server.port, '1001');
  const route = demoRoute('R100');
  const amendments: Amendment[] = [];
  app.on('amendment', (amendment) => amendments.push(amendment));
  await app.updateStop(route, { id: 2, updates: { status: 'D', store_emp_name: 'Bea' } }).onHost;

  const before = Date.now();
  await service.clerk.transaction(async (tx) => {
    await tx.execute(`update PODDTA.RTSTPP set RSSTS = 'P' where RSRTE = 'R100' and RSSTP = 2`);
    await tx.execute(`update PODDTA.RTSTUP set RUSNAM = 'Ana' where RURTE = 'R100' and RUSTP = 2`);
  });
  const stop = await until(app.stop(2, route), (view) => view?.updates.status === 'P');

  // The host names the author.
  const [clerk] = await service.clerk.query('select left(session_user, 18) as "BY" from PODDTA.PODCTLP');
  const by = String(clerk?.['BY']);
  const scope = `route:F01:R100:${route.week_end}`;
  expect(amendments).toMatchObject([
    { route: scope, stop: 2, path: 'status', before: 'D', after: 'P', by },
    { route: scope, stop: 2, path: 'updates.store_emp_name', before: 'Bea', after: 'Ana', by },
  ]);
  const [{ at } = { at: 0 }] = amendments;
  expect(at).toBeGreaterThanOrEqual(before - 1_000);
  expect(at).toBeLessThanOrEqual(Date.now());
  expect(stop?.amended).toEqual(amendments.map(({ path, after }) => ({ path, value: after, by, at })));

  const history = await service.rest.take(operations.readStopHistory, {
    headers: { authorization: `Bearer ${opsToken}` },
    query: `?facility=F01&route_id=R100&week_end=${route.week_end}&stop_id=2`,
  });
  expect(history.mutations.map(({ source, employee }) => [source, employee])).toEqual([
    ['sync', '1001'],
    ['office', by],
  ]);
  expect(history.mutations[1]?.edit_time).toBe(new Date(at).toISOString());
}, 60_000);
