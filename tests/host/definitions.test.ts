import { describe, expect, test } from 'vitest';
import { allColumnsOf } from '../../server/src/host/files/columns.ts';
import { readUnlocked } from '../../server/src/host/files/dialect.ts';
import { readKey } from '../../server/src/host/reads/doorbell.ts';
import { decimalText, isHostText, valueFaults } from '../../server/src/host/files/fit.ts';
import { hostMoment, instantOf } from '../../server/src/host/files/local-time.ts';
import {
  countRows,
  insertRows,
  mergeRows,
  selectRows,
  selectRowsIn,
  selectWritten,
  updateGuarded,
} from '../../server/src/host/files/statements.ts';
import { hostFile, hostFileNames } from '../../server/src/host/files/tables.ts';

describe('every file of the host', () => {
  test('the trace id ends the columns of a stop: the search finds it at the end of the confirmed rows', () => {
    expect(Object.keys(hostFile('RTSTUP').service).at(-1)).toBe('RUTRC');
  });

  test('exists, with system names of at most ten characters under its own prefix', () => {
    expect([...hostFileNames].sort()).toEqual([
      'ASSCHP',
      'ASSHDP',
      'CTLCDP',
      'CUSMSP',
      'EMPMSTP',
      'FACMSTP',
      'INVHDP',
      'ITCOLP',
      'LCRHDP',
      'LCRSCP',
      'PODCHGP',
      'PODCTLP',
      'PODRCNP',
      'PODRPLP',
      'PODUSRP',
      'RTCOLP',
      'RTDRVP',
      'RTEMLP',
      'RTHDRP',
      'RTIMGP',
      'RTOSDP',
      'RTPRDP',
      'RTPRUP',
      'RTSTPP',
      'RTSTUP',
      'SLSREPP',
    ]);
    const columns = hostFileNames.flatMap((name) => Object.keys(allColumnsOf(hostFile(name))));
    expect(columns.filter((column) => column.length > 10)).toEqual([]);
    for (const name of hostFileNames) {
      const { prefix, key, host, service } = hostFile(name);
      const others = Object.keys({ ...key, ...host, ...service }).filter((column) => !column.startsWith(prefix));
      expect(others).toEqual([]);
    }
  });

  test('has a key that fits into a doorbell line', () => {
    const width = (name: (typeof hostFileNames)[number]) =>
      Object.values(hostFile(name).key).reduce(
        (sum, column) =>
          sum + (column.kind === 'char' ? column.length : column.kind === 'decimal' ? column.precision : 0),
        0,
      );
    expect(hostFileNames.filter((name) => hostFile(name).doorbell === 'rings' && width(name) > 60)).toEqual([]);
  });
});

test('a key is parsed from a doorbell line by the widths of its columns', () => {
  expect(readKey('RTIMGP', 'F01  R100      20261121007P8100101   100234         00001002')).toEqual({
    RIFAC: 'F01',
    RIRTE: 'R100',
    RIWKE: '20261121',
    RISTP: '7',
    RIQTYP: 'P',
    RIINV: '8100101',
    RIITM: '100234',
    RILIN: '1',
    RISEQ: '2',
  });
  expect(readKey('CTLCDP', 'STPEXC    01')).toEqual({ CCTYP: 'STPEXC', CCCOD: '01' });
});

describe('a value that does not fit is refused before the request', () => {
  test.each([
    [{ RUCMT: 'x'.repeat(257) }, [{ column: 'RUCMT', sqlstate: '22001' }]],
    [{ RUCMT: 'ś' }, [{ column: 'RUCMT', sqlstate: '22021' }]],
    [{ RUCMT: 'é'.repeat(256), RULAT: '-179.123456', RUSDT: '20261121' }, []],
    [{ RULAT: '1000.5' }, [{ column: 'RULAT', sqlstate: '22003' }]],
    [{ RULAT: '1.1234567' }, [{ column: 'RULAT', sqlstate: '22003' }]],
    [{ RUSDT: '0020261121', RUSTM: '1234567' }, [{ column: 'RUSTM', sqlstate: '22003' }]],
    [{ RUSDT: 'today' }, [{ column: 'RUSDT', sqlstate: '22018' }]],
  ])('%o', (record, expected) => {
    expect(valueFaults('RTSTUP', record)).toEqual(expected);
  });

  test('the characters of a host are Latin-1 without NUL and ¤', () => {
    expect(isHostText('Crème brûlée ÿ\u0001')).toBe(true);
    for (const text of ['\0', '€', '¤', 'Ā', '“', '🙂']) expect(isHostText(text)).toBe(false);
    expect([isHostText('¤', '37'), isHostText('¤', '1140')]).toEqual([true, false]);
  });

  test('decimals have exactly the digits of their column', () => {
    expect([decimalText(5), decimalText(41.5, 6), decimalText(-0.00000012, 6)]).toEqual(['5', '41.500000', '0.000000']);
    expect(() => decimalText(Number.NaN)).toThrow(RangeError);
    expect(() => decimalText(1e15)).toThrow(RangeError);
  });
});

