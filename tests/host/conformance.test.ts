import { describe, expect, test } from 'vitest';
import type { HostErrorKind } from '../../server/src/host/host.ts';
import { mergeRows, readRecords, selectRows } from '../../server/src/host/files/statements.ts';
import { isOnViews, tableOf } from '../support/driven-host.ts';
import { hostFailure } from '../support/host-failure.ts';
import { createHost } from '../support/stand-in.ts';

// The rules for every driver of the host. `npm test` checks the stand-in's own driver, `npm run test:db2` ibm_db,
// `npm run test:odbc` odbc.

const { host, clerk, database } = await createHost();
const stamp = { user: 'TAILGATE', program: 'TAILGATE', date: '20261121', time: '101010' };

const insertStop = (stop: number, columns = '', values = '') =>
  `insert into PODDTA.RTSTPP (RSFAC, RSRTE, RSWKE, RSSTP${columns}) values ('F01', 'R1', 20261128, ${stop}${values})`;
const stops = async (where: string) =>
  (await clerk.query(`select RSSTP from PODDTA.RTSTPP where ${where} order by RSSTP`)).map(({ RSSTP }) => RSSTP);

describe('values', () => {
  test('come with upper-case names, trimmed text and numbers as text', async () => {
    await clerk.query(insertStop(1, ', RSCUS', ", 'C1'"));
    expect(await host.query('select RSCUS, RSSTP, RSTYP, RSETA from PODDTA.RTSTPP where RSSTP = ?', ['1'])).toEqual([
      { RSCUS: 'C1', RSSTP: '1', RSTYP: '', RSETA: '0' },
    ]);
  });

  test.each([
    ['180.000000', '-180.000000'],
    ['0.000001', '-0.000001'],
    ['0.000000', '0.100000'],
    ['41.878113', '-87.629799'],
  ])('decimals keep every digit: %s, %s', async (latitude, longitude) => {
    const key = { RUFAC: 'F01', RURTE: 'DEC', RUWKE: '20261128', RUSTP: '1' } as const;
    await clerk.query("delete from PODDTA.RTSTUP where RURTE = 'DEC'");
    await host.query(
      'insert into PODDTA.RTSTUP (RUFAC, RURTE, RUWKE, RUSTP, RULAT, RULON, RURPSQ) values (?, ?, ?, ?, ?, ?, ?)',
      [...Object.values(key), latitude, longitude, '999999999999999'],
    );
    const { sql, bind } = selectRows(host, 'RTSTUP', ['RUFAC', 'RURTE', 'RUWKE', 'RUSTP']);
    expect(readRecords('RTSTUP', await host.query(sql, bind(key)))).toMatchObject([
      { RULAT: latitude, RULON: longitude, RURPSQ: '999999999999999' },
    ]);
  });

  test('bytes are read back unchanged, also a chunk of 16,000', async () => {
    const pieces = [Buffer.from([0, 1, 39, 255]), Buffer.alloc(16_000, 7)];
    for (const [index, piece] of pieces.entries()) {
      const { sql, bind } = mergeRows(host, 'ASSCHP', ['ACLEN', 'ACDTA'], 1);
      const row = { ACID: 'A1', ACSEQ: `${index}`, ACLEN: `${piece.length}`, ACDTA: piece } as const;
      expect(await host.transaction((tx) => tx.execute(sql, bind({ rows: [{ row }], stamp })))).toBe(1);
    }
    const { sql, bind } = selectRows(host, 'ASSCHP', ['ACID']);
    const found = readRecords('ASSCHP', await host.query(sql, bind({ ACID: 'A1' })));
    expect(found.map(({ ACDTA }) => ACDTA)).toEqual(pieces);
  });

  test('all of code page 37 but NUL is read back, however long the text', async () => {
    const all = Array.from({ length: 255 }, (_, index) => String.fromCharCode(index + 1)).join('');
    await clerk.query(insertStop(2));
    await host.query("insert into PODDTA.RTSTUP (RUFAC, RURTE, RUWKE, RUSTP, RUCMT) values ('F01', 'CP', 1, 1, ?)", [
      all,
    ]);
    expect(await host.query("select RUCMT from PODDTA.RTSTUP where RURTE = 'CP'")).toEqual([{ RUCMT: all }]);
  });

  test('a question mark in a quoted text is no parameter', async () => {
    expect(await host.query("select '?' as A, cast(? as char(3)) as B from PODDTA.PODCTLP", ['x'])).toEqual([
      { A: '?', B: 'x' },
    ]);
  });
});

