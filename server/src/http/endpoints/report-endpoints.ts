import { type LoadConditionReport, operations } from '@tailgate/sync-protocol';
import type { FastifyRequest } from 'fastify';
import { charge } from '../../assets/quota.ts';
import type { Db } from '../../db/types.ts';
import type { Pipeline } from '../../mutations/change.ts';
import { decodeReportCursor, listLoadReports } from '../../reports/queries.ts';
import { freshId, keyedId } from '../../stops/mutation-id.ts';
import type { Admission } from '../server/admission.ts';
import { callerOf } from '../server/caller.ts';
import { readCursor } from '../answers/validation.ts';
import { endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';

export interface ReportDeps {
  readonly admission: Admission;
  readonly db: Db;
  readonly pipeline: Pick<Pipeline, 'submitReport'>;
  readonly clock: () => Date;
  /** Bytes that a caller may send in an hour (decision 68). */
  readonly hourBytes: number;
}

/** A short report costs rows, too, so each counts at least this much. One limit then bounds number and volume. */
const minCounted = 16 * 1024;

/** Interface.md 4.6, contract §6. */
export function reportEndpoints({ admission, db, pipeline, clock, hourBytes }: ReportDeps) {
  /** The quota is separate from that of uploads, so photos of a depot never block its reports. */
  const chargeReport = (request: FastifyRequest, report: LoadConditionReport, now: Date): Promise<void> => {
    const bytes = Math.max(Buffer.byteLength(JSON.stringify(report)), minCounted);
    return charge(db, { caller: `reports of ${callerOf(request)}`, bytes, max: hourBytes, now });
  };

  return {
    submitLoadReport: endpoint(operations.submitLoadReport, async ({ body: report, idempotencyKey, request }) => {
      const receivedAt = clock();
      const change = {
        // Reports need no session here, so a key belongs to the address of the caller (contract §4).
        id: idempotencyKey === undefined ? freshId(receivedAt) : keyedId(`address ${request.ip}`, idempotencyKey, 0),
        report,
        receivedAt,
        dedupeByContent: idempotencyKey === undefined,
        requestId: request.id,
      };
      const outcome = await admission.hold(request, async () => {
        await chargeReport(request, report, receivedAt);
        return pipeline.submitReport(change);
      });
      if (outcome.result === 'quarantined')
        throw new AppError(outcome.code === 'ID_REUSED' ? 'IDEMPOTENCY_KEY_REUSED' : 'INTERNAL');
      const { duplicate, receivedAt: since } = outcome;
      return { data: { reportId: report.reportId, receivedAt: since.toISOString(), duplicate } };
    }),

    listLoadReports: endpoint(operations.listLoadReports, async ({ query: { cursor, ...filters } }) => {
      const { reports, nextCursor } = await listLoadReports(db, filters, readCursor(cursor, decodeReportCursor));
      return { data: reports, meta: { next_cursor: nextCursor } };
    }),
  };
}
