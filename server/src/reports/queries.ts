import type { LoadConditionReport, LoadReportQuery } from '@tailgate/sync-protocol';
import { keyText } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import type { Queryable } from '../db/types.ts';
import { readReport } from './rules.ts';
import { listReports } from './sql.ts';

export interface ReportPage {
  readonly reports: readonly LoadConditionReport[];
  /** The start of the next page; null after the last one. */
  readonly nextCursor: string | null;
}

/** The end of a page: capture in ms since 1970, report, revision. New reports move no page. */
const reportCursor = z.tuple([
  z.int().check(z.gte(Date.UTC(1900)), z.lt(Date.UTC(2200))),
  keyText(64),
  z.int().check(z.gte(1)),
]);
export type ReportCursor = z.infer<typeof reportCursor>;

/** A report can have 200 kB and a page 500 reports: a heavy page ends early. */
const maxBytes = 8 * 1024 * 1024;

interface ReportRow {
  readonly report_id: string;
  readonly revision: number;
  readonly captured_at: Date;
  readonly doc: string;
  readonly found: number;
}

/** Lists reports that match every filter of `query`, newest capture first. */
export async function listLoadReports(
  db: Queryable,
  query: Omit<LoadReportQuery, 'cursor'>,
  after: ReportCursor | undefined,
): Promise<ReportPage> {
  const { limit } = query;
  const { rows } = await db.query<ReportRow & Record<string, unknown>>(listReports, [
    query.revisions === 'all',
    query.reportId ?? null,
    query.loadId ?? null,
    query.stopId ?? null,
    query.driverId ?? null,
    query.capturedFrom ?? null,
    query.capturedTo ?? null,
    query.key ?? null,
    query.minRating ?? null,
    query.maxRating ?? null,
    after === undefined ? null : new Date(after[0]).toISOString(),
    after?.[1] ?? null,
    after?.[2] ?? null,
    limit + 1,
    maxBytes,
  ]);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    reports: page.map(({ doc }) => readReport(doc)),
    nextCursor: last && last.found > page.length ? encodeCursor(last) : null,
  };
}

/** Opaque to callers. */
function encodeCursor({ captured_at, report_id, revision }: ReportRow): string {
  const cursor: ReportCursor = [captured_at.getTime(), report_id, revision];
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** Undefined for an unknown cursor. */
export function decodeReportCursor(text: string): ReportCursor | undefined {
  try {
    return reportCursor.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined; // no JSON, so no cursor of ours
  }
}
