import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertEmployees, signUp } from '../../support/people.ts';
import type { Reply } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

const { submitLoadReport, listLoadReports } = operations;

let server: RestServer;
let node: RestServer;
let serial = 0;

beforeAll(async () => {
  server = await startRestServer();
  node = await startRestServer({ database: server.database });
});

const section = (key: string, rating: number, more: object = {}) => ({
  key,
  rating,
  reason: 'Shrink wrap torn',
  comment: '',
  photos_id: '',
  ...more,
});

/** A report of a load of its own, so that tests do not see each other's. */
function newReport(more: object = {}) {
  serial += 1;
  return {
    reportId: `RPT-${serial}`,
    loadId: `LOAD-${serial}`,
    stopId: '1',
    driverId: '1001',
    capturedAt: '2026-11-20T08:15:30.000Z',
    sections: [section('stacking', 4), section('trailer_cleanliness', 2, { comment: 'Öl auf dem Boden' })],
    ...more,
  };
}

const post = (body: unknown, headers = {}) => server.client.call(submitLoadReport, { body, headers });
const list = (query: Record<string, string>) =>
  server.client.call(listLoadReports, { query: `?${new URLSearchParams(query)}` });
const idsOf = async (query: Record<string, string>) =>
  listLoadReports.data.parse((await list(query)).data).map(({ reportId }) => reportId);
const cursorOf = ({ meta }: Reply) => listLoadReports.meta?.parse(meta).next_cursor ?? null;
const pathsOf = ({ error }: Reply) => error?.details.map(({ path }) => path).toSorted();