describe('a merge', () => {
  const put = mergeRows(host, 'RTEMLP', ['REMADR'], 2);
  const row = (sequence: `${number}`, address: string) =>
    ({ REFAC: 'F01', RERTE: 'R1', REWKE: '20261128', RESTP: '1', REMSEQ: sequence, REMADR: address }) as const;
  const merge = (rows: Parameters<typeof put.bind>[0]['rows']) =>
    host.transaction((tx) => tx.execute(put.sql, put.bind({ rows, stamp })));

  test('inserts, changes confirmed rows, and leaves rows with foreign changes', async () => {
    const [one, two] = [row('1', 'a@x'), row('2', 'b@x')];
    expect(await merge([{ row: one }, { row: two }])).toBe(2);
    expect(await merge([{ row: one }, { row: two }])).toBe(0);
    await clerk.query("update PODDTA.RTEMLP set REMADR = 'clerk@x' where REMSEQ = 2");
    const next = [row('1', 'c@x'), row('2', 'd@x')] as const;
    expect(
      await merge([
        { row: next[0], was: one },
        { row: next[1], was: two },
      ]),
    ).toBe(1);
    expect(await host.query('select REMADR from PODDTA.RTEMLP order by REMSEQ')).toEqual([
      { REMADR: 'c@x' },
      { REMADR: 'clerk@x' },
    ]);
  });

  test('of a text that is too long fails instead of cutting it', async () => {
    const error = await hostFailure(merge([{ row: row('3', 'x'.repeat(255)) }, { row: row('4', 'y') }]));
    expect(error).toMatchObject({ sqlstate: '22001', kind: 'poison' });
  });
});

