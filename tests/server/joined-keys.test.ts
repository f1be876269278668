import type { LoadConditionReport, Stamp } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { migrate } from '../../server/src/db/migrate.ts';
import { decideReport, readReport } from '../../server/src/reports/rules.ts';
import { readResult } from '../../server/src/stops/stored-documents.ts';
import { createDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';

const { url, pool } = await createDatabase();

/** The migrations that join keys, on a database of the version before. */
async function upgrade(): Promise<void> {
  await pool.query(`delete from schema_migration where number in (30, 31)`);
  expect(await migrate(url, recordedLog())).toEqual(['0030_join_line_keys.sql', '0031_join_report_keys.sql']);
}

const incidents = async () => {
  const { rows } = await pool.query<{ details: string }>(`select details from incident where kind = 'keys_joined'`);
  await pool.query('delete from incident');
  return rows.map(({ details }): unknown => JSON.parse(details));
};

const stampOf = (at: number, by: string): Stamp => ({ at, client: 'rest', seq: at, by });
const line = (id: string, invoice: string, fields: object) => ({ id, invoice, n: 0, ...fields });

test('lines with one key on the host are merged: the later edit of each field wins, the other is reported', async () => {
  const documents = [
    {
      status: 'D',
      products: {
        '130015\tI1\t0': line('130015', 'I1', { delivered: 3, returned: 1 }),
        '130015 \tI1 \t0': line('130015 ', 'I1 ', { delivered: 5, returned: 1, accounting_complete: true }),
        'cafe\u0301\tI1\t0': line('cafe\u0301', 'I1', { delivered: 7 }),
        '130016\tI1\t0': line('130016', 'I1', { delivered: 9 }),
      },
      by: [stampOf(1, '1001'), stampOf(2, '1002'), stampOf(3, '1003')],
      at: {
        'products.130015\tI1\t0.returned': 2,
        'products.130015 \tI1 \t0.delivered': 1,
        'products.130015 \tI1 \t0.returned': 1,
        'products.cafe\u0301\tI1\t0.delivered': 2,
        status: 1,
      },
    },
    { status: 'S', updates: { driver_comments: 'nothing \there' } },
  ];
  await pool.query(
    `insert into route (facility, id, week_end, version, hosted_through) values ('F01', 'R1', '20261128', 8, 8)`,
  );
  for (const [i, doc] of documents.entries())
    await pool.query(
      `insert into stop_result (facility, route_id, week_end, stop_id, version, doc) values ('F01', 'R1', '20261128', $1, 5, $2)`,
      [i + 1, JSON.stringify(doc)],
    );
  await upgrade();

  const { rows } = await pool.query<{ version: number; doc: string }>(
    'select version, doc from stop_result order by stop_id',
  );
  expect(rows.map(({ version, doc }) => ({ version, doc: readResult(doc) }))).toEqual([
    {
      version: 9,
      doc: {
        status: 'D',
        products: {
          '130015\tI1\t0': line('130015', 'I1', { delivered: 5, returned: 1, accounting_complete: true }),
          'caf\u00e9\tI1\t0': line('caf\u00e9', 'I1', { delivered: 7 }),
          '130016\tI1\t0': line('130016', 'I1', { delivered: 9 }),
        },
        by: documents[0]?.by,
        at: {
          'products.130015\tI1\t0.delivered': 1,
          'products.130015\tI1\t0.returned': 2,
          'products.caf\u00e9\tI1\t0.delivered': 2,
          status: 1,
        },
      },
    },
    { version: 5, doc: documents[1] },
  ]);
  // The route is replicated again.
  expect((await pool.query('select version, behind from route')).rows).toEqual([{ version: 9, behind: true }]);
  const joined: unknown = expect.arrayContaining([
    { kind: 'products', from: '130015 \tI1 \t0', to: '130015\tI1\t0' },
    { kind: 'products', from: 'cafe\u0301\tI1\t0', to: 'caf\u00e9\tI1\t0' },
  ]);
  expect(await incidents()).toEqual([
    {
      route: { facility: 'F01', id: 'R1', week_end: '20261128' },
      stop: 1,
      version: 9,
      lines: joined,
      lost: [{ path: 'products.130015\tI1\t0.delivered', value: 3, writer: stampOf(1, '1001') }],
    },
  ]);
  await upgrade();
  expect((await pool.query('select version from route')).rows).toEqual([{ version: 9 }]);
  expect(await incidents()).toEqual([]);
});

test('reports with one key on the host become revisions of one, in the order of receipt', async () => {
  const report = (reportId: string, more: Partial<LoadConditionReport> = {}): LoadConditionReport => ({
    reportId,
    loadId: 'L"1',
    stopId: '1',
    driverId: '1001',
    capturedAt: '2026-11-20T10:00:00.000Z',
    sections: [{ key: 'stacking', rating: 4, reason: '', comment: 'says "loadId":"L9 ",', photos_id: '' }],
    ...more,
  });
  const store = async (revision: number, at: string, { sections, ...sent }: LoadConditionReport) => {
    const { doc } = decideReport(undefined, { sections, ...sent }, new Date(at)).stored;
    const { reportId, loadId, stopId, driverId, capturedAt } = sent;
    await pool.query(
      `insert into load_report (report_id, version, hosted_version) values ($1, $2, $2)
       on conflict (report_id) do update set version = $2, hosted_version = $2`,
      [reportId, revision],
    );
    await pool.query('insert into load_report_revision values ($1, $2, $3, $4, $5, $6, $7, $8)', [
      ...[reportId, revision, loadId, stopId, driverId, capturedAt, at, doc],
    ]);
    for (const [i, { key, rating }] of sections.entries())
      await pool.query('insert into load_report_section values ($1, $2, $3, $4, $5)', [
        reportId,
        revision,
        i,
        key,
        rating,
      ]);
  };
  const padded = { sections: [{ key: 'stacking ', rating: 2, reason: '', comment: '', photos_id: '' }], stopId: '7 ' };
  await store(1, '2026-11-20T10:00:00Z', report('PAD-2'));
  await store(1, '2026-11-20T11:00:00Z', report('PAD-2 ', padded));
  await store(2, '2026-11-20T12:00:00Z', report('PAD-2', { driverId: '1003' }));
  await store(1, '2026-11-20T13:00:00Z', report('OTHER', { loadId: 'L"2 ' }));
  await pool.query(
    `insert into parked_row (file, key, version, sqlstate, reason, payload) values ('LCRHDP', 'PAD-2 ', 1, '23505', '', '')`,
  );
  await upgrade();

  const revisions = await pool.query<{
    report_id: string;
    revision: number;
    load_id: string;
    stop_id: string;
    doc: string;
  }>('select report_id, revision, load_id, stop_id, doc from load_report_revision order by 1, 2');
  expect(revisions.rows.map(({ doc, ...row }) => ({ ...row, doc: readReport(doc) }))).toEqual([
    { report_id: 'OTHER', revision: 1, load_id: 'L"2', stop_id: '1', doc: report('OTHER', { loadId: 'L"2' }) },
    { report_id: 'PAD-2', revision: 1, load_id: 'L"1', stop_id: '1', doc: report('PAD-2') },
    {
      ...{ report_id: 'PAD-2', revision: 2, load_id: 'L"1', stop_id: '7' },
      doc: report('PAD-2', { stopId: '7', sections: [{ ...padded.sections[0]!, key: 'stacking' }] }),
    },
    { report_id: 'PAD-2', revision: 3, load_id: 'L"1', stop_id: '1', doc: report('PAD-2', { driverId: '1003' }) },
  ]);
  // Sent again it is a duplicate: the stored text is what the rules would write.
  const [, , second] = revisions.rows;
  expect(decideReport(undefined, readReport(second?.doc ?? ''), new Date()).stored.doc).toBe(second?.doc);
  expect((await pool.query('select * from load_report order by report_id')).rows).toEqual([
    { report_id: 'OTHER', version: 1, hosted_version: 1, shadowed: false },
    { report_id: 'PAD-2', version: 3, hosted_version: 0, shadowed: false },
  ]);
  expect(
    (await pool.query('select distinct report_id, revision, key from load_report_section order by 1, 2')).rows,
  ).toEqual([
    { report_id: 'OTHER', revision: 1, key: 'stacking' },
    ...[1, 2, 3].map((revision) => ({ report_id: 'PAD-2', revision, key: 'stacking' })),
  ]);
  expect((await pool.query('select * from parked_row')).rowCount).toBe(0);
  expect(await incidents()).toEqual([{ report: 'PAD-2', joined: ['PAD-2', 'PAD-2 '], revisions: 3 }]);
});
