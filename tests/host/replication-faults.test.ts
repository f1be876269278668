import { afterEach, describe, expect, test } from 'vitest';
import { HostError, type Host } from '../../server/src/host/host.ts';
import { openDepot } from '../support/depot.ts';

const depot = await openDepot();
const { pool } = depot.database;
const writesOf = await depot.countWrites();
const worker = depot.worker({ random: () => 0.01, times: { pauseMs: 200 } });
await worker.start();
afterEach(() => pool.query('delete from PODDTA.standin_fault'));

const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;
const isParked = async (route: string) =>
  (await pool.query('select 1 from parked where route_id = $1', [route])).rowCount !== 0;

describe('the host is unreachable', () => {
  test('drivers are unaffected; the rows arrive when it is back, one write a stop', async () => {
    const key = await depot.addRoute('OUT', [1, 2, 3]);
    await depot.fault('outage', true);
    for (const id of [1, 2, 3, 1])
      expect(await depot.record(key, { id, updates: delivered })).toMatchObject({ result: 'applied' });
    await expect.poll(async () => (await worker.state()).breaker.state).toBe('open');
    const state = await worker.state();
    expect(state).toMatchObject({ routes: 1, parked: 0, breaker: { state: 'open' } });
    expect(JSON.stringify(state.breaker)).toContain('08001');
    expect(state.versions).toBeGreaterThanOrEqual(3);

    await depot.fault('outage', false);
    await depot.untilHosted(key);
    expect(await depot.show('RTSTUP', "RURTE = 'OUT'")).toHaveLength(3);
    expect(await writesOf('OUT')).toEqual([1, 2, 3]);
    expect((await worker.state()).breaker).toEqual({ state: 'closed', failures: 0 });
  });

  test('slow host: two seconds a statement do not slow drivers', async () => {
    const key = await depot.addRoute('SLOW', [1]);
    await depot.fault('slow', true, 'RTSTUP');
    const begin = performance.now();
    await depot.record(key, { id: 1, updates: delivered });
    expect(performance.now() - begin).toBeLessThan(1_000);
    await depot.untilHosted(key);
    expect(await depot.show('RTSTUP', "RURTE = 'SLOW'")).toHaveLength(1);
  });

  test('lock held by another program: locked rows delay their route only', async () => {
    const key = await depot.addRoute('LOCK', [1]);
    const other = await depot.addRoute('FREE', [1]);
    const clerk = await pool.connect();
    await clerk.query('begin');
    await clerk.query(`select from PODDTA.RTSTPP where RSRTE = 'LOCK' for update`);
    await depot.record(key, { id: 1, updates: delivered });
    await depot.record(other, { id: 1, updates: delivered });
    await depot.untilHosted(other);
    expect((await worker.state()).breaker.state).toBe('closed');
    await clerk.query('commit');
    clerk.release();
    await depot.untilHosted(key);
  });
});

