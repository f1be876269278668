import { describe, expect, test } from 'vitest';
import { LegacyMapError, parseLegacyMap } from '../../server/src/host/files/legacy-map.ts';
import { mergeRows, selectRows } from '../../server/src/host/files/statements.ts';
import { readKey } from '../../server/src/host/reads/doorbell.ts';
import { hostScript, parsePrintCommand, printed } from '../../server/src/host/tools/cli.ts';
import { rowFit } from '../../server/src/replication/to-host/row-fit.ts';

const mapOf = (files: object) => parseLegacyMap(JSON.stringify({ files }));
const refusal = (files: object) => {
  try {
    mapOf(files);
  } catch (error) {
    if (error instanceof LegacyMapError) return error.message;
    throw error;
  }
  return 'accepted';
};
const columns = (file: string, entries: object) => refusal({ [file]: { columns: entries } });

describe('a map that cannot work is refused with its place', () => {
  test.each([
    ['an unknown file', refusal({ RTXXXP: {} }), /^files\.RTXXXP: there is no such file, but RTHDRP/],
    ['an unknown column', columns('RTHDRP', { RHXXX: 'A' }), 'files.RTHDRP.columns.RHXXX: RTHDRP has no such column'],
    [
      'a name in small letters',
      columns('RTHDRP', { RHFAC: 'depot' }),
      /^files\.RTHDRP\.columns\.RHFAC\.name: expected a name/,
    ],
    ['an unknown setting', columns('RTHDRP', { RHFAC: { nmae: 'A' } }), /^files\.RTHDRP\.columns\.RHFAC: .*nmae/],
    [
      'one name for two columns',
      columns('RTHDRP', { RHFAC: 'A', RHRTE: 'A' }),
      'files.RTHDRP.columns.RHRTE.name: A is RHFAC already',
    ],
    [
      'the name of another column',
      columns('RTHDRP', { RHFAC: 'RHRTE', RHRTE: 'RHFAC' }),
      /RHFAC\.name: RHRTE is the name of another column of ours/,
    ],
    ['a key that is left out', columns('RTHDRP', { RHRTE: { skip: true } }), /RHRTE: RHRTE is a part of the key/],
    [
      'the guard of a write that is left out',
      columns('RTSTUP', { RURPSQ: { skip: true } }),
      /RURPSQ: the service cannot do without it: it orders the writes/,
    ],
    [
      'a constant where the service writes',
      columns('RTSTUP', { RUCMT: { constant: '' } }),
      /RUCMT\.constant: the service writes this column; use skip/,
    ],
    ['an id that would be cut', columns('RTSTUP', { RUSIG: { length: 8 } }), /RUSIG\.length: expected at least 16/],
    ['the key of a file', columns('ASSHDP', { AHID: { length: 10 } }), /AHID\.length: expected at least 16/],
    ['the item of a line result', columns('RTPRUP', { RQITM: { length: 10 } }), /RQITM\.length: expected at least 15/],
    [
      'two values with one code',
      columns('RTSTPP', { RSSTS: { codes: { D: 'S' } } }),
      'files.RTSTPP.columns.RSSTS.codes: S and D are both S',
    ],
    ['a code of no value', columns('RTSTPP', { RSSTS: { codes: { Z: 'X' } } }), /codes\.Z: expected one of our values/],
    [
      'codes of a free text',
      columns('RTHDRP', { RHNAM: { codes: { A: 'B' } } }),
      /codes: this column has no fixed values/,
    ],
    [
      'a code that is too long',
      columns('RTSTPP', { RSSTS: { codes: { D: 'DLV' } } }),
      /codes\.D: DLV is longer than the column/,
    ],
    ['a table twice', refusal({ RTHDRP: { table: 'RTSTPP' } }), 'files.RTSTPP.table: RTSTPP is RTHDRP already'],
    [
      'a route of two lengths',
      columns('RTSTPP', { RSRTE: { length: 8 } }),
      /files\.RTSTPP\.columns\.RSRTE\.length: expected 10, as in RTHDRP/,
    ],
  ])('%s', (_what, message, expected) => {
    expect(message).toMatch(expected);
  });

  test('no JSON', () => {
    expect(() => parseLegacyMap('{')).toThrow(/^no JSON: /);
  });
});

