import { loadConditionReport } from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import { hostMoment } from '../../../server/src/host/files/local-time.ts';
import { reportRows } from '../../../server/src/reports/host.ts';

function render(more: object = {}, { revision = 1, zone = 'America/Chicago' } = {}) {
  const report = loadConditionReport.parse({
    reportId: 'RPT-2026-11-20-1001',
    loadId: 'LOAD-7',
    stopId: '12',
    driverId: '1001',
    capturedAt: '2026-11-21T05:30:15Z',
    sections: [
      { key: 'stacking', rating: 4, reason: 'Kippgefahr', comment: 'Palette 3', photos_id: 'PHOTO00000000001' },
    ],
    ...more,
  });
  return reportRows({ report, revision, moment: (instant) => hostMoment(instant, zone) });
}
const sections = (...texts: object[]) => ({ sections: texts.map((text) => ({ key: 'stacking', rating: 1, ...text })) });

describe('the rows of LCRHDP and LCRSCP', () => {
  test('a report column by column, at the time of the facility', () => {
    expect(render()).toEqual({
      LCRHDP: {
        LHRPT: 'RPT-2026-11-20-1001',
        LHLOD: 'LOAD-7',
        LHSTP: '12',
        LHDRV: '1001',
        LHUTC: '2026-11-21T05:30:15.000Z',
        LHDAT: '20261120',
        LHTIM: '233015',
        LHREV: '1',
      },
      LCRSCP: [
        {
          LSRPT: 'RPT-2026-11-20-1001',
          LSSEQ: '1',
          LSKEY: 'stacking',
          LSRAT: '4',
          LSRSN: 'Kippgefahr',
          LSCMT: 'Palette 3',
          LSTXTL: 'N',
          LSPHO: 'PHOTO00000000001',
        },
      ],
    });
  });

  test('sections keep their order and get a row each', () => {
    const rows = render(sections({ rating: 5 }, { rating: 2 }, { rating: 3 })).LCRSCP;
    expect(rows.map(({ LSSEQ, LSRAT }) => [LSSEQ, LSRAT])).toEqual([
      ['1', '5'],
      ['2', '2'],
      ['3', '3'],
    ]);
    expect(render({ sections: [] }).LCRSCP).toEqual([]);
  });

  test.each([
    ['a comment that is cut', { comment: 'Wort '.repeat(80) }, 'Y'],
    ['a comment with what code page 37 lacks', { comment: 'naß 漢' }, 'Y'],
    ['a reason that is spelled otherwise', { reason: '“zu”' }, 'Y'],
    ['accents that code page 37 has', { comment: 'José, Öl' }, 'N'],
  ])('%s: the text flag is %4$s', (_, text, flag) => {
    expect(render(sections(text)).LCRSCP[0]?.LSTXTL).toBe(flag);
  });

  test('each section has its own flag', () => {
    expect(render(sections({ comment: '漢' }, {})).LCRSCP.map(({ LSTXTL }) => LSTXTL)).toEqual(['Y', 'N']);
  });

  test('the revision has at most three digits', () => {
    expect(render({}, { revision: 12 }).LCRHDP.LHREV).toBe('12');
    expect(render({}, { revision: 1_200 }).LCRHDP.LHREV).toBe('999');
  });
});
