import { createHash } from 'node:crypto';
import { operations } from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import { hostMoment } from '../../server/src/host/files/local-time.ts';
import { ZONE } from '../support/depot.ts';
import { signIn, signUp } from '../support/people.ts';
import { TestBytes } from '../support/test-bytes.ts';
import { storeFiles } from '../support/uploads.ts';
import { rowDeps, section } from './row-fixture.ts';

const { depot, pool, client, clock, expectRows, report, settled } = await rowDeps();
const worker = depot.worker();
await worker.start();
const random = new TestBytes('rows');
const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;
const aNumber: unknown = expect.stringMatching(/^[1-9]\d*$/);

describe('users and sign-ins (PODUSRP, RTDRVP)', () => {
  test('sign-ups, sign-ins and sign-outs are on the host, and never a secret', async () => {
    await depot.addRoute('R1', [1]);
    const signed = await signUp(client, '1001');
    await expectRows('PODUSRP', "PUEMP = '1001'", [{ PUREGF: 'Y', PULCKF: 'N', PULSDT: aNumber }]);
    await signIn(client, '1001', { device: 'phone' });
    await expectRows('RTDRVP', "RDRTE = 'R1'", [
      { RDEMP: '1001', RDTYP: 'DRIVER', RDSGNF: 'Y', RDSGDT: aNumber, RDUUSR: 'TAILGATE' },
    ]);
    await client.take(operations.signOut, { as: signed });
    await expectRows('RTDRVP', "RDRTE = 'R1'", [{ RDSGNF: 'N', RDSGDT: aNumber }]);
    await settled(worker);
    expect(JSON.stringify(await depot.show('PODUSRP'))).not.toMatch(/argon|\$/);
  });

  test('a driver who is signed in already is so on a later route, and on its reload', async () => {
    await signIn(client, '1001');
    await depot.addRoute('R2', [1]);
    worker.wake();
    await expectRows('RTDRVP', "RDRTE = 'R2'", [{ RDSGNF: 'Y' }]);
    await settled(worker);
    await depot.clerk(`delete from PODDTA.RTDRVP where RDRTE = 'R2'`);
    await depot.clerk(`delete from PODDTA.RTHDRP where RHRTE = 'R2'`);
    await depot.addRoute('R2', [1]);
    worker.wake();
    await expectRows('RTDRVP', "RDRTE = 'R2'", [{ RDSGNF: 'Y' }]);
    expect((await pool.query(`select from incident where kind = 'host_edit_untold'`)).rowCount).toBe(0);
  });

  test('an employee who leaves the master is locked, and open again after the return', async () => {
    await depot.clerk(`update PODDTA.EMPMSTP set EMSTS = 'I' where EMEMP = '1001'`);
    await depot.addRoute('R3', [1]);
    worker.wake();
    await expectRows('PODUSRP', "PUEMP = '1001'", [{ PUREGF: 'Y', PULCKF: 'Y' }]);
    await depot.clerk(`update PODDTA.EMPMSTP set EMSTS = 'A' where EMEMP = '1001'`);
    await depot.addRoute('R4', [1]);
    worker.wake();
    await expectRows('PODUSRP', "PUEMP = '1001'", [{ PULCKF: 'N' }]);
    expect(await depot.show('PODUSRP')).toHaveLength(1);
  });

  test('a write that a killed worker did not confirm is no edit of a clerk', async () => {
    await settled(worker);
    const signed = await signIn(client, '1001');
    await expectRows('RTDRVP', "RDRTE = 'R2'", [{ RDSGNF: 'Y' }]);
    await settled(worker);
    // The confirmed state is the one before.
    await pool.query(`update driver_sign_in set shadow = jsonb_set(shadow::jsonb, '{RDSGTM}', '"1"')::text`);
    await client.take(operations.signOut, { as: signed });
    await expectRows('RTDRVP', "RDRTE = 'R2'", [{ RDSGNF: 'N' }]);
    await settled(worker);
    expect((await pool.query(`select from incident where kind = 'host_edit_untold'`)).rowCount).toBe(0);
  });

  test('a clerk’s edit of it is reported and corrected', async () => {
    await settled(worker);
    await depot.clerk(`update PODDTA.RTDRVP set RDSGNF = 'X' where RDRTE = 'R2'`);
    await client.take(operations.signOut, { as: await signIn(client, '1001') });
    await expectRows('RTDRVP', "RDRTE = 'R2'", [{ RDSGNF: 'N' }]);
    const { rows } = await pool.query(`select details from incident where kind = 'host_edit_untold'`);
    expect(JSON.stringify(rows)).toContain('RTDRVP');
  });
});