describe('statements, scripts and the layout have the names of the map', () => {
  const map = mapOf({
    RTSTPP: {
      table: 'STOPS',
      columns: {
        RSRTE: 'TOUR#',
        RSSTS: { name: 'STATE', length: 2, codes: { D: '20' } },
        RSARVF: { skip: true },
        RSCUSR: { skip: true },
      },
      constants: { COMPANY: '01', AREA: 7 },
    },
  });
  const place = { dialect: 'db2i', library: 'L', map } as const;

  test('a select reads their columns under our names, and what they lack as blank', () => {
    const { sql, bind } = selectRows(place, 'RTSTPP', ['RSRTE', 'RSSTS']);
    expect(sql).toContain('"TOUR#" as RSRTE');
    expect(sql).toContain('"STATE" as RSSTS');
    expect(sql).toContain("cast('' as char(1)) as RSARVF");
    expect(sql).toContain('from L."STOPS" where "TOUR#" = ? and "STATE" = ?');
    expect(bind({ RSRTE: 'R1', RSSTS: 'D' })).toEqual(['R1', '20']);
  });

  test('a merge writes their codes, and the constants of a new row', () => {
    const { sql, bind } = mergeRows(place, 'RTSTPP', ['RSSTS', 'RSARVF'], 1);
    expect(sql).toContain('T."STATE" = S.WAS_RSSTS');
    expect(sql).not.toContain('RSARVF');
    expect(sql).toContain('"COMPANY", "AREA") values (');
    expect(sql).toMatch(/, '01', 7\)$/);
    const key = { RSFAC: 'F', RSRTE: 'R1', RSWKE: '1', RSSTP: '1' } as const;
    const values = bind({
      rows: [{ row: { ...key, RSSTS: 'D', RSARVF: 'Y' }, was: { ...key, RSSTS: 'P', RSARVF: 'N' } }],
      stamp: { user: 'U', program: 'P', date: '20261121', time: '1' },
    });
    expect(values).toEqual(['F', 'R1', '1', '1', '20', 'U', 'P', '20261121', '1', 'P']);
  });

  test('script and layout print them', () => {
    const script = hostScript('db2i', 'L', map);
    expect(script).toContain('create table L."STOPS" (');
    expect(script).toContain('"STATE" char(2) ccsid 37');
    expect(script).toContain('after insert on L."STOPS" referencing');
    expect(script).toContain('"COMPANY" char(2) not null');
    const sheet = printed({ verb: 'layout' }, 'L', map);
    expect(sheet).toContain('## STOPS (RTSTPP) · Route stops');
    expect(sheet).toContain('| STATE (RSSTS) | CHAR(2) | S | Status P D S R C; D is 20 |');
    expect(sheet).toContain('| none (RSARVF) |');
  });

  test('views have our names over their tables, and the script names what the service cannot write there', () => {
    const command = parsePrintCommand(['views', '--library', 'PODVUE', '--dialect', 'db2i']);
    const script = command === undefined ? '' : printed(command, 'L', map);
    expect(script.split('\n', 1)).toEqual([
      '-- The service writes these columns, and Db2 cannot update them in a view: RSSTS RSARVF.',
    ]);
    const [view = ''] = /^create view PODVUE\.RTSTPP .*$/m.exec(script) ?? [];
    expect(view).toMatch(/^create view PODVUE\.RTSTPP \(RSFAC, RSRTE, RSWKE, RSSTP, .*\) as select RSFAC, "TOUR#", /);
    expect(view).toContain(`cast(case "STATE" when '20' then 'D' else "STATE" end as char(2))`);
    expect(view).toContain("cast('' as char(1))");
    expect(view).toMatch(/ from L\."STOPS";$/);
    expect(script).toContain('create view PODVUE.PODCTLP (');
    expect(() => parsePrintCommand(['views'])).toThrow('--library: expected the library of the views, got none');
  });

  test('columns that the host assigns have names of the library, or are left out', () => {
    const own = mapOf({ RTSTUP: { table: 'RESULT', columns: { RUCHSQ: 'CHANGE#', RUCHTS: { skip: true } } } });
    const script = hostScript('db2i', 'L', own);
    expect(script).toContain('set N."CHANGE#" = next value for L.PODCHGS');
    expect(script).toContain('create index L.RTSTUPX2 on L."RESULT" ("CHANGE#")');
    expect(script).not.toContain('RUCHTS');
    const none = hostScript('db2i', 'L', mapOf({ RTSTUP: { columns: { RUCHSQ: { skip: true } } } }));
    expect(none).not.toMatch(/RUCHSQ|RTSTUPX3|RTSTUPB[IU]/);
    expect(() => mapOf({ RTSTUP: { columns: { RUCHSQ: { constant: 1 } } } })).toThrow(
      'files.RTSTUP.columns.RUCHSQ.constant: the host assigns this column; use skip',
    );
  });

  test('a table that exists is not created, and has triggers and grants', () => {
    const script = hostScript('db2', 'L', mapOf({ CUSMSP: { table: 'CUST', create: false } }));
    expect(script).not.toContain('create table L."CUST"');
    expect(script).toContain('after update on L."CUST"');
    expect(script).toContain('grant select on L."CUST" to TAILGATE');
  });

  test('a line of the doorbell is split by their lengths, with our codes', () => {
    const rows = { length: 8 };
    const files = Object.entries({
      RTHDRP: 'RH',
      RTDRVP: 'RD',
      RTSTPP: 'RS',
      RTSTUP: 'RU',
      RTEMLP: 'RE',
      RTPRDP: 'RP',
      RTPRUP: 'RQ',
      RTIMGP: 'RI',
      RTCOLP: 'RC',
      RTOSDP: 'OS',
      PODRCNP: 'RN',
    });
    const shorter = Object.fromEntries(files.map(([file, prefix]) => [file, { columns: { [`${prefix}RTE`]: rows } }]));
    const short = mapOf({
      ...shorter,
      RTOSDP: { columns: { OSRTE: rows, OSTYP: { codes: { P: 'S' } } } },
    });
    expect(readKey('RTOSDP', 'F01  R100    20261121007S00012', short)).toMatchObject({
      OSRTE: 'R100',
      OSTYP: 'P',
      OSSEQ: '12',
    });
  });
});

