import { textArray } from '../../db/arrays.ts';
import type { Tx } from '../../db/types.ts';
import type { NewRevision, LatestReport } from '../../reports/rules.ts';
import * as sql from '../../reports/sql.ts';
import type { Item } from '../change.ts';

interface LatestRow {
  report_id: string;
  revision: number;
  received_at: Date;
  doc: string;
}

/** Locks the reports of a batch and reads their latest revisions. Without reports it sends nothing. */
export async function loadReports(tx: Tx, items: readonly Item[]): Promise<Map<string, LatestReport>> {
  const ids = new Set(items.flatMap(({ meaning }) => (meaning.kind === 'report' ? [meaning.report.reportId] : [])));
  if (ids.size === 0) return new Map();
  const column = textArray([...ids].sort());
  // PostgreSQL runs these in order, so that the second statement has a snapshot under the locks.
  const [, { rows }] = await Promise.all([
    tx.query(sql.lockReports, [column]),
    tx.query<LatestRow & Record<string, unknown>>(sql.loadLatestReports, [column]),
  ]);
  return new Map(
    rows.map(({ report_id, revision, received_at, doc }) => [report_id, { revision, receivedAt: received_at, doc }]),
  );
}

export async function saveReports(tx: Tx, revisions: readonly NewRevision[]): Promise<void> {
  const latest = new Map(revisions.map(({ report, stored }) => [report.reportId, stored.revision]));
  const sections = revisions.flatMap(({ report, stored: { revision } }) =>
    report.sections.map((section, index) => ({ ...section, reportId: report.reportId, revision, seq: index + 1 })),
  );
  await Promise.all([
    tx.query(sql.saveReports, sql.saveReports.parameters([...latest])),
    tx.query(sql.saveRevisions, sql.saveRevisions.parameters(revisions)),
    tx.query(sql.saveSections, sql.saveSections.parameters(sections)),
  ]);
}