describe('load condition reports (LCRHDP, LCRSCP)', () => {
  test('the latest revision is there, with its own sections and no others', async () => {
    const sections = [section('stacking', 4), section('product_in_place', 2, 'Öl → Boden'), section('extra', 1)];
    await report('RPT-1', { sections });
    await expectRows('LCRHDP', "LHRPT = 'RPT-1'", [
      { LHLOD: 'LOAD1', LHSTP: '1', LHDRV: '1001', LHREV: '1', LHDAT: '20261121', LHTIM: '93000' },
    ]);
    expect(await depot.show('LCRSCP', "LSRPT = 'RPT-1'")).toMatchObject([
      { LSSEQ: '1', LSKEY: 'stacking', LSRAT: '4', LSRSN: 'Wrap torn', LSTXTL: 'N' },
      { LSSEQ: '2', LSKEY: 'product_in_place', LSCMT: 'Öl ? Boden', LSTXTL: 'Y' },
      { LSSEQ: '3' },
    ]);
    await report('RPT-1', { sections: [section('trailer_cleanliness', 5)] });
    await expectRows('LCRHDP', "LHRPT = 'RPT-1'", [{ LHREV: '2' }]);
    expect(await depot.show('LCRSCP', "LSRPT = 'RPT-1'")).toMatchObject([{ LSKEY: 'trailer_cleanliness', LSRAT: '5' }]);
    await settled(worker);
  });
});

test('rows of no facility use the zone that all facilities share', async () => {
  await depot.clerk(`insert into PODDTA.EMPMSTP (EMEMP, EMNAM, EMSTS) values ('1002', 'Drew Driver', 'A')`);
  await depot.clerk(`insert into PODDTA.FACMSTP (FAFAC, FATZ) values ('F02', 'Mars/Olympus'), ('F03', ' ')`);
  await depot.addRoute('R5', [1]);
  await report('RPT-2', { driverId: '1002' });
  await report('RPT-3', { driverId: 'STRANGER' });
  const atTheDepot = [{ LHDAT: '20261121', LHTIM: '93000' }];
  await expectRows('LCRHDP', "LHRPT = 'RPT-2'", atTheDepot);
  await expectRows('LCRHDP', "LHRPT = 'RPT-3'", atTheDepot);
  await signUp(client, '1002');
  const { rows } = await pool.query<{ last_seen_at: Date }>("select last_seen_at from account where employee = '1002'");
  const { date, time } = hostMoment(rows[0]?.last_seen_at ?? clock.now, ZONE);
  const seen = [{ PULSDT: date, PULSTM: time }];
  await expect.poll(() => depot.show('PODUSRP', "PUEMP = '1002'")).toMatchObject(seen);
});