describe('values', () => {
  const map = mapOf({
    RTSTUP: { columns: { RUCMT: { length: 20 }, RUSTS: { codes: { D: 'S', S: 'K' } }, RUSEMP: { skip: true } } },
  });

  test('a code of theirs that means another value of ours is never taken for it', () => {
    const theirs = ['S', 'K', 'D', 'P', 'Z', 'd', '?'];
    const ours = theirs.map((value) => map.toOurs('RUSTS', value));
    expect(ours).toEqual(['D', 'S', '?D', 'P', 'Z', '?d', '??']);
    // A guard of a write compares with what the host has.
    expect(ours.map((value) => map.toOwn('RUSTS', value))).toEqual(theirs);
  });

  test('a text is cut at a word with its flag, and a column that they lack is blank', () => {
    const row = { RUCMT: 'left at the dock behind the gate', RUCMTL: 'N', RUSEMP: '77', RUSTS: 'D' };
    expect(rowFit(map)('RTSTUP', row)).toEqual({ RUCMT: 'left at the dock', RUCMTL: 'Y', RUSEMP: '', RUSTS: 'D' });
    const short = { RUCMT: 'left', RUCMTL: 'N', RUSTS: 'D' };
    expect(rowFit(map)('RTSTUP', short)).toBe(short);
  });
});
