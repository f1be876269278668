import pg from 'pg';
import { expect, test } from 'vitest';
import { atFileEnd } from '../support/file-end.ts';
import { password, signIn, signUp } from '../support/people.ts';
import { TestBytes } from '../support/test-bytes.ts';
import { deviceAssetId, deviceMetadata, TusPhone } from '../support/tus-phone.ts';
import { openSignedUp, until } from './device.ts';
import { RouteHistory, hostStateOf } from './route-history.ts';
import { demoRoute, openService } from './service.ts';

const FIVE_MINUTES = 300_000;
const A_DAY = 86_400_000;
const random = new TestBytes('a shared phone');

interface Entry {
  readonly id: string;
  readonly employee: string;
  readonly edit_time: Date;
  readonly after_sign_out: boolean;
}

test('A is signed out with fifty items and records ten more, B works on the same phone, A never returns: all sixty arrive as A’s', async () => {
  const service = await openService();
  const { pool } = service.database;
  const phone = await openSignedUp(service.server.port, '1001');
  const day = new RouteHistory(demoRoute('R100'));
  /** A's items in their order, and the times of their recording. */
  const ofA: { readonly id: string; readonly at: number }[] = [];
  const record = (n: number, at: number, signature_id?: string): void => {
    const delivery = { status: 'D' as const, end_delivery_time: '2026-11-20T16:05:00.000Z', driver_comments: `A ${n}` };
    const stop = { id: 1 + (n % 13), updates: { ...delivery, ...(signature_id !== undefined && { signature_id }) } };
    ofA.push({ id: day.update(phone.app, stop, at).id, at });
  };

  // Twelve of thirteen photos are on the phone; of the last one only the name is left.
  phone.loseNetwork();
  const photos: string[] = [];
  for (let n = 0; n < 12; n++) {
    const { id } = await phone.uploads.add(new Blob([random.take(3_000)]), { kind: 'photo', name: `door ${n}.jpg` });
    photos.push(id);
  }
  const lost = deviceAssetId('of-this-phone-and-driver', random.take(3_000));
  for (let n = 0; n < 50; n++) record(n, Date.now() - FIVE_MINUTES, [...photos, lost][n]);
  phone.advanceClocks(FIVE_MINUTES);
  // These minutes pass at the server, too: it read the phone's clocks before them.
  await pool.query(`update queue_session set boot_at = boot_at - interval '5 minutes'`);
  await pool.query(`update client set clock_read_at = clock_read_at - interval '5 minutes'`);

  // Signed out a minute ago; the phone cannot detect it.
  await signUp(service.rest, '1002');
  await signIn(service.rest, '1002', { confirm_login: true });
  const evicted = await pool.query(
    `update session set revoked_at = revoked_at - interval '1 minute'
      where employee = '1001' and revoked_reason = 'evicted'`,
  );
  expect(evicted.rowCount).toBe(1);
  phone.shiftWallClock(A_DAY);
  for (let n = 50; n < 60; n++) record(n, Date.now());
  await phone.app.receipt(ofA.at(-1)?.id ?? '')?.saved;
  expect(phone.app.status.current).toMatchObject({ pending: { 1001: 60 }, uploading: { 1001: 12 } });

  // B works, independent of A's stuck items.
  const holding = new pg.Client({ connectionString: service.database.url });
  await holding.connect();
  atFileEnd(() => holding.end());
  await holding.query('begin');
  await holding.query('lock table asset_intake in access exclusive mode');
  await phone.restoreNetwork();
  const signedIn = await phone.app.signIn({ employeeId: '1002', password, confirmLogin: true });
  expect(signedIn.kind).toBe('signed_in');
  await until(phone.app.route(day.route), (route) => route !== undefined);
  const ofB = day.update(phone.app, { id: 13, updates: { store_emp_name: 'B was here' } });
  await ofB.onHost;
  expect(phone.app.status.current).toMatchObject({ employeeId: '1002', uploading: { 1001: 12 } });
  expect(phone.app.canSignOut()).toBe(true);

  // Only A's phone can upload bytes under the names that its stops refer to.
  const { api_token } = await signIn(service.rest, '1002', { confirm_login: true });
  const thief = new TusPhone(service.server.url, { employee_id: '1002', api_token });
  const bytes = random.take(3_000);
  for (const asset_id of [photos[0] ?? '', lost]) {
    const claim = { ...deviceMetadata('salt-of-somebody-else', bytes), asset_id };
    expect((await thief.create(bytes.length, claim)).status).toBe(400);
  }

  await holding.query('commit');
  await until(phone.app.status, ({ pending, uploading }) => !('1001' in pending || '1001' in uploading));
  const { rows } = await pool.query<Entry>(
    `select id, employee, edit_time, coalesce(warnings, '') like '%after_sign_out%' as after_sign_out
       from ledger where source = 'sync' and employee = '1001' order by seq`,
  );
  expect(rows.map(({ id }) => id)).toEqual(ofA.map(({ id }) => id));
  expect(rows.map((row) => row.after_sign_out)).toEqual(ofA.map((_, n) => n >= 50));
  // A day ahead, and yet correct to a second, with an allowance for a slow machine's round trips.
  const wrong = rows.map(({ edit_time }, n) => Math.abs(edit_time.getTime() - (ofA[n]?.at ?? 0)));
  expect(Math.max(...wrong)).toBeLessThan(10_000);

  // The route closes; the host has the count of missing items, and the office their names.
  const close = day.update(phone.app, {
    id: 999,
    arrived: true,
    updates: { status: 'D', end_delivery_time: '2026-11-20T22:00:00.000Z' },
  });
  await close.onHost;
  await expect
    .poll(() => service.show('RTHDRP', "RHRTE = 'R100'"), { timeout: 60_000 })
    .toMatchObject([{ RHPODS: 'C', RHOPEN: '1' }]);
  const missing = await pool.query('select stop_id, asset_id from missing_evidence');
  expect(missing.rows).toEqual([{ stop_id: 13, asset_id: lost }]);
  const [held, expected] = [await hostStateOf(service, day.route), day.expected()];
  for (let stop = 1; stop <= 13; stop++) expect(held[stop]).toEqual(expected[stop]);
}, 120_000);
