import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import type { MirrorRoute } from '../../support/mirror.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

const { syncStops } = operations;

let server: RestServer;
let driver: Signed;

beforeAll(async () => {
  server = await startRestServer();
  await insertRoutes(server.database.pool, [
    route('R100', ['1001', '1002'], '20261121'),
    route('R200', ['1003'], '20261121'),
    route('R500', ['1001'], '20261114'),
    route('R500', ['1001'], '20261121'),
    route('R500', ['1001'], '20261128'),
    { ...route('R600', ['1001'], '20261121'), facility: 'F02' },
    route('R600', ['1003'], '20261121'),
  ]);
  driver = await signUp(server.client, '1001');
});

function route(id: string, drivers: string[], weekEnd: string): MirrorRoute {
  return { facility: 'F01', id, weekEnd, drivers, stops: [plan(1), plan(999, 0)] };
}

async function kept() {
  const { rows } = await server.database.pool.query<{ code: string; route_id: string; employee: string; body: Buffer }>(
    'select code, route_id, employee, body from quarantine order by received_at',
  );
  return rows.map(({ body, ...row }) => ({ ...row, body: body.toString() }));
}

describe('contract §1 and §4: the route that a request means', () => {
  const close = (week: string) =>
    server.database.pool.query(`update route set status = 'C' where id = 'R500' and week_end = $1`, [week]);
  const sendTo = (body: object) =>
    server.client.call(syncStops, { as: driver, body: { stops: [{ id: 1, updates: { status: 'D' } }], ...body } });

  test('the id alone is enough: the one open route of this driver', async () => {
    expect((await sendTo({ id: 'R100' })).data).toMatchObject({ week_end: '20261121' });
    expect((await sendTo({ id: 'R600', facility: '', week_end: null })).data).toMatchObject({ facility: 'F02' });
  });

  test('several open ones are 409 and listed; facility or week_end narrow', async () => {
    const reply = await sendTo({ id: 'R500' });
    expect(reply.error).toMatchObject({ code: 'AMBIGUOUS_ROUTE', details: { length: 3 } });
    expect(reply.error?.details.map(({ message }) => message)).toContain('F01 R500 20261128');
    expect((await sendTo({ id: 'R500', week_end: '20261128' })).data).toMatchObject({ week_end: '20261128' });
    await close('20261128');
    await close('20261121');
    expect((await sendTo({ id: 'R500' })).data).toMatchObject({ week_end: '20261114', route_status: 'O' });
  });

  test('without open ones, the newest closed one: a late queue still finds its route', async () => {
    for (const week of ['20261114', '20261121', '20261128']) await close(week);
    expect((await sendTo({ id: 'R500' })).data).toMatchObject({ week_end: '20261128', route_status: 'C' });
  });

  test('an unknown route is 404, and the request is quarantined under its named parts', async () => {
    for (const body of [
      { id: 'R999' },
      { id: 'R999', facility: 'F01', week_end: '20261121' },
      { id: 'R100', week_end: '20250104' },
    ])
      expect((await sendTo(body)).error?.code).toBe('ROUTE_NOT_FOUND');
    const holdsTheStop: unknown = expect.stringContaining('"status":"D"');
    expect(await kept()).toMatchObject([
      { code: 'ROUTE_NOT_FOUND', route_id: 'R999', employee: '1001', body: holdsTheStop },
      { code: 'ROUTE_NOT_FOUND', route_id: 'R999' },
      { code: 'ROUTE_NOT_FOUND', route_id: 'R100' },
    ]);
  });

  test("another driver's route is 403", async () => {
    const stops = [{ id: 1 }, { id: 999 }];
    const { error } = await sendTo({ id: 'R200', stops });
    expect(error).toMatchObject({ code: 'NOT_ASSIGNED', details: [{ path: 'id' }] });
    expect(error?.details).toHaveLength(1);
  });

  test('the facility decides between two routes of that name', async () => {
    expect((await sendTo({ id: 'R600', facility: 'F02' })).data).toMatchObject({ facility: 'F02' });
    expect((await sendTo({ id: 'R600', facility: 'F01' })).error?.code).toBe('NOT_ASSIGNED');
  });
});
