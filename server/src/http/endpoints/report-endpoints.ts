import { type LoadConditionReport, operations } from '@tailgate/sync-protocol';
import type { FastifyRequest } from 'fastify';
import { charge } from '../../assets/quota.ts';
import type { Db } from '../../db/types.ts';
import type { Pipeline } from '../../mutations/change.ts';
import { claimKey } from '../../mutations/intake/request-keys.ts';
import { decodeReportCursor, listLoadReports } from '../../reports/queries.ts';
import { freshId, keyedId } from '../../stops/mutation-id.ts';
import type { Admission } from '../../wire/admission.ts';
import { callerOf } from '../server/caller.ts';
import { readCursor } from '../answers/validation.ts';
import { endpoint } from '../answers/endpoint.ts';
import { fingerprintOf, keyReused } from './keyed-requests.ts';
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

  /** Claimed before the report is taken: a refused report would become an entry for the office at each request. */
  async function identify(request: FastifyRequest, key: string | undefined, at: Date): Promise<string> {
    if (key === undefined) return freshId(at);
    const owner = callerOf(request);
    const fingerprint = fingerprintOf(operations.submitLoadReport.path, request);
    const { same, since } = await claimKey(db, { owner, key, fingerprint, at });
    if (!same) throw keyReused();
    return keyedId(owner, { key, since }, 0);
  }

  return {
    submitLoadReport: endpoint(operations.submitLoadReport, async ({ body: report, idempotencyKey, request }) => {
      const receivedAt = clock();
      const outcome = await admission.hold(request, async () => {
        await chargeReport(request, report, receivedAt);
        return pipeline.submitReport({
          id: await identify(request, idempotencyKey, receivedAt),
          report,
          receivedAt,
          dedupeByContent: idempotencyKey === undefined,
          requestId: request.id,
        });
      });
      if (outcome.result === 'quarantined') throw outcome.code === 'ID_REUSED' ? keyReused() : new AppError('INTERNAL');
      const { duplicate, receivedAt: since } = outcome;
      return { data: { reportId: report.reportId, receivedAt: since.toISOString(), duplicate } };
    }),

    listLoadReports: endpoint(operations.listLoadReports, async ({ query: { cursor, ...filters } }) => {
      const { reports, nextCursor } = await listLoadReports(db, filters, readCursor(cursor, decodeReportCursor));
      return { data: reports, meta: { next_cursor: nextCursor } };
    }),
  };
}