describe('contract §6: POST report/load-condition', () => {
  test('stores the report and returns its time of receipt', async () => {
    const report = newReport();
    expect(await server.client.take(submitLoadReport, { body: report })).toEqual({
      reportId: report.reportId,
      receivedAt: server.clock.now.toISOString(),
      duplicate: false,
    });
    expect((await list({ reportId: report.reportId })).data).toEqual([report]);
  });

  test('the same id and content is a duplicate with the first time of receipt', async () => {
    const report = newReport();
    const first = await server.client.take(submitLoadReport, { body: report });
    server.clock.now = new Date(server.clock.now.getTime() + 60_000);
    const { sections, ...rest } = report;
    const again = {
      sections: sections.map(({ key, ...others }) => ({ ...others, key })),
      ...rest,
      app: 'unknown field',
    };
    expect(await server.client.take(submitLoadReport, { body: again })).toEqual({ ...first, duplicate: true });
    expect(await idsOf({ loadId: report.loadId, revisions: 'all' })).toEqual([report.reportId]);
  });

  test('the same instant in another spelling is the same content', async () => {
    const report = newReport();
    await post(report);
    expect((await post({ ...report, capturedAt: '2026-11-20T10:15:30+02:00' })).data).toMatchObject({
      duplicate: true,
    });
  });

  test('the same id and other content is a new revision; the old one is retained; the latest receipt is current', async () => {
    const report = newReport();
    const better = { ...report, sections: [section('stacking', 5)] };
    for (const body of [report, better, report]) expect((await post(body)).data).toMatchObject({ duplicate: false });
    expect((await list({ loadId: report.loadId })).data).toEqual([report]);
    expect((await list({ loadId: report.loadId, revisions: 'all' })).data).toEqual([report, better, report]);
  });

  test('twenty concurrent sends over two nodes are one report', async () => {
    const body = newReport();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? node : server).client.take(submitLoadReport, { body })),
    );
    expect(replies.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(new Set(replies.map(({ receivedAt }) => receivedAt)).size).toBe(1);
    expect(await idsOf({ loadId: body.loadId, revisions: 'all' })).toHaveLength(1);
  });

  test('revisions that race over two nodes are all stored', async () => {
    const report = newReport();
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? node : server).client.take(submitLoadReport, { body: { ...report, stopId: String(n + 1) } }),
      ),
    );
    expect(await idsOf({ loadId: report.loadId, revisions: 'all' })).toHaveLength(20);
    expect(await idsOf({ loadId: report.loadId })).toHaveLength(1);
  });

  test('empty fields may be missing or null; a stop may be a number', async () => {
    const report = newReport({ stopId: 999, sections: [{ key: 'stacking', rating: 1, reason: null }] });
    await post(report);
    expect((await list({ loadId: report.loadId })).data).toEqual([
      { ...report, stopId: '999', sections: [section('stacking', 1, { reason: '' })] },
    ]);
  });

  test('accepts a report without sections, and unknown section keys', async () => {
    const [empty, other] = [newReport({ sections: [] }), newReport({ sections: [section('lift_gate', 3)] })];
    for (const report of [empty, other]) {
      await post(report);
      expect((await list({ loadId: report.loadId })).data).toEqual([report]);
    }
  });

  test('text of every kind comes back unchanged', async () => {
    const comment = `"; drop table load_report; -- <script>\n${'ü😀漢'.repeat(400)}`.slice(0, 1_999);
    const report = newReport({ sections: [section('stacking', 3, { comment, reason: "O'Hara & Söhne" })] });
    await post(report);
    expect((await list({ loadId: report.loadId })).data).toEqual([report]);
  });

  test.each(['reportId', 'loadId', 'stopId', 'driverId', 'capturedAt', 'sections'])('%s is required', async (name) => {
    for (const value of [undefined, null, {}, '', ' ']) {
      const reply = await post(newReport({ [name]: value }));
      expect(reply.error?.code).toBe('VALIDATION_FAILED');
      expect(pathsOf(reply)).toEqual([name]);
    }
  });

  test('every bad path is named, and nothing is stored', async () => {
    const report = newReport({
      capturedAt: '2026-02-30T08:00:00Z',
      driverId: '12345678901',
      sections: [section('stacking', 6), section('x'.repeat(31), 2.5), section('', 1), { reason: 'x'.repeat(101) }, 7],
    });
    expect(pathsOf(await post(report))).toEqual([
      'capturedAt',
      'driverId',
      'sections.0.rating',
      'sections.1.key',
      'sections.1.rating',
      'sections.2.key',
      'sections.3.key',
      'sections.3.rating',
      'sections.3.reason',
      'sections.4',
    ]);
    expect(await idsOf({ loadId: report.loadId })).toEqual([]);
  });

  test.each([
    ['a rating of 0', { sections: [section('stacking', 0)] }, 'sections.0.rating'],
    ['a rating as text', { sections: [{ ...section('stacking', 1), rating: '3' }] }, 'sections.0.rating'],
    [
      'a comment of 2,001 characters',
      { sections: [section('stacking', 1, { comment: 'x'.repeat(2_001) })] },
      'sections.0.comment',
    ],
    [
      'a photo id above the length limit',
      { sections: [section('stacking', 1, { photos_id: '12345678901234567' })] },
      'sections.0.photos_id',
    ],
    ['a report id of 65 characters', { reportId: 'x'.repeat(65) }, 'reportId'],
    ['a load id of 21 characters', { loadId: 'x'.repeat(21) }, 'loadId'],
    ['a control character in an id', { reportId: 'a\tb' }, 'reportId'],
    ['a NUL', { sections: [section('stacking', 1, { comment: 'a\0b' })] }, 'sections.0.comment'],
    ['half a surrogate pair', { sections: [section('stacking', 1, { reason: '\ud800' })] }, 'sections.0.reason'],
    ['a time without an offset', { capturedAt: '2026-11-20T08:15:30' }, 'capturedAt'],
    ['a time in a year of five digits', { capturedAt: '9999-12-31T23:59:59-01:00' }, 'capturedAt'],
    [
      'more sections than the limit',
      { sections: Array.from({ length: 101 }, () => section('stacking', 1)) },
      'sections',
    ],
  ])('%s is 400', async (_, more, path) => {
    const reply = await post(newReport(more));
    expect(reply.error?.code).toBe('VALIDATION_FAILED');
    expect(pathsOf(reply)).toEqual([path]);
  });

  test('is on the unprefixed set only (interface.md 4.6)', async () => {
    for (const method of ['GET', 'POST'])
      expect((await server.client.send(method, '/api/v20/report/load-condition')).error?.code).toBe('NOT_FOUND');
  });

  test('strict access requires a driver (contract §8)', async () => {
    const strict = await startRestServer({ database: server.database, access: 'strict' });
    await insertEmployees(server.database.pool, ['1001']);
    expect((await strict.client.call(submitLoadReport, { body: newReport() })).error?.code).toBe('MISSING_CREDENTIALS');
    const as = await signUp(strict.client, '1001');
    expect((await strict.client.call(submitLoadReport, { as, body: newReport() })).success).toBe(true);
  });
});

