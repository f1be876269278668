import * as z from '#schema';
import { nothing, operation } from './operations.ts';
import { pageMeta } from '../schema/page.ts';
import { listedReport, loadConditionReport, loadReportQuery, loadReportReceipt } from '../schema/reports.ts';

/** Interface.md 4.6: load condition reports, on the unprefixed set only. */
export const reportOperations = {
  submitLoadReport: operation({
    method: 'POST',
    path: '/report/load-condition',
    sets: ['current'],
    access: 'open',
    summary:
      'Stores a load condition report. The same id with another content is a new revision; every revision is retained.',
    message: 'Load condition report stored',
    body: loadConditionReport,
    query: nothing,
    data: loadReportReceipt,
    requestHeaders: ['idempotency-key'],
    errors: ['IDEMPOTENCY_KEY_REUSED', 'RATE_LIMITED'],
  }),
  listLoadReports: operation({
    method: 'GET',
    path: '/report/load-condition',
    sets: ['current'],
    access: 'open',
    summary:
      'Stored reports, newest capturedAt first. All given filters apply; filters on sections apply to one section together.',
    message: 'Load condition reports',
    body: nothing,
    query: loadReportQuery,
    data: z.array(listedReport),
    meta: pageMeta,
    errors: [],
  }),
} as const;
