import type { LoadConditionReport } from '@tailgate/sync-protocol';

/** The latest revision of a report. */
export interface LatestReport {
  /** From 1. */
  readonly revision: number;
  readonly receivedAt: Date;
  /** The revision as text, see `reportText`. */
  readonly doc: string;
}

export interface ReportDecision {
  readonly stored: LatestReport;
  /** The latest revision has the same content: nothing is written. */
  readonly duplicate: boolean;
}

/**
 * The same content again is a duplicate; another content is a new revision (contract §6). Only the latest revision
 * counts, as for stops: after A, B and A the report is A.
 */
export function decideReport(
  stored: LatestReport | undefined,
  report: LoadConditionReport,
  receivedAt: Date,
): ReportDecision {
  const doc = reportText(report);
  if (stored?.doc === doc) return { stored, duplicate: true };
  return { stored: { revision: (stored?.revision ?? 0) + 1, receivedAt, doc }, duplicate: false };
}

/** A revision that a batch adds. */
export interface NewRevision {
  readonly report: LoadConditionReport;
  readonly stored: LatestReport;
}

/** Decides the reports of a batch, in order, each over the revision before it. */
export class ReportFold {
  readonly #loaded: ReadonlyMap<string, LatestReport>;
  readonly #latest = new Map<string, LatestReport>();
  readonly revisions: NewRevision[] = [];

  constructor(loaded: ReadonlyMap<string, LatestReport>) {
    this.#loaded = loaded;
  }

  add(report: LoadConditionReport, receivedAt: Date): ReportDecision {
    const { reportId } = report;
    const before = this.#latest.get(reportId) ?? this.#loaded.get(reportId);
    const decision = decideReport(before, report, receivedAt);
    if (decision.duplicate) return decision;
    this.#latest.set(reportId, decision.stored);
    this.revisions.push({ report, stored: decision.stored });
    return decision;
  }
}

/** A report as JSON with its fields in the documented order: equal reports are equal texts. */
function reportText({ reportId, loadId, stopId, driverId, capturedAt, sections }: LoadConditionReport): string {
  return JSON.stringify({
    reportId,
    loadId,
    stopId,
    driverId,
    capturedAt,
    sections: sections.map(({ key, rating, reason, comment, photos_id }) => ({
      key,
      rating,
      reason,
      comment,
      photos_id,
    })),
  });
}

/** The service parsed this text before it wrote it. */
export const readReport: (doc: string) => LoadConditionReport = JSON.parse;
