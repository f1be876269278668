import { describe, expect, test } from 'vitest';
import { HostError, type HostErrorKind } from '../../server/src/replication/host/host.ts';
import { openStandIn } from '../../server/src/replication/host/postgres.ts';
import { createDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { createHost } from '../support/stand-in.ts';

const { host, clerk, database } = await createHost();

const failureOf = async (work: Promise<unknown>): Promise<HostError> => {
  const error: unknown = await work.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(HostError);
  if (!(error instanceof HostError)) throw error;
  return error;
};

const insertStop = (stop: number, columns = '', values = '') =>
  `insert into PODDTA.RTSTPP (RSFAC, RSRTE, RSWKE, RSSTP${columns}) values ('F01', 'R1', 20261128, ${stop}${values})`;

describe('rows', () => {
  test('come with upper-case names, trimmed text and numbers as text', async () => {
    await clerk.query(insertStop(1, ', RSCUS', ", 'C1'"));
    const [row] = await host.query(
      'select RSCUS, RSSTP, RSTYP, length(RSCUS || $x$|$x$) as WIDTH from RTSTPP where RSSTP = ?',
      ['1'],
    );
    expect(row).toEqual({ RSCUS: 'C1', RSSTP: '1', RSTYP: '', WIDTH: '3' });
  });

  test('are blank-padded where they lie', async () => {
    const [row] = await host.query('select octet_length(RSCUS) as WIDTH from RTSTPP where RSSTP = 1');
    expect(row).toEqual({ WIDTH: '10' });
  });

  test('a question mark in a quoted text is no parameter', async () => {
    expect(await host.query("select '?' as A, cast(? as char(3)) as B", ['x'])).toEqual([{ A: '?', B: 'x' }]);
  });
});

describe('failures carry the state that Db2 would tell', () => {
  const cases: [what: string, sql: string, sqlstate: string, kind: HostErrorKind][] = [
    ['a text that is too long', insertStop(50, ', RSCUS', ", '12345678901'"), '22001', 'poison'],
    ['a number that is too large', insertStop(1000), '22003', 'poison'],
    ['a character that code page 37 lacks', insertStop(51, ', RSCUS', ", 'Łódź'"), '22021', 'poison'],
    ['a key that is there', insertStop(1), '23505', 'duplicate'],
    ['a file that is not there', 'select * from PODDTA.NOFILE', '42704', 'setup'],
    ['a column that is not there', 'select NOCOL from PODDTA.RTSTPP', '42703', 'setup'],
    ['no SQL at all', 'selec', '42601', 'setup'],
    ['a trigger that refuses', "do $$ begin raise exception 'no' ; end $$", '09000', 'poison'],
    ['a text where a number is due', "select cast('x' as decimal(3,0))", '22018', 'poison'],
  ];
  test.each(cases)('%s', async (_what, sql, sqlstate, kind) => {
    expect(await failureOf(host.query(sql))).toMatchObject({ sqlstate, kind });
  });

  test('every character of code page 37 is held', async () => {
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

  test('a lock that another program keeps is passing, and says so soon', async () => {
    let release = () => {};
    const kept = new Promise<void>((resolve) => (release = resolve));
    let locked = () => {};
    const isLocked = new Promise<void>((resolve) => (locked = resolve));
    const blocker = clerk.transaction(async (tx) => {
      await tx.execute("update RTSTPP set RSSTS = 'D' where RSSTP = 1");
      locked();
      await kept;
    });
    await isLocked;
    const error = await failureOf(
      host.transaction((tx) => tx.execute("update RTSTPP set RSSTS = 'S' where RSSTP = 1")),
    );
    expect(error).toMatchObject({ sqlstate: '57033', sqlcode: -913, kind: 'passing' });
    release();
    await blocker;
  });

  test('a host that does not answer is passing', async () => {
    const away = openStandIn({ url: 'postgres://nobody@127.0.0.1:1/none', library: 'PODDTA', log: recordedLog() });
    expect(await failureOf(away)).toMatchObject({ sqlstate: '08001', kind: 'passing' });
  });

  test('what a transaction itself throws passes through, and nothing is written', async () => {
    const own = new Error('changed my mind');
    const work = host.transaction(async (tx) => {
      await tx.execute(insertStop(60));
      throw own;
    });
    await expect(work).rejects.toBe(own);
    expect(await host.query('select RSSTP from RTSTPP where RSSTP = 60')).toEqual([]);
  });

  test('a swallowed failure does not pass for a commit', async () => {
    const work = host.transaction((tx) => tx.execute(insertStop(1)).catch(() => 0));
    expect(await failureOf(work)).toMatchObject({ sqlstate: '40000', kind: 'passing' });
  });
});

describe('the doorbell', () => {
  const rings = () => host.query('select CHFIL, CHOP, CHKEY, CHPGM from PODCHGP order by CHSEQ');

  test('rings for other programs with the key alone, old and new where a key moves', async () => {
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
    expect(await rings()).toEqual([line('I', '007'), line('U', '007'), line('U', '008'), line('D', '008')]);
  });

  test('is silent for what the service writes itself', async () => {
    await clerk.query('delete from PODCHGP');
    await host.query(insertStop(9));
    await host.query("update RTSTPP set RSSTS = 'D' where RSSTP = 9");
    expect(await rings()).toEqual([]);
  });

  test('never fails the program that rings it', async () => {
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

  test('an outage is in force at once for the service, and for nobody else', async () => {
    await set('outage');
    expect(await failureOf(host.query('select 1 as A'))).toMatchObject({ sqlstate: '08001', kind: 'passing' });
    expect(await failureOf(host.transaction(() => Promise.resolve()))).toMatchObject({ sqlstate: '08001' });
    expect(await failureOf(host.ping())).toMatchObject({ sqlstate: '08001' });
    expect(await clerk.query('select 1 as A')).toEqual([{ A: '1' }]);
    await clear();
    expect(await host.query('select 1 as A')).toEqual([{ A: '1' }]);
  });

  test('a lock and a poison hit the file they name', async () => {
    await set('lock', 'RTSTPP');
    const update = () => host.transaction((tx) => tx.execute("update PODDTA.RTSTPP set RSSTS = 'D' where RSSTP = 1"));
    expect(await failureOf(update())).toMatchObject({ sqlstate: '57033', kind: 'passing' });
    await clear();
    await set('poison', 'RTSTPP');
    expect(await failureOf(update())).toMatchObject({ sqlstate: '09000', kind: 'poison' });
    await host.transaction((tx) => tx.execute("update PODDTA.RTHDRP set RHPODS = 'C'"));
    await clear();
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

test('two programs that open a new library at once both find it whole', async () => {
  const fresh = await createDatabase();
  const open = () => openStandIn({ url: fresh.url, library: 'PODNEW', log: recordedLog() });
  const hosts = await Promise.all([open(), open(), open()]);
  for (const opened of hosts) expect(await opened.query('select CTHOLD from PODCTLP')).toEqual([{ CTHOLD: 'N' }]);
  await Promise.all(hosts.map((opened) => opened.close()));
});

test('describe tells the columns as the host has them; a job has a code page', async () => {
  const columns = await host.describe('ASSCHP');
  expect(columns?.slice(0, 4)).toEqual([
    { name: 'ACID', type: 'CHAR', length: 16, scale: 0, nullable: false, ccsid: 37 },
    { name: 'ACSEQ', type: 'DECIMAL', length: 5, scale: 0, nullable: false, ccsid: null },
    { name: 'ACLEN', type: 'DECIMAL', length: 5, scale: 0, nullable: false, ccsid: null },
    { name: 'ACDTA', type: 'VARCHAR() FOR BIT DATA', length: 16_000, scale: 0, nullable: false, ccsid: 65_535 },
  ]);
  expect(await host.ping()).toMatchObject({ ccsid: 37, library: 'PODDTA', user: new URL(database.url).username });
});