describe('files (ASSHDP, ASSCHP)', () => {
  test('a file is complete, in pieces of 16,000 bytes, before it is ready', async () => {
    const [photo, empty] = [random.take(600_001), random.take(0)];
    const [id = '', second = ''] = await storeFiles(client, {
      files: [
        { name: 'Ladefläche – hinten.jpg', bytes: photo },
        { name: 'empty', bytes: empty },
      ],
    });
    await expectRows('ASSHDP', `AHID = '${id}'`, [
      {
        AHBAT: id,
        AHSEQ: '1',
        AHNAM: 'Ladefläche - hinten.jpg',
        AHSIZ: '600001',
        AHSHA: createHash('sha256').update(photo).digest('hex'),
        AHCHKN: '38',
        AHSTS: 'R',
      },
    ]);
    const pieces = await depot.show('ASSCHP', `ACID = '${id}'`);
    expect(pieces.map(({ ACSEQ, ACLEN }) => [ACSEQ, ACLEN])).toEqual(
      Array.from({ length: 38 }, (_, index) => [`${index + 1}`, index < 37 ? '16000' : '8001']),
    );
    const bytes = pieces.map(({ ACDTA }) => (Buffer.isBuffer(ACDTA) ? ACDTA : Buffer.alloc(0)));
    expect(Buffer.concat(bytes).equals(photo)).toBe(true);
    await expectRows('ASSHDP', `AHID = '${second}'`, [{ AHBAT: id, AHSEQ: '2', AHSIZ: '0', AHCHKN: '0', AHSTS: 'R' }]);
  });

  test('a file that a stop names is announced with the stop, counted at the close, and ready when it arrives', async () => {
    const key = await depot.addRoute('AHEAD', [1, 999]);
    const signature_id = 'S1GNATURE0000001';
    // No program on the host ever finds a stop whose file has no header.
    await pool.query(`create function needs_header() returns trigger language plpgsql as $$
      begin if new.RUSIG <> '' and not exists (select from PODDTA.ASSHDP where AHID = new.RUSIG)
        then raise exception 'no header of %', new.RUSIG; end if; return new; end $$`);
    await pool.query(
      'create trigger needs_header before insert or update on PODDTA.RTSTUP for each row execute function needs_header()',
    );
    await depot.record(key, { id: 1, updates: { ...delivered, signature_id } });
    await depot.record(key, { id: 999, updates: delivered });
    await depot.untilHosted(key);
    expect(await depot.show('ASSHDP', `AHID = '${signature_id}'`)).toMatchObject([
      { AHBAT: signature_id, AHSEQ: '1', AHSTS: 'L', AHSIZ: '0' },
    ]);
    expect(await depot.show('RTHDRP', "RHRTE = 'AHEAD'")).toMatchObject([{ RHPODS: 'C', RHOPEN: '1' }]);
    const [uploaded = ''] = await storeFiles(client, { files: [{ name: 'sign.png', bytes: random.take(20_000) }] });
    // As an upload under the device's own id ends.
    await pool.query(
      `update asset a set state = 'R', content = u.content, name = u.name, mime = u.mime, size = u.size,
              sha256 = u.sha256, received_at = now(), version = a.version + 1
         from asset u where a.id = $1 and u.id = $2`,
      [signature_id, uploaded],
    );
    worker.wake();
    await expectRows('ASSHDP', `AHID = '${signature_id}'`, [{ AHSTS: 'R', AHCHKN: '2', AHSIZ: '20000' }]);
    // Announced with its stop and brought on its own: both by the clock of the facility.
    const { date: day, time } = hostMoment(clock.now, ZONE);
    expect(await depot.show('ASSHDP', `AHID = '${signature_id}'`)).toMatchObject([
      { AHCDAT: day, AHCTIM: time, AHUDAT: day, AHUTIM: time },
    ]);
    await settled(worker);
    expect((await pool.query('select from awaited_asset')).rowCount).toBe(0);
    // The host has the file as missing, and then as ready.
    await expectRows('RTHDRP', "RHRTE = 'AHEAD'", [{ RHPODS: 'C', RHOPEN: '0' }]);
  });

  test('a file that has not arrived for a day is missing, and an incident names its stop', async () => {
    const key = await depot.addRoute('NEVER', [1]);
    await depot.record(key, { id: 1, updates: { ...delivered, signature_id: 'NEVERC0MES000001' } });
    await depot.untilHosted(key);
    clock.now = new Date(clock.now.getTime() + 25 * 3_600_000);
    const sweeper = depot.worker({ times: { sweepMs: 50 } });
    await sweeper.start();
    await expectRows('ASSHDP', "AHID = 'NEVERC0MES000001'", [{ AHSTS: 'M' }]);
    await sweeper.stop();
    const { rows } = await pool.query<{ details: string }>(`select details from incident where kind = 'asset_missing'`);
    expect(rows.map(({ details }) => details)).toEqual([expect.stringContaining('NEVERC0MES000001')]);
    expect(rows[0]?.details).toMatch(/"stop": 1.*NEVER|NEVER.*"stop": 1/s);
  });
});