describe('failures carry their class', () => {
  const cases: [what: string, sql: string, sqlstate: string, kind: HostErrorKind][] = [
    ['a text that is too long', insertStop(50, ', RSCUS', ", '12345678901'"), '22001', 'poison'],
    ['a number that is too large', insertStop(1000), '22003', 'poison'],
    ['a character that code page 37 lacks', insertStop(51, ', RSCUS', ", 'Łódź'"), '22021', 'poison'],
    ['a key that is there', insertStop(1), '23505', 'duplicate'],
    ['a file that is not there', 'select * from PODDTA.NOFILE', '42704', 'setup'],
    ['a column that is not there', 'select NOCOL from PODDTA.RTSTPP', '42703', 'setup'],
    ['no SQL at all', 'selec', '42601', 'setup'],
  ];
  test.each(cases)('%s', async (_what, sql, sqlstate, kind) => {
    expect(await hostFailure(host.query(sql))).toMatchObject({ sqlstate, kind });
    expect(await hostFailure(host.transaction((tx) => tx.execute(sql)))).toMatchObject({ sqlstate, kind });
  });

  test('a trigger of the host that refuses', async () => {
    await database.pool.query(`create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'no such customer'; end $$`);
    await database.pool.query(`create trigger refuse before insert on ${await tableOf('RTSTPP')} for each row
      when (to_jsonb(new)::text like '%NOBODY%') execute function refuse()`);
    const error = await hostFailure(host.query(insertStop(60, ', RSCUS', ", 'NOBODY'")));
    expect(error).toMatchObject({ sqlstate: '09000', kind: 'poison' });
    expect(error.message).toContain('no such customer');
  });

  test('a lock of another program fails as temporary, and soon', async () => {
    const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holder = clerk.transaction(async (tx) => {
      await tx.execute("update PODDTA.RTSTPP set RSETA = 1 where RSSTP = 1 and RSRTE = 'R1'");
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const update = host.transaction((tx) => tx.execute("update PODDTA.RTSTPP set RSSTS = 'D' where RSSTP = 1"));
    expect(await hostFailure(update)).toMatchObject({ sqlstate: '57033', sqlcode: -913, kind: 'passing' });
    release.resolve();
    await holder;
  });
});

describe('a transaction', () => {
  test('is visible to others only after its commit', async () => {
    await host.transaction(async (tx) => {
      expect(await tx.execute(insertStop(20))).toBe(1);
      expect(await stops('RSSTP = 20')).toEqual([]);
    });
    expect(await stops('RSSTP = 20')).toEqual(['20']);
  });

  test('rolls back if its work throws, and rethrows the error', async () => {
    const own = new Error('changed my mind');
    const work = host.transaction(async (tx) => {
      await tx.execute(insertStop(21));
      throw own;
    });
    await expect(work).rejects.toBe(own);
    expect(await stops('RSSTP = 21')).toEqual([]);
  });

  test('runs statements that are sent together in their order, and fails with the first failure', async () => {
    const together = (...sql: string[]) => host.transaction((tx) => Promise.all(sql.map((text) => tx.execute(text))));
    const moved = "update PODDTA.RTSTPP set RSSTP = 23 where RSSTP = 22 and RSRTE = 'R1'";
    expect(
      await together(insertStop(22), moved, "delete from PODDTA.RTSTPP where RSSTP = 23 and RSRTE = 'R1'"),
    ).toEqual([1, 1, 1]);
    expect(await hostFailure(together(insertStop(24), 'nonsense', insertStop(25)))).toMatchObject({
      sqlstate: '42601',
    });
    expect(await stops('RSSTP between 22 and 25')).toEqual([]);
  });

  test('does not commit after a swallowed failure of a statement', async () => {
    const work = host.transaction(async (tx) => {
      await tx.execute(insertStop(26));
      await tx.execute(insertStop(1)).catch(() => 0);
    });
    expect(await hostFailure(work)).toMatchObject({ sqlstate: '40000', kind: 'passing' });
    expect(await stops('RSSTP = 26')).toEqual([]);
  });

  test('runs beside others', async () => {
    const numbers = Array.from({ length: 30 }, (_, index) => 100 + index);
    await Promise.all(numbers.map((stop) => host.transaction((tx) => tx.execute(insertStop(stop)))));
    expect(await stops('RSSTP between 100 and 129')).toEqual(numbers.map(String));
  });
});

test('the doorbell records changes of other programs, not of the service', async () => {
  await clerk.query('delete from PODDTA.PODCHGP');
  await host.query(insertStop(30));
  await clerk.query(insertStop(31));
  expect(await host.query('select CHFIL, CHOP, CHKEY, CHPGM from PODDTA.PODCHGP')).toEqual([
    { CHFIL: 'RTSTPP', CHOP: 'I', CHKEY: 'F01  R1        20261128031', CHPGM: 'CLERK' },
  ]);
});

test('the host describes its columns, its user and the code page of our texts', async () => {
  // PostgreSQL's catalog has no NOT NULL for a column of a view.
  const nullable = isOnViews();
  expect((await host.describe('ASSCHP'))?.slice(0, 4)).toEqual([
    { name: 'ACID', type: 'CHAR', length: 16, scale: 0, nullable, ccsid: 37 },
    { name: 'ACSEQ', type: 'DECIMAL', length: 5, scale: 0, nullable, ccsid: null },
    { name: 'ACLEN', type: 'DECIMAL', length: 5, scale: 0, nullable, ccsid: null },
    { name: 'ACDTA', type: 'VARCHAR() FOR BIT DATA', length: 16_000, scale: 0, nullable, ccsid: 65_535 },
  ]);
  await clerk.query(`drop table ${await tableOf('SLSREPP')} cascade`);
  expect(await host.describe('SLSREPP')).toBeUndefined();
  expect(await host.ping()).toMatchObject({ ccsid: 37, library: host.library, user: new URL(database.url).username });
});
