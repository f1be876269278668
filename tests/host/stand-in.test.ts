import { describe, expect, test } from 'vitest';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { hostFailure } from '../support/host-failure.ts';
import { createDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { createHost } from '../support/stand-in.ts';

// Behaviour of the stand-in beyond the rules for every driver (conformance.test.ts).

const { host, clerk } = await createHost();

const insertStop = (stop: number, columns = '', values = '') =>
  `insert into PODDTA.RTSTPP (RSFAC, RSRTE, RSWKE, RSSTP${columns}) values ('F01', 'R1', 20261128, ${stop}${values})`;

describe('rows', () => {
  test('are blank-padded in storage, and are trimmed before a concatenation', async () => {
    await clerk.query(insertStop(1, ', RSCUS', ", 'C1'"));
    expect(await host.query('select length(RSCUS || $x$|$x$) as WIDTH from RTSTPP where RSSTP = 1')).toEqual([
      { WIDTH: '3' },
    ]);
    const [row] = await host.query('select octet_length(RSCUS) as WIDTH from RTSTPP where RSSTP = 1');
    expect(row).toEqual({ WIDTH: '10' });
  });

  test('a question mark in a quoted text is no parameter', async () => {
    expect(await host.query("select '?' as A, cast(? as char(3)) as B", ['x'])).toEqual([{ A: '?', B: 'x' }]);
  });
});

describe('failures have Db2’s states', () => {
  test.each([
    ['a trigger that refuses', "do $$ begin raise exception 'no' ; end $$", '09000'],
    ['a text where a number is due', "select cast('x' as decimal(3,0))", '22018'],
  ])('%s', async (_what, sql, sqlstate) => {
    expect(await hostFailure(host.query(sql))).toMatchObject({ sqlstate, kind: 'poison' });
  });

  test('every character of code page 37 is stored', async () => {
    const all = Array.from({ length: 255 }, (_, index) => String.fromCharCode(index + 1)).filter(
      (letter) => letter !== ' ',
    );
    for (let from = 0; from < all.length; from += 30) {
      const text = all.slice(from, from + 30).join('');
      await clerk.query('update PODDTA.RTHDRP set RHNAM = ? where RHRTE = ?', [text, 'none']);
      const [row] = await clerk.query('select PODDTA.ccsid37(?) as HELD', [text]);
      expect(row).toEqual({ HELD: 't' });
    }
  });

  test('a host that does not answer is passing', async () => {
    const away = openStandIn({ url: 'postgres://nobody@127.0.0.1:1/none', library: 'PODDTA', log: recordedLog() });
    expect(await hostFailure(away)).toMatchObject({ sqlstate: '08001', kind: 'passing' });
  });
});

describe('the doorbell', () => {
  const changes = () => host.query('select CHFIL, CHOP, CHKEY, CHPGM from PODCHGP order by CHSEQ');

  test('records changes of other programs with the key alone, old and new where a key moves', async () => {
    await clerk.query('delete from PODCHGP');
    await clerk.query(insertStop(7));
    await clerk.query('update RTSTPP set RSSTP = 8 where RSSTP = 7');
    await clerk.query('delete from RTSTPP where RSSTP = 8');
    const line = (operation: string, stop: string) => ({
      CHFIL: 'RTSTPP',
      CHOP: operation,
      CHKEY: `F01  R1        20261128${stop}`,
      CHPGM: 'CLERK',
    });
    expect(await changes()).toEqual([line('I', '007'), line('U', '007'), line('U', '008'), line('D', '008')]);
  });

  test('leaves out the writes of the service itself', async () => {
    await clerk.query('delete from PODCHGP');
    await host.query(insertStop(9));
    await host.query("update RTSTPP set RSSTS = 'D' where RSSTP = 9");
    expect(await changes()).toEqual([]);
  });

  test('never fails the program that changes a row', async () => {
    await clerk.query('alter table PODDTA.PODCHGP rename to PODGONE');
    await clerk.query(insertStop(10));
    await clerk.query('alter table PODDTA.PODGONE rename to PODCHGP');
    expect(await host.query('select RSSTP from RTSTPP where RSSTP = 10')).toEqual([{ RSSTP: '10' }]);
  });
});

describe('faults', () => {
  const set = (fault: string, file = '') =>
    clerk.query('insert into standin_fault (fault, file) values (?, ?)', [fault, file]);
  const clear = () => clerk.query('delete from standin_fault');

  test('an outage affects only the service, from its next statement', async () => {
    await set('outage');
    expect(await hostFailure(host.query('select 1 as A'))).toMatchObject({ sqlstate: '08001', kind: 'passing' });
    expect(await hostFailure(host.transaction(() => Promise.resolve()))).toMatchObject({ sqlstate: '08001' });
    expect(await hostFailure(host.ping())).toMatchObject({ sqlstate: '08001' });
    expect(await clerk.query('select 1 as A')).toEqual([{ A: '1' }]);
    await clear();
    expect(await host.query('select 1 as A')).toEqual([{ A: '1' }]);
  });

  test('a lock and a poison affect the named file', async () => {
    await set('lock', 'RTSTPP');
    const update = () => host.transaction((tx) => tx.execute("update PODDTA.RTSTPP set RSSTS = 'D' where RSSTP = 1"));
    expect(await hostFailure(update())).toMatchObject({ sqlstate: '57033', kind: 'passing' });
    await clear();
    await set('poison', 'RTSTPP');
    expect(await hostFailure(update())).toMatchObject({ sqlstate: '09000', kind: 'poison' });
    await host.transaction((tx) => tx.execute("update PODDTA.RTHDRP set RHPODS = 'C'"));
    await clear();
  });

  test('an internal error and the governor refuse a write, and the connection stays usable', async () => {
    const update = () => host.transaction((tx) => tx.execute("update PODDTA.RTSTPP set RSSTS = 'D' where RSSTP = 1"));
    await set('system', 'RTSTPP');
    expect(await hostFailure(update())).toMatchObject({ sqlstate: '58004', sqlcode: -901, kind: 'system' });
    await clear();
    await set('governor', 'RTSTPP');
    expect(await hostFailure(update())).toMatchObject({ sqlstate: '57005', sqlcode: -666, kind: 'passing' });
    await clear();
    expect(await update()).toBe(1);
  });

  test('a slow host takes two seconds a statement', async () => {
    await set('slow', 'RTDRVP');
    const began = performance.now();
    await host.query('select * from RTSTPP');
    expect(performance.now() - began).toBeLessThan(1_000);
    await host.query('select * from RTDRVP');
    expect(performance.now() - began).toBeGreaterThanOrEqual(1_990);
    await clear();
  });
});

test('two programs that open a new library concurrently both find it complete', async () => {
  const fresh = await createDatabase();
  const open = () => openStandIn({ url: fresh.url, library: 'PODNEW', log: recordedLog() });
  const hosts = await Promise.all([open(), open(), open()]);
  for (const opened of hosts) expect(await opened.query('select CTHOLD from PODCTLP')).toEqual([{ CTHOLD: 'N' }]);
  await Promise.all(hosts.map((opened) => opened.close()));
});
