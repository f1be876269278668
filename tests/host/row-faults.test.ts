import { operations } from '@tailgate/sync-protocol';
import { afterEach, describe, expect, test } from 'vitest';
import type { Db } from '../../server/src/db/types.ts';
import { HostError, type Host } from '../../server/src/host/host.ts';
import { findChunk } from '../../server/src/assets/sql.ts';
import { confirmAssets } from '../../server/src/replication/to-host/rows/sql.ts';
import { signIn, signUp } from '../support/people.ts';
import { TestBytes } from '../support/test-bytes.ts';
import { storeFiles } from '../support/uploads.ts';
import { rowDeps, section } from './row-fixture.ts';

const { depot, pool, client, expectRows, report, settled } = await rowDeps();
const random = new TestBytes('faults');
const newWorker = (options?: Parameters<typeof depot.worker>[0]) =>
  depot.worker({ random: () => 0.01, times: { pauseMs: 200, sweepMs: 200 }, ...options });
afterEach(() => pool.query('delete from PODDTA.standin_fault'));

const key = await depot.addRoute('R1', [1]);
const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;
const oneFile = (size: number) => storeFiles(client, { files: [{ name: 'a.bin', bytes: random.take(size) }] });

describe('an outage', () => {
  test('loses no change that REST accepted, and needs no operator', async () => {
    const worker = newWorker();
    await worker.start();
    await depot.fault('outage', true);
    const signed = await signUp(client, '1001');
    const [id = ''] = await oneFile(100_000);
    await report('OUT');
    await depot.record(key, { id: 1, updates: { ...delivered, signature_id: id } });
    await expect.poll(async () => (await worker.state()).breaker.state).toBe('open');
    await client.take(operations.signOut, { as: signed });
    expect(await worker.state()).toMatchObject({ parked: 0, rows: 4 });

    await depot.fault('outage', false);
    await depot.untilHosted(key);
    await settled(worker);
    await expectRows('PODUSRP', "PUEMP = '1001'", [{ PUREGF: 'Y' }]);
    await expectRows('RTDRVP', "RDRTE = 'R1'", [{ RDSGNF: 'N' }]);
    await expectRows('LCRHDP', "LHRPT = 'OUT'", [{ LHREV: '1' }]);
    await expectRows('ASSHDP', `AHID = '${id}'`, [{ AHSTS: 'R', AHCHKN: '7' }]);
    await expectRows('RTSTUP', "RURTE = 'R1'", [{ RUSIG: id }]);
    await worker.stop();
  });

  test('in the middle of a file: existing chunks are kept, the rest follows', async () => {
    let left = 3;
    const failing: Host = {
      ...depot.host,
      transaction: (work) => {
        left -= 1;
        return left < 0 ? Promise.reject(new HostError('08003', 'the connection broke')) : depot.host.transaction(work);
      },
    };
    const [id = ''] = await oneFile(1_000_000);
    // The header and two times sixteen pieces.
    const cut = newWorker({ host: failing, random: () => 1 });
    await cut.start();
    await expect.poll(async () => (await cut.state()).breaker.state).toBe('open');
    await cut.stop();
    const before = await pool.query(`select acseq, xmin::text from PODDTA.ASSCHP where ACID = $1 order by 1`, [id]);
    expect(before.rowCount).toBe(32);
    await expectRows('ASSHDP', `AHID = '${id}'`, [{ AHSTS: 'L', AHCHKN: '63' }]);

    const worker = newWorker();
    await worker.start();
    await expectRows('ASSHDP', `AHID = '${id}'`, [{ AHSTS: 'R' }]);
    const after = await pool.query(`select acseq, xmin::text from PODDTA.ASSCHP where ACID = $1 order by 1`, [id]);
    expect(after.rowCount).toBe(63);
    expect(after.rows.slice(0, 32)).toEqual(before.rows);
    await worker.stop();
  });
});

