import { describe, expect, test } from 'vitest';
import { connectionString } from '../../server/src/host/db2/connection-string.ts';
import { hostErrorOf, isLost } from '../../server/src/host/db2/db2-errors.ts';
import { StatementCache } from '../../server/src/host/db2/statement-cache.ts';
import { HostError, type HostErrorKind } from '../../server/src/host/host.ts';

const text = (url: string) => connectionString({ url, library: 'PODDTA', program: 'TAILGATE' });

describe('the address of a Db2', () => {
  test('as a URL: keywords of its query go through, and secrets are unescaped', () => {
    expect(text('db2://tail:p%40ss@host.example:446/PROD?Security=SSL')).toBe(
      'DATABASE=PROD;HOSTNAME=host.example;PORT=446;PROTOCOL=TCPIP;UID=tail;PWD=p@ss;Security=SSL;CURRENTSCHEMA=PODDTA;CLIENTAPPLNAME=TAILGATE;',
    );
    expect(text('db2://u:p@host/PROD')).toContain('PORT=50000;');
  });

  test('as a connection string: library and program are the service’s, for any values in it', () => {
    expect(text('DATABASE=PROD;HOSTNAME=h;UID=u;PWD={a;b};currentschema=OTHER')).toBe(
      'DATABASE=PROD;HOSTNAME=h;UID=u;PWD={a;b};CURRENTSCHEMA=PODDTA;CLIENTAPPLNAME=TAILGATE;',
    );
  });

  test.each(['db2://u:secret@host', 'HOSTNAME=h;UID=u;PWD=secret', 'DATABASE=D;PWD=secret}x'])(
    'an impossible one is refused without its password: %s',
    (url) => {
      expect(() => text(url)).toThrow(HostError);
      expect(() => text(url)).not.toThrow('secret');
    },
  );
});

describe('errors of Db2', () => {
  const cases: [what: string, sqlcode: number, sqlstate: string, kind: HostErrorKind][] = [
    ['a lock timeout', -913, '57033', 'passing'],
    ['a deadlock', -911, '40001', 'passing'],
    ['a resource that is away', -904, '57011', 'passing'],
    ['an internal error', -901, '58004', 'system'],
    ['a query that the governor refuses', -666, '57005', 'passing'],
    ['a lost connection', -30_081, '08001', 'passing'],
    ['a refused password, though its state is that of a lost connection', -30_082, '08001', 'setup'],
    ['a database that is not there', -30_061, '08004', 'setup'],
    ['a missing licence', -1598, '42968', 'setup'],
    ['packages that are not bound', -805, '51002', 'setup'],
    ['a missing file', -204, '42704', 'setup'],
    ['a missing authority', -551, '42501', 'setup'],
    ['a file that is not journaled', -7008, '55019', 'not_journaled'],
    ['a table that is being loaded, with the same state', -20_054, '55019', 'passing'],
    ['a key that is there', -803, '23505', 'duplicate'],
    ['a text that is too long', -302, '22001', 'poison'],
    ['a number that is too large', -413, '22003', 'poison'],
    ['a character without a conversion, though its state passes', -332, '57017', 'poison'],
    ['a trigger that refused', -723, '09000', 'poison'],
    ['a failed trigger program', -443, '38501', 'poison'],
    ['a warning: what it did is rolled back and looked at', 1517, '01517', 'poison'],
  ];
  test.each(cases)('%s', (_what, sqlcode, sqlstate, kind) => {
    expect(hostErrorOf({ message: 'text', sqlcode, sqlstate })).toMatchObject({ kind, sqlcode });
  });

  test('a connection is closed after an error that makes its state unclear, and kept after an error of a row', () => {
    const lost = (sqlstate: string, sqlcode = -1) => isLost(hostErrorOf({ message: '', sqlstate, sqlcode }));
    expect([lost('08001', -30_081), lost('HY000'), lost('40003'), lost('55032', -1224)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([lost('23505', -803), lost('57033', -913), lost('40001', -911)]).toEqual([false, false, false]);
  });
});

test('up to a hundred statements are reused by their text; one that failed is prepared anew', async () => {
  const closed: string[] = [];
  const prepared: string[] = [];
  const cache = new StatementCache((sql) => {
    prepared.push(sql);
    return Promise.resolve({ sql, close: () => Promise.resolve(closed.push(sql)) });
  });
  for (let n = 0; n < 100; n++) await cache.use(`s${n}`, ({ sql }) => Promise.resolve(sql));
  await cache.use('s0', ({ sql }) => Promise.resolve(sql));
  expect([prepared.length, closed]).toEqual([100, []]);
  await cache.use('s100', ({ sql }) => Promise.resolve(sql));
  expect(closed).toEqual(['s1']);
  await expect(cache.use('s2', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await cache.use('s2', ({ sql }) => Promise.resolve(sql));
  expect([closed, prepared.slice(-2)]).toEqual([
    ['s1', 's2'],
    ['s100', 's2'],
  ]);
});
