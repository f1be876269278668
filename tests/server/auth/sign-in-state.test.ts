import { operations } from '@tailgate/sync-protocol';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withTransaction } from '../../../server/src/db/transaction.ts';
import { recordRouteSignIns } from '../../../server/src/auth/sign-in-state.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { password, signIn, signUp } from '../../support/people.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

const { signOut, updatePassword } = operations;
const weekEnd = '20261121';

let server: RestServer;
beforeAll(async () => {
  server = await startRestServer();
  await insertRoutes(server.database.pool, [
    { facility: 'F01', id: 'R1', weekEnd, drivers: ['1001', '1002'], stops: [plan(1)] },
    { facility: 'F01', id: 'R2', weekEnd: '20261128', drivers: ['1001'], stops: [plan(1)] },
    { facility: 'F01', id: 'R3', weekEnd, drivers: ['1003'], stops: [plan(1)] },
  ]);
  for (const employee of ['1001', '1002', '1003']) await signUp(server.client, employee);
});

beforeEach(async () => {
  await server.database.pool.query(`update session set revoked_at = now(), revoked_reason = 'signed_out'`);
  await server.database.pool.query('delete from driver_sign_in');
});

/** The marks to replicate: route and driver, with the version on request. */
async function pendingMarks(versions = false): Promise<string[]> {
  const { rows } = await server.database.pool.query<{ text: string; version: number }>(
    `select concat_ws(' ', route_id, employee, case when signed_in then 'Y' else 'N' end) as text, version
       from driver_sign_in order by 1`,
  );
  return rows.map(({ text, version }) => (versions ? `${text} ${version}` : text));
}

describe('signed-in drivers, route by route', () => {
  test('a sign-in marks the open routes of the driver, a sign-out removes the marks', async () => {
    const as = await signIn(server.client, '1001');
    expect(await pendingMarks(true)).toEqual(['R1 1001 Y 1', 'R2 1001 Y 1']);
    await server.client.take(signOut, { as });
    expect(await pendingMarks(true)).toEqual(['R1 1001 N 2', 'R2 1001 N 2']);
  });

  test('an eviction removes the marks of the evicted driver only', async () => {
    await signIn(server.client, '1003');
    await signIn(server.client, '1001');
    await signIn(server.client, '1002', { confirm_login: true });
    expect(await pendingMarks()).toEqual(['R1 1001 N', 'R1 1002 Y', 'R2 1001 N', 'R3 1003 Y']);
  });

  test('a new password opens a new session', async () => {
    await signIn(server.client, '1003');
    const body = { employee_id: '1003', current_password: password, new_password: 'off the road' };
    await server.client.take(updatePassword, { body });
    expect(await pendingMarks()).toEqual(['R3 1003 Y']);
    await server.client.take(updatePassword, {
      body: { employee_id: '1003', current_password: 'off the road', new_password: password },
    });
  });

  test('a closed route keeps its mark until the driver signs out, and gets no new one', async () => {
    const { pool } = server.database;
    const as = await signIn(server.client, '1003');
    await pool.query(`update route set status = 'C' where id = 'R3'`);
    await signIn(server.client, '1003');
    expect(await pendingMarks(true)).toEqual(['R3 1003 Y 1']);
    await server.client.take(signOut, { as });
    expect(await pendingMarks()).toEqual(['R3 1003 N']);
    await signIn(server.client, '1003');
    expect(await pendingMarks()).toEqual(['R3 1003 N']);
    await pool.query(`update route set status = 'O' where id = 'R3'`);
  });

  test('a later route is marked for signed-in drivers, and written again after a reload', async () => {
    const { pool } = server.database;
    await signIn(server.client, '1003');
    await pool.query('delete from driver_sign_in');
    const key = { facility: 'F01', id: 'R3', week_end: weekEnd };
    for (const reloaded of [false, false, true])
      await withTransaction(pool, (tx) => recordRouteSignIns(tx, key, { now: server.clock.now, reloaded }));
    expect(await pendingMarks(true)).toEqual(['R3 1003 Y 2']);
  });
});