describe('refusals of the host', () => {
  test('park that row with its reason; the others of its file go on, and its next change succeeds', async () => {
    const worker = newWorker();
    await worker.start();
    await pool.query(`create function refuse() returns trigger language plpgsql as $$
      begin if new.LSCMT like 'BAD%' then raise exception 'LSCMT is not wanted'; end if; return new; end $$`);
    await pool.query(
      'create trigger refuse before insert or update on PODDTA.LCRSCP for each row execute function refuse()',
    );
    await report('POISON', { sections: [section('stacking', 1, 'BAD words')] });
    await report('GOOD');
    await expectRows('LCRHDP', "LHRPT = 'GOOD'", [{ LHREV: '1' }]);
    await expect.poll(async () => (await worker.state()).parked).toBe(1);
    const { rows } = await pool.query('select file, key, version, sqlstate, reason, payload from parked_row');
    expect(rows).toMatchObject([
      { file: 'LCRHDP', key: 'POISON', version: 1, sqlstate: '09000', reason: 'LSCMT is not wanted' },
    ]);
    expect(JSON.stringify(rows)).toContain('BAD words');
    expect(await depot.show('LCRHDP', "LHRPT = 'POISON'")).toEqual([]);
    const [line] = await depot.show('PODRPLP', "RLSTS = 'P' and RLKEY = 'POISON'");
    expect(line).toMatchObject({ RLENT: 'LCRHDP', RLERR: '09000' });
    const reported = depot.log.lines.map(({ fields }) => fields);
    expect(reported).toContainEqual(expect.objectContaining({ file: 'LCRHDP', trace: line?.['RLTRC'] }));

    await report('POISON', { sections: [section('stacking', 1, 'good words')] });
    await expectRows('LCRHDP', "LHRPT = 'POISON'", [{ LHREV: '2' }]);
    await settled(worker);
    expect(await worker.state()).toMatchObject({ parked: 0 });
    await worker.stop();
  });

  test('internal error of the host (SQL0901): one that stays parks its row, and the others of its file go on', async () => {
    const worker = newWorker();
    await worker.start();
    await depot.fault('system', true, 'LCRHDP');
    await report('FALTER');
    await expect.poll(async () => (await worker.state()).parked).toBe(1);
    const attempts = depot.log.lines.flatMap(({ fields }) => ('failures' in fields ? [fields] : []));
    expect(attempts.filter((fields) => 'sqlstate' in fields && fields.sqlstate === '58004')).toMatchObject([
      { failures: 1 },
      { failures: 2 },
      { failures: 3 },
      { failures: 4 },
    ]);
    const { rows } = await pool.query(`select file, sqlstate from parked_row where key = 'FALTER'`);
    expect(rows).toEqual([{ file: 'LCRHDP', sqlstate: '58004' }]);
    expect((await worker.state()).breaker.state).toBe('closed');
    await depot.fault('system', false, 'LCRHDP');
    await report('AFTER');
    await expectRows('LCRHDP', "LHRPT = 'AFTER'", [{ LHREV: '1' }]);
    await pool.query(`update parked_row set next_try_at = now() where key = 'FALTER'`);
    worker.wake();
    await expectRows('LCRHDP', "LHRPT = 'FALTER'", [{ LHREV: '1' }]);
    await settled(worker);
    await worker.stop();
  });

  test('duplicate key: one that stays parks its row, and the others of its file go on', async () => {
    const worker = newWorker();
    await worker.start();
    await pool.query(`create unique index one_load on PODDTA.LCRHDP (LHLOD) where LHLOD = 'ONCE'`);
    await report('A-FIRST', { loadId: 'ONCE' });
    await expectRows('LCRHDP', "LHRPT = 'A-FIRST'", [{ LHREV: '1' }]);
    await report('B-TWICE', { loadId: 'ONCE' });
    await report('C-OTHER', { loadId: 'OTHER' });
    await expectRows('LCRHDP', "LHRPT = 'C-OTHER'", [{ LHREV: '1' }]);
    const parked = async () => (await pool.query<object>('select file, key, sqlstate from parked_row')).rows;
    await expect.poll(parked).toEqual([{ file: 'LCRHDP', key: 'B-TWICE', sqlstate: '23505' }]);
    await pool.query('drop index PODDTA.one_load');
    await pool.query(`update parked_row set next_try_at = now()`);
    worker.wake();
    await settled(worker);
    await worker.stop();
  });

  test('a key outside code page 37 is not changed: two reports must not become one', async () => {
    const worker = newWorker();
    await worker.start();
    await report('Ł1');
    await report('É1');
    await expectRows('LCRHDP', "LHRPT = 'É1'", [{ LHREV: '1' }]);
    await expect.poll(async () => (await worker.state()).parked).toBe(1);
    const { rows } = await pool.query('select key, sqlstate from parked_row');
    expect(rows).toEqual([{ key: 'Ł1', sqlstate: '22021' }]);
    // An operator has settled it; later tests count open entries.
    await pool.query(`update load_report set hosted_version = version where report_id = 'Ł1'`);
    await pool.query('delete from parked_row');
    await worker.stop();
  });

  test('a file that is not set up pauses alone, with an alarm, and resumes automatically', async () => {
    const worker = newWorker();
    await worker.start();
    await pool.query('alter table PODDTA.LCRSCP rename to LCRSCP_AWAY');
    await report('WAITS');
    await expect.poll(async () => (await worker.state()).paused).toMatchObject([{ file: 'LCRSCP' }]);
    const [id = ''] = await oneFile(10);
    await expectRows('ASSHDP', `AHID = '${id}'`, [{ AHSTS: 'R' }]);
    await depot.record(key, { id: 1, updates: { driver_comments: 'goes on' } });
    await depot.untilHosted(key);
    expect(await worker.state()).toMatchObject({ breaker: { state: 'closed' }, parked: 0 });
    expect((await pool.query(`select from incident where kind = 'host_file_paused'`)).rowCount).toBe(1);
    await pool.query('alter table PODDTA.LCRSCP_AWAY rename to LCRSCP');
    await expectRows('LCRHDP', "LHRPT = 'WAITS'", [{ LHREV: '1' }]);
    await worker.stop();
  });

  test('locked rows delay their file only, and only while they are locked', async () => {
    const worker = newWorker();
    await worker.start();
    await depot.fault('lock', true, 'PODUSRP');
    await signIn(client, '1001');
    await report('FREE');
    await expectRows('LCRHDP', "LHRPT = 'FREE'", [{ LHREV: '1' }]);
    await expectRows('RTDRVP', "RDRTE = 'R1'", [{ RDSGNF: 'Y' }]);
    // A row is on the host a moment before its confirmation.
    await expect.poll(() => worker.state()).toMatchObject({ breaker: { state: 'closed' }, parked: 0, rows: 1 });
    await depot.fault('lock', false, 'PODUSRP');
    await settled(worker);
    await worker.stop();
  });
});