describe('refusals of the host', () => {
  test('trigger error: parks that stop with its reason; the others continue, and a later change succeeds', async () => {
    const key = await depot.addRoute('POISON', [1, 2]);
    await pool.query(`create function refuse() returns trigger language plpgsql as $$
      begin if new.RUCMT like 'BAD%' then raise exception 'RUCMT is not wanted'; end if; return new; end $$`);
    await pool.query(
      `create trigger refuse before insert or update on PODDTA.RTSTUP for each row execute function refuse()`,
    );
    await depot.record(key, { id: 1, updates: { ...delivered, driver_comments: 'BAD words' } });
    await depot.record(key, { id: 2, updates: delivered });
    await depot.untilHosted(key);
    expect(await depot.show('RTSTUP', "RURTE = 'POISON'")).toMatchObject([{ RUSTP: '2' }]);
    const { rows } = await pool.query(
      `select stop_id, sqlstate, reason, payload from parked where route_id = 'POISON'`,
    );
    expect(rows).toMatchObject([{ stop_id: 1, sqlstate: '09000', reason: 'RUCMT is not wanted' }]);
    expect(JSON.stringify(rows)).toContain('BAD words');
    // A stop is all or nothing: its status did not get through either.
    expect(await depot.show('RTSTPP', "RSRTE = 'POISON' and RSSTP = 1")).toMatchObject([{ RSSTS: '' }]);

    await depot.record(key, { id: 1, updates: { driver_comments: 'good words' } });
    await depot.waitUntil(async () => !(await isParked('POISON')));
    expect(await depot.show('RTSTUP', "RURTE = 'POISON' and RUSTP = 1")).toMatchObject([{ RUCMT: 'good words' }]);
  });

  test('a parked stop is tried again automatically, after a minute and then at growing intervals', async () => {
    const key = await depot.addRoute('AGAIN', [1]);
    await depot.record(key, { id: 1, updates: { ...delivered, driver_comments: 'BAD again' } });
    await depot.untilHosted(key);
    const passed = (minutes: number) =>
      pool.query(`update parked set next_try_at = next_try_at - $1 * interval '1 minute' where route_id = 'AGAIN'`, [
        minutes,
      ]);
    const attempts = async () => {
      const { rows } = await pool.query<{ attempts: number }>(`select attempts from parked where route_id = 'AGAIN'`);
      return rows[0]?.attempts;
    };
    await passed(1.1);
    worker.wake();
    await depot.waitUntil(async () => (await attempts()) === 2);
    await pool.query('alter table PODDTA.RTSTUP disable trigger refuse');
    await passed(2.1);
    worker.wake();
    await depot.waitUntil(async () => !(await isParked('AGAIN')));
    expect(await depot.show('RTSTUP', "RURTE = 'AGAIN'")).toMatchObject([{ RUCMT: 'BAD again' }]);
    await pool.query('alter table PODDTA.RTSTUP enable trigger refuse');
  });

  test('a try that a change of another stop causes is not counted', async () => {
    const key = await depot.addRoute('NOTDUE', [1, 2]);
    await depot.record(key, { id: 1, updates: { ...delivered, driver_comments: 'BAD early' } });
    await depot.untilHosted(key);
    for (const driver_comments of ['one', 'two', 'three']) {
      await depot.record(key, { id: 2, updates: { driver_comments } });
      await depot.untilHosted(key);
    }
    const { rows } = await pool.query(`select stop_id, attempts from parked where route_id = 'NOTDUE'`);
    expect(rows).toEqual([{ stop_id: 1, attempts: 1 }]);
  });

  test('a parked stop delays the close; when it gets through, the close follows', async () => {
    const key = await depot.addRoute('HOLD', [1, 999]);
    await depot.record(key, { id: 1, updates: { ...delivered, driver_comments: 'BAD' } });
    await depot.record(key, { id: 999, arrived: true, updates: delivered });
    await depot.untilHosted(key);
    expect(await depot.show('RTHDRP', "RHRTE = 'HOLD'")).toMatchObject([{ RHPODS: '', RHOPEN: '0' }]);
    await depot.record(key, { id: 1, updates: { driver_comments: 'fine' } });
    await depot.waitUntil(async () => !(await isParked('HOLD')));
    expect(await depot.show('RTHDRP', "RHRTE = 'HOLD'")).toMatchObject([{ RHPODS: 'C', RHOPEN: '0', RHLATE: '1' }]);
  });

  test('after half an hour the close goes out with the count of missing rows', async () => {
    const key = await depot.addRoute('LATE', [1, 999]);
    await depot.record(key, { id: 1, updates: { ...delivered, driver_comments: 'BAD' } });
    await depot.record(key, { id: 999, arrived: true, updates: delivered });
    await depot.untilHosted(key);
    await pool.query(`update parked set parked_at = parked_at - interval '31 minutes' where route_id = 'LATE'`);
    depot.clock.now = new Date(depot.clock.now.getTime() + 31 * 60_000);
    worker.wake();
    await depot.waitUntil(async () => (await depot.show('RTHDRP', "RHRTE = 'LATE'"))[0]?.['RHPODS'] === 'C');
    expect(await depot.show('RTHDRP', "RHRTE = 'LATE'")).toMatchObject([
      { RHPODS: 'C', RHCLTM: '100000', RHOPEN: '1' },
    ]);
    const alarms = () => pool.query(`select details from incident where kind = 'closed_while_parked'`);
    await expect.poll(async () => JSON.stringify((await alarms()).rows)).toContain('LATE');
  });

  test('unconvertible text: a key outside code page 37 is not changed: the stop is parked', async () => {
    const key = await depot.addRoute('KEYS', [1, 2]);
    await depot.record(key, { id: 1, updates: delivered, products: [{ id: 'ŁÓDŹ', updates: { delivered: 1 } }] });
    await depot.record(key, { id: 2, updates: delivered, products: [{ id: 'ÉTÉ  ', updates: { delivered: 1 } }] });
    await depot.untilHosted(key);
    expect(await depot.show('RTPRUP', "RQRTE = 'KEYS'")).toMatchObject([{ RQSTP: '2', RQITM: 'ÉTÉ' }]);
    const { rows } = await pool.query(`select stop_id, sqlstate from parked where route_id = 'KEYS'`);
    expect(rows).toEqual([{ stop_id: 1, sqlstate: '22021' }]);
  });

  test('a stop that the host does not have is parked', async () => {
    const key = await depot.addRoute('NOROW', [1, 2]);
    await pool.query(`delete from PODDTA.RTSTPP where RSRTE = 'NOROW' and RSSTP = 1`);
    await depot.record(key, { id: 1, updates: delivered });
    await depot.untilHosted(key);
    const { rows } = await pool.query(`select stop_id, sqlstate, reason from parked where route_id = 'NOROW'`);
    expect(rows).toEqual([{ stop_id: 1, sqlstate: '02000', reason: 'the host has no stop 1 on this route' }]);
  });
});

