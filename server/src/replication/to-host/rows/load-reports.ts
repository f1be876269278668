import { reportRows } from '../../../reports/host.ts';
import { readReport } from '../../../reports/rules.ts';
import { hostMoment } from '../../../host/files/local-time.ts';
import { deleteAbove, putRows } from '../../../host/files/statements.ts';
import { hostFiles } from '../../../host/files/tables.ts';
import { checkKeys } from '../storable-keys.ts';
import { namesOf, cachedByCount, putAll, stampAt, writeOwn } from '../host-writes.ts';
import type { PendingRow, RowFile, RowDeps } from './row-file.ts';
import { loadReports, confirmReports } from './sql.ts';

interface ReportRow {
  readonly report_id: string;
  readonly version: number;
  readonly doc: string;
  readonly zone: string;
}

interface PendingReport extends PendingRow {
  readonly report: ReportRow;
}

/** LCRHDP and LCRSCP: the latest revision of each load condition report, its sections and header as one unit. */
export function reportFile({ db, host, owner, clock }: RowDeps): RowFile<PendingReport> {
  const { LCRHDP, LCRSCP } = hostFiles;
  const putHeader = cachedByCount((count) => putRows(host, 'LCRHDP', namesOf(LCRHDP.service), count));
  const putSections = cachedByCount((count) => putRows(host, 'LCRSCP', namesOf(LCRSCP.service), count));
  const dropSections = deleteAbove(host, 'LCRSCP', ['LSRPT'], 'LSSEQ');
  return {
    files: ['LCRHDP', 'LCRSCP'],
    load: async (limit) => {
      const { rows } = await db.query<ReportRow & Record<string, unknown>>(loadReports, [limit]);
      return rows.map((report) => ({ key: [report.report_id], version: report.version, zone: report.zone, report }));
    },
    describe: ({ report }) => JSON.stringify(rendered(report)),
    write: async ({ report }) => {
      const rows = rendered(report);
      const keys = [
        ...(['LHRPT', 'LHLOD', 'LHSTP', 'LHDRV'] as const).map((column) => [column, rows.LCRHDP[column]] as const),
        ...rows.LCRSCP.map(({ LSKEY }) => ['LSKEY', LSKEY] as const),
      ];
      checkKeys(keys, host.map.ccsid);
      const stamp = stampAt(clock(), report.zone);
      const surplus = [rows.LCRHDP.LHRPT, `${rows.LCRSCP.length}`];
      await writeOwn(host, [
        ...putAll('LCRSCP', putSections, rows.LCRSCP, stamp),
        { file: 'LCRSCP', sql: dropSections, values: surplus, rows: 'any' },
        ...putAll('LCRHDP', putHeader, [rows.LCRHDP], stamp),
      ]);
      return 'hosted';
    },
    confirm: async ({ key, fence }, reports) => {
      await db.query(confirmReports, [key.id, owner, fence, ...confirmReports.parameters(reports)]);
    },
  };
}

function rendered({ version, doc, zone }: ReportRow) {
  const moment = (instant: Date) => hostMoment(instant, zone);
  return reportRows({ report: readReport(doc), revision: version, moment });
}