describe('several workers', () => {
  test('write each row once', async () => {
    const workers = [newWorker(), newWorker()];
    await pool.query(`create table public.report_write (rpt text)`);
    await pool.query(`create function public.note_report() returns trigger language plpgsql as $$
      begin insert into public.report_write values (trim(new.LHRPT)); return null; end $$`);
    await pool.query(`create trigger note_report after insert or update on PODDTA.LCRHDP
      for each row execute function public.note_report()`);
    await Promise.all(workers.map((worker) => worker.start()));
    await Promise.all(Array.from({ length: 40 }, (_, n) => report(`PAIR${n}`)));
    for (const worker of workers) await settled(worker);
    const { rows } = await pool.query(`select count(*) as writes, count(distinct rpt) as reports from report_write`);
    expect(rows).toEqual([{ writes: 40, reports: 40 }]);
    for (const worker of workers) await worker.stop();
  });

  test('a write after the loss of the file’s lease is not confirmed', async () => {
    const [id = ''] = await oneFile(50_000);
    // Its file is taken over during its last transaction.
    const overtaken: Host = {
      ...depot.host,
      transaction: async (work) => {
        const result = await depot.host.transaction(work);
        await pool.query(`update route_lease set owner = gen_random_uuid(), fence = fence + 1,
                            expires_at = now() + interval '1 hour' where facility = '' and route_id = 'ASSHDP'`);
        return result;
      },
    };
    const stale = newWorker({ host: overtaken });
    await stale.start();
    await expectRows('ASSHDP', `AHID = '${id}'`, [{ AHSTS: 'R' }]);
    await stale.stop();
    const { rows } = await pool.query('select hosted_version from asset where id = $1', [id]);
    expect(rows).toEqual([{ hosted_version: 0 }]);
    await pool.query(`update route_lease set expires_at = now() where facility = '' and route_id = 'ASSHDP'`);
    const worker = newWorker();
    await worker.start();
    await settled(worker);
    await worker.stop();
  });
});

