import type { LoadConditionReportInput } from '@tailgate/sync-protocol';
import { loadReportArgs } from '@tailgate/sync-protocol';
import type { Client } from './client.ts';
import type { Receipt } from './queue/receipt.ts';
import type { Draft } from './queue/record.ts';
import { draft } from './queue/record.ts';

/**
 * The receipt of a report; `accepted` is its last step. A report belongs to no route, and only routes carry the host
 * status.
 */
export type ReportReceipt = Omit<Receipt, 'complete' | 'onHost'>;

/**
 * Records a load condition report (the body of POST report/load-condition). It is on the disk at once, and is sent in
 * the order of the driver's other changes. The same `reportId` again is a new revision. Photos are ids of
 * `uploads.add`.
 *
 * @throws InvalidChange naming each invalid field; NotSignedIn
 */
export const recordLoadReport = (client: Client, report: LoadConditionReportInput): ReportReceipt =>
  client.record(checkLoadReport(report));

/**
 * Validates a report without recording it, to show each fault at its field while the driver fills in the form.
 *
 * @throws InvalidChange naming each invalid field
 */
export const checkLoadReport = (report: LoadConditionReportInput): Draft =>
  draft('report.load_condition', loadReportArgs, { report });