describe('the log on the host (PODRPLP)', () => {
  test('has a line for each written and each parked stop', async () => {
    const key = await depot.addRoute('LOGGED', [1, 2]);
    await depot.record(key, { id: 1, updates: delivered });
    await depot.record(key, { id: 2, updates: { ...delivered, driver_comments: 'BAD words' } });
    await depot.untilHosted(key);
    const [result] = await depot.show('RTSTUP', "RURTE = 'LOGGED'");
    const lines = await depot.show('PODRPLP', "RLKEY like '%LOGGED%' order by RLSTS, RLSEQ -- ");
    expect(lines).toMatchObject([
      {
        RLENT: 'RTSTUP',
        RLKEY: 'F01 LOGGED 20261128 1',
        RLTRC: result?.['RUTRC'],
        RLSEQ: result?.['RURPSQ'],
        RLSTS: 'A',
      },
      { RLENT: 'RTSTUP', RLKEY: 'F01 LOGGED 20261128 2', RLSTS: 'P', RLERR: '09000', RLMSG: 'RUCMT is not wanted' },
    ]);
    // Our own log leads from the change to that line, also for a refusal.
    const { rows: changes } = await pool.query<{ id: string }>(
      `select id from ledger where route_id = 'LOGGED' order by stop_id`,
    );
    const reported = depot.log.lines.flatMap(({ fields }) => ('mutations' in fields ? [fields] : []));
    for (const [index, { RLTRC }] of lines.entries())
      expect(reported).toContainEqual(expect.objectContaining({ mutations: [changes[index]?.id], trace: RLTRC }));
  });

  test('a line of a stop says where it came after the close of its route', async () => {
    const key = await depot.addRoute('AFTER', [1, 2, 999]);
    const messages = async () =>
      (await depot.show('PODRPLP', "RLKEY like '%AFTER%' and RLENT = 'RTSTUP' order by RLKEY, RLSEQ -- ")).map(
        ({ RLKEY, RLMSG }) => [String(RLKEY).split(' ').at(-1), RLMSG],
      );
    await depot.record(key, { id: 1, updates: delivered });
    await depot.record(key, { id: 999, arrived: true, updates: delivered });
    await depot.untilHosted(key);
    expect(await depot.show('RTHDRP', "RHRTE = 'AFTER'")).toMatchObject([{ RHPODS: 'C' }]);
    expect(await messages()).toEqual([
      ['1', ''],
      ['999', ''],
    ]);
    await depot.record(key, { id: 2, updates: delivered });
    await depot.untilHosted(key);
    expect(await messages()).toEqual([
      ['1', ''],
      ['2', 'after the close of the route'],
      ['999', ''],
    ]);
  });

  test('delays nothing where it is missing', async () => {
    const key = await depot.addRoute('UNLOGGED', [1]);
    await pool.query('alter table PODDTA.PODRPLP rename to PODRPLP_AWAY');
    await depot.record(key, { id: 1, updates: delivered });
    await depot.untilHosted(key);
    expect(await depot.show('RTSTUP', "RURTE = 'UNLOGGED'")).toHaveLength(1);
    await pool.query('alter table PODDTA.PODRPLP_AWAY rename to PODRPLP');
    await expect.poll(async () => (await worker.state()).paused).toEqual([]);
  });
});