test('a file that arrives during its announcement leaves the count of its closed route', async () => {
  const closing = await depot.addRoute('COMES', [1, 999]);
  const signature_id = 'C0MESAT0NCE00001';
  await depot.record(closing, { id: 1, updates: { ...delivered, signature_id } });
  await depot.record(closing, { id: 999, updates: delivered });
  const [uploaded = ''] = await oneFile(20_000);
  const open = async () => (await depot.show('RTHDRP', "RHRTE = 'COMES'")).map(({ RHOPEN }) => RHOPEN);
  const counted: unknown[] = [];
  const db: Db = {
    connect: () => pool.connect(),
    query: async (statement, values) => {
      if (
        statement === confirmAssets &&
        values?.some((value) => Buffer.isBuffer(value) && value.includes(signature_id))
      ) {
        // The host has the file's row, the waiting rows still exist, and a pass brings the route out.
        await depot.untilHosted(closing);
        counted.push(...(await open()));
        // As an upload under the device's own id ends.
        await pool.query(
          `update asset a set state = 'R', content = u.content, name = u.name, mime = u.mime, size = u.size,
                  sha256 = u.sha256, received_at = now(), version = a.version + 1
             from asset u where a.id = $1 and a.state = 'L' and u.id = $2`,
          [signature_id, uploaded],
        );
      }
      return pool.query(statement, values);
    },
  };
  const worker = newWorker({ db });
  await worker.start();
  await depot.untilHosted(closing);
  await expectRows('ASSHDP', `AHID = '${signature_id}'`, [{ AHSTS: 'R' }]);
  await settled(worker);
  await depot.untilHosted(closing);
  expect(await open()).toEqual(['0']);
  expect(counted).toEqual(['1', '0']);
  expect((await pool.query('select from awaited_asset where asset_id = $1', [signature_id])).rowCount).toBe(0);
  await worker.stop();
});

test('a connection to PostgreSQL that ends in the middle of a file parks nothing: the file follows soon', async () => {
  const [id = ''] = await oneFile(50_000);
  let isFirst = true;
  const db: Db = {
    connect: () => pool.connect(),
    query: (statement, values) => {
      const isCut = isFirst && statement === findChunk;
      if (isCut) isFirst = false;
      return isCut ? pool.query('select pg_terminate_backend(pg_backend_pid())') : pool.query(statement, values);
    },
  };
  const worker = newWorker({ db });
  await worker.start();
  await expectRows('ASSHDP', `AHID = '${id}'`, [{ AHSTS: 'R' }]);
  expect(isFirst).toBe(false);
  const { rows } = await pool.query(`select reason from parked_row where key = $1`, [id]);
  expect(rows).toEqual([]);
  await worker.stop();
});