describe('contract §6: GET report/load-condition', () => {
  const days = ['2026-10-01', '2026-10-02', '2026-10-03'];

  beforeAll(async () => {
    for (const [n, day] of days.entries())
      await post({
        reportId: `LIST-${n}`,
        loadId: n === 2 ? 'LIST-B' : 'LIST-A',
        stopId: n === 0 ? '1' : '2',
        driverId: n === 1 ? 'D2' : 'D1',
        capturedAt: `${day}T12:00:00.000Z`,
        sections: [section('stacking', n + 1), section('product_in_place', 5 - n)],
      });
  });

  test.each([
    ['capturedFrom', '2026-10-02T12:00:00Z', ['LIST-2', 'LIST-1']],
    ['capturedFrom', '2026-10-02T12:00:00.001Z', ['LIST-2']],
    ['capturedFrom', '2026-10-02T14:00:00+02:00', ['LIST-2', 'LIST-1']],
    ['capturedFrom', '2026-10-02', ['LIST-2', 'LIST-1']],
    ['capturedTo', '2026-10-02T12:00:00Z', ['LIST-1', 'LIST-0']],
    ['capturedTo', '2026-10-02', ['LIST-1', 'LIST-0']],
    ['capturedTo', '2026-10-02T11:59:59.999Z', ['LIST-0']],
    ['driverId', 'D1', ['LIST-2', 'LIST-0']],
    ['stopId', '2', ['LIST-2', 'LIST-1']],
    ['loadId', 'LIST-A', ['LIST-1', 'LIST-0']],
    ['reportId', 'LIST-1', ['LIST-1']],
    ['key', 'stacking', ['LIST-2', 'LIST-1', 'LIST-0']],
    ['key', 'plastic_dry_counts', []],
    ['minRating', '5', ['LIST-0']],
    ['maxRating', '1', ['LIST-0']],
    ['maxRating', '2', ['LIST-1', 'LIST-0']],
    ['loadId', '', ['LIST-2', 'LIST-1', 'LIST-0']],
    ['reportId', "LIST-1' or '1'='1", []],
  ])('%s=%s, newest capturedAt first', async (name, value, ids) => {
    const others = { capturedFrom: '2026-10-01', capturedTo: '2026-10-31' };
    expect(await idsOf({ ...others, [name]: value })).toEqual(ids);
  });

  test('a report must match all filters', async () => {
    const query = { loadId: 'LIST-A', driverId: 'D1', stopId: '1', capturedFrom: '2026-10-01', key: 'stacking' };
    expect(await idsOf(query)).toEqual(['LIST-0']);
    for (const other of [{ loadId: 'LIST-B' }, { driverId: 'D2' }, { stopId: '2' }, { capturedTo: '2026-09-30' }])
      expect(await idsOf({ ...query, ...other })).toEqual([]);
  });

  test('one section must match all filters on sections', async () => {
    const october = { capturedFrom: '2026-10-01', capturedTo: '2026-10-31' };
    expect(await idsOf({ ...october, key: 'stacking', minRating: '3' })).toEqual(['LIST-2']);
    expect(await idsOf({ ...october, key: 'product_in_place', minRating: '5' })).toEqual(['LIST-0']);
    expect(await idsOf({ ...october, minRating: '2', maxRating: '3' })).toEqual(['LIST-2', 'LIST-1']);
    // LIST-0 has a 1 and a 5: no section between the two.
    expect(await idsOf({ ...october, minRating: '4', maxRating: '2' })).toEqual([]);
  });

  test('a filter reads the latest revision only, unless all are requested', async () => {
    const report = newReport({ sections: [section('plastic_cooler_counts', 1)] });
    await post(report);
    await post({ ...report, sections: [section('plastic_cooler_counts', 5)] });
    const query = { loadId: report.loadId, key: 'plastic_cooler_counts', maxRating: '1' };
    expect(await idsOf(query)).toEqual([]);
    expect(await idsOf({ ...query, revisions: 'latest' })).toEqual([]);
    expect(await idsOf({ ...query, revisions: 'all' })).toEqual([report.reportId]);
  });

  test('pages contain every report once, also those of one instant and during new receipts', async () => {
    const loadId = 'PAGES';
    for (let n = 0; n < 25; n++)
      await post(newReport({ reportId: `PAGE-${n}`, loadId, capturedAt: `2026-09-01T08:00:0${n % 3}.000Z` }));
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const reply: Reply = await list({ loadId, limit: '7', cursor });
      seen.push(
        ...listLoadReports.data.parse(reply.data).map(({ capturedAt, reportId }) => `${capturedAt} ${reportId}`),
      );
      cursor = cursorOf(reply);
      await post(newReport({ loadId, capturedAt: '2026-09-02T08:00:00Z' }));
    }
    expect(seen).toHaveLength(25);
    expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => (a < b ? 1 : -1)));
  });

  test('a cursor also pages through revisions', async () => {
    const report = newReport();
    for (const stopId of ['1', '2', '3']) await post({ ...report, stopId });
    const query = { reportId: report.reportId, revisions: 'all', limit: '2' };
    const first = await list(query);
    expect(first.data).toMatchObject([{ stopId: '3' }, { stopId: '2' }]);
    const second = await list({ ...query, cursor: cursorOf(first) ?? '' });
    expect(second).toMatchObject({ data: [{ stopId: '1' }], meta: { next_cursor: null } });
  });

  test('100 by default, 500 at most; the last page has no cursor', async () => {
    const loadId = 'HUNDRED';
    await Promise.all(Array.from({ length: 101 }, () => post(newReport({ loadId }))));
    const first = await list({ loadId });
    expect(first.data).toHaveLength(100);
    expect(cursorOf(first)).not.toBeNull();
    expect(await list({ loadId, limit: '500' })).toMatchObject({ data: { length: 101 }, meta: { next_cursor: null } });
    expect(await list({ loadId, limit: '101' })).toMatchObject({ data: { length: 101 }, meta: { next_cursor: null } });
  });

  test('a page of long reports ends early and continues with its cursor', async () => {
    const loadId = 'HEAVY';
    // 100 sections of 2,000 characters of two bytes: some 400 kB a report.
    const sections = Array.from({ length: 100 }, () => section('stacking', 1, { comment: 'ü'.repeat(2_000) }));
    for (let n = 0; n < 25; n++) await post(newReport({ loadId, sections }));
    const first = await list({ loadId });
    const second = await list({ loadId, cursor: cursorOf(first) ?? '' });
    const counts = [first, second].map(({ data }) => listLoadReports.data.parse(data).length);
    expect(counts[0]).toBeLessThan(25);
    expect(counts).toEqual([counts[0], 25 - (counts[0] ?? 0)]);
    expect(cursorOf(second)).toBeNull();
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=ten', 'limit'],
    ['minRating=0', 'minRating'],
    ['maxRating=6', 'maxRating'],
    ['minRating=2.5', 'minRating'],
    ['capturedFrom=yesterday', 'capturedFrom'],
    ['capturedTo=2026-02-30', 'capturedTo'],
    ['capturedTo=0000-01-01', 'capturedTo'],
    ['revisions=none', 'revisions'],
    [`reportId=${'x'.repeat(65)}`, 'reportId'],
    ['loadId=a&loadId=b', 'loadId'],
    ['cursor=x', 'cursor'],
    [`cursor=${Buffer.from('[9e99,"R",1]').toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from('[1,"a\\u0000b",1]').toString('base64url')}`, 'cursor'],
  ])('%s is 400', async (query, path) => {
    const reply = await server.client.call(listLoadReports, { query: `?${query}` });
    expect(reply.error).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(pathsOf(reply)).toEqual([path]);
  });

  test('an end far in the future and an offset with an unencoded plus sign are understood', async () => {
    expect(await idsOf({ loadId: 'LIST-B', capturedTo: '9999-12-31' })).toEqual(['LIST-2']);
    const reply = await server.client.call(listLoadReports, {
      query: '?loadId=LIST-B&capturedFrom=2026-10-03T14:00:00+02:00',
    });
    expect(reply.data).toMatchObject([{ reportId: 'LIST-2' }]);
  });
});