describe('the host is not set up', () => {
  test('table missing: delays work that needs it, with an alarm; everything else continues', async () => {
    const withPhoto = await depot.addRoute('GONE', [1, 2, 999]);
    const without = await depot.addRoute('GOESON', [1]);
    await pool.query('alter table PODDTA.RTIMGP rename to RTIMGP_AWAY');
    const photo = [{ id: 'ITEM1', invoice: 'INV1', updates: { delivered: 1, image_ids: ['0123456789ABCDEF'] } }];
    await depot.record(withPhoto, { id: 1, updates: delivered, products: photo });
    await depot.record(withPhoto, { id: 2, updates: delivered });
    await depot.record(withPhoto, { id: 999, updates: delivered });
    await depot.record(without, { id: 1, updates: delivered });
    await depot.untilHosted(without);
    await depot.untilHosted(withPhoto);
    expect(await worker.state()).toMatchObject({ paused: [{ file: 'RTIMGP' }], breaker: { state: 'closed' } });
    expect((await depot.show('RTSTUP', "RURTE = 'GONE'")).map(({ RUSTP }) => RUSTP)).toEqual(['2', '999']);
    // The close waits for the stop that waits.
    expect(await depot.show('RTHDRP', "RHRTE = 'GONE'")).toMatchObject([{ RHPODS: '' }]);
    const alarms = await pool.query(
      `select details from incident where kind = 'host_file_paused' and details like '%RTIMGP%'`,
    );
    expect(alarms.rows).toHaveLength(1);

    await pool.query('alter table PODDTA.RTIMGP_AWAY rename to RTIMGP');
    await expect.poll(() => depot.show('RTHDRP', "RHRTE = 'GONE'")).toMatchObject([{ RHPODS: 'C' }]);
    expect(await depot.show('RTIMGP', "RIRTE = 'GONE'")).toMatchObject([{ RIASS: '0123456789ABCDEF' }]);
    expect(await worker.state()).toMatchObject({ paused: [] });
  });

  test('a host that refuses the service altogether is probed seldom', async () => {
    const refused: Host = {
      ...depot.host,
      transaction: () => Promise.reject(new HostError('28000', 'no authority to connect')),
    };
    await worker.stop();
    const locked = depot.worker({ host: refused });
    await locked.start();
    const key = await depot.addRoute('LOCKED', [1]);
    await depot.record(key, { id: 1, updates: delivered });
    await expect.poll(async () => (await locked.state()).breaker).toMatchObject({ state: 'open', waitMs: 15_000 });
    expect(depot.log.lines.some(({ level, message }) => level === 'error' && message.includes('not set up'))).toBe(
      true,
    );
    // This node would wait for its fifteen seconds; another one probes at once.
    await locked.stop();
    await depot.worker().start();
    await depot.untilHosted(key);
  });
});
