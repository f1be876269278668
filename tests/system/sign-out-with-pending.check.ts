import { expect, test } from 'vitest';
import { password, signUp } from '../support/people.ts';
import { openSignedUp, until } from './device.ts';
import { demoRoute, openService } from './service.ts';

test('a driver signs out with 200 changes in a dead zone; the next driver’s network sends all of them as the first one’s', async () => {
  const service = await openService();
  await signUp(service.rest, '1002');
  const phone = await openSignedUp(service.server.port, '1001');
  phone.loseNetwork();
  await until(phone.app.status, ({ connection }) => connection === 'offline');
  const key = demoRoute('R100');
  const ids = Array.from({ length: 200 }, (_, n) => {
    const [stop, driver_comments] = [1 + (n % 13), `change ${n}`];
    return phone.app.updateStop(key, { id: stop, updates: { driver_comments, store_emp_name: `name ${n}` } }).id;
  });
  const distinct = [...new Set(ids)];
  await phone.app.receipt(ids.at(-1) ?? '')?.saved;
  expect(phone.app.status.current.pending).toEqual({ 1001: distinct.length });
  expect(await phone.app.signOut()).toBe(false);
  expect(phone.app.status.current).toMatchObject({ employeeId: undefined, pending: { 1001: distinct.length } });

  // The phone is switched off over night, too.
  phone.kill();
  const app = await phone.start();
  expect(app.status.current.pending).toEqual({ 1001: distinct.length });
  await phone.restoreNetwork();
  expect(await app.signIn({ employeeId: '1002', password, confirmLogin: true })).toMatchObject({ kind: 'signed_in' });
  await until(app.status, ({ pending }) => Object.keys(pending).length === 0);
  const { rows } = await service.database.pool.query<{ id: string; employee: string }>(
    `select id, employee from ledger where source = 'sync' order by seq`,
  );
  expect(rows).toEqual(distinct.map((id) => ({ id, employee: '1001' })));
});
