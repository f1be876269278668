import type { LoadConditionReportInput } from '@tailgate/sync-protocol';
import { loadReportArgs } from '@tailgate/sync-protocol';
import type { Client } from './client.ts';
import type { Receipt } from './queue/receipt.ts';
import { draft } from './queue/record.ts';

/** The receipt of a report, which ends with `accepted`: a report belongs to no route, and only routes tell of the host. */
export type ReportReceipt = Omit<Receipt, 'complete' | 'onHost'>;

/**
 * Records a load condition report (the body of POST report/load-condition): on the disk at once, at the server when there
 * is a network, in the order of everything else that this driver records. The same `reportId` again is a new revision.
 * Photos are named by an id of `uploads.add`.
 *
 * @throws InvalidChange naming each field that does not fit; NotSignedIn
 */
export const recordLoadReport = (client: Client, report: LoadConditionReportInput): ReportReceipt =>
  client.record(draft('report.load_condition', loadReportArgs, { report }));