describe('the clock of a facility', () => {
  const chicago = 'America/Chicago';
  test('is the host’s, in summer and in winter', () => {
    expect(hostMoment(new Date('2026-07-01T03:04:05Z'), chicago)).toEqual({ date: '20260630', time: '220405' });
    expect(hostMoment(new Date('2026-12-01T06:00:00Z'), chicago)).toEqual({ date: '20261201', time: '0' });
    expect(hostMoment(new Date('2026-12-01T06:00:00Z'), 'no zone')).toEqual({ date: '20261201', time: '60000' });
  });

  test('reads back as the same instant, also beside a skipped or repeated hour', () => {
    for (const instant of [
      '2026-07-01T03:04:05.000Z',
      '2026-03-08T07:59:59.000Z',
      '2026-03-08T08:00:00.000Z',
      '2026-11-01T05:30:00.000Z',
      '2026-11-01T08:00:00.000Z',
    ])
      expect(instantOf(hostMoment(new Date(instant), chicago), chicago)?.toISOString()).toBe(instant);
    expect(instantOf({ date: '0', time: '0' }, chicago)).toBeNull();
    expect(instantOf({ date: '20261399', time: '0' }, chicago)).toBeUndefined();
    // 01:30 comes twice on this day: the first of them.
    expect(instantOf({ date: '20261101', time: '13000' }, chicago)?.toISOString()).toBe('2026-11-01T06:30:00.000Z');
  });
});

describe('statements', () => {
  const place = { dialect: 'postgres', library: 'PODDTA' } as const;
  const stamp = { user: 'U', program: 'P', date: '20261121', time: '101010' };
  const key = { RSFAC: 'F01', RSRTE: 'R1', RSWKE: '20261121', RSSTP: '1' } as const;

  test('a guarded update compares the confirmed values', () => {
    const { sql, bind } = updateGuarded(place, 'RTSTPP', ['RSSTS']);
    expect(sql).toBe(
      'update PODDTA.RTSTPP set RSSTS = ?, RSUUSR = ?, RSUPGM = ?, RSUDAT = ?, RSUTIM = ? where RSFAC = ? and RSRTE = ? and RSWKE = ? and RSSTP = ? and RSSTS = ?',
    );
    expect(bind({ key, row: { RSSTS: 'D' }, was: { RSSTS: 'P' }, stamp })).toEqual([
      'D',
      'U',
      'P',
      '20261121',
      '101010',
      'F01',
      'R1',
      '20261121',
      '1',
      'P',
    ]);
  });

  test('a merge casts new text one wider than its column, so that too long fails instead of being cut', () => {
    const { sql, bind } = mergeRows(place, 'RTEMLP', ['REMADR'], 1);
    expect(sql).toContain('cast(? as varchar(255))');
    expect(sql).toContain('cast(? as char(254))');
    const row = { REFAC: 'F01', RERTE: 'R1', REWKE: '20261121', RESTP: '1', REMSEQ: '1', REMADR: 'a' } as const;
    const values = bind({ rows: [{ row }], stamp });
    expect(values).toHaveLength(sql.split('?').length - 1);
    expect(values.at(-1)).toBeNull();
  });

  test.each([
    ['db2i', ' use currently committed', ' skip locked data'],
    ['db2', '', ''],
    ['postgres', '', ''],
  ] as const)('a select for %s has a clause for rows locked by others', (dialect, committed, unlocked) => {
    const at = { dialect, library: 'PODDTA' };
    const texts = [
      selectRows(at, 'RTHDRP', ['RHRTE']).sql,
      selectRowsIn(at, 'CUSMSP', 'CMCUS', 2),
      selectWritten(at, 'RTSTUP', ['RUSTP']).sql,
      countRows(at, 'ASSCHP', 'ACID', 'ACSEQ'),
      readUnlocked(dialect, 'select CHSEQ from PODDTA.PODCHGP where CHFIL = ?'),
    ];
    expect(texts.map((text) => text.slice(text.indexOf(' where ')))).toEqual([
      ` where RHRTE = ? order by RHFAC, RHRTE, RHWKE${committed}`,
      ` where CMCUS in (?, ?) order by CMCUS${committed}`,
      ` where RUSTP = ?${committed}`,
      ` where ACID = ?${committed}`,
      ` where CHFIL = ?${unlocked}`,
    ]);
  });

  test('a multi-row insert has a value for each placeholder', () => {
    const { sql, bind } = insertRows(place, 'RTSTPP', ['RSFAC', 'RSRTE', 'RSWKE', 'RSSTP'], 2);
    expect(bind({ rows: [key, { ...key, RSSTP: '2' }], stamp })).toHaveLength(sql.split('?').length - 1);
  });
});
