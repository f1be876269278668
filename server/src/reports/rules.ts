import type { LoadConditionReport } from '@tailgate/sync-protocol';

/** The latest revision of a report. */
export interface StandingReport {
  /** From 1. */
  readonly revision: number;
  readonly receivedAt: Date;
  /** The revision as text, see `reportText`. */
  readonly doc: string;
}

export interface ReportDecision {
  readonly standing: StandingReport;
  /** The latest revision has the same content: nothing is written. */
  readonly duplicate: boolean;
}

/**
 * The same content again is a duplicate; another content is a new revision (contract §6). Only the latest revision
 * counts, as for stops: after A, B and A the report is A.
 */
export function decideReport(
  standing: StandingReport | undefined,
  report: LoadConditionReport,
  receivedAt: Date,
): ReportDecision {
  const doc = reportText(report);
  if (standing?.doc === doc) return { standing, duplicate: true };
  return { standing: { revision: (standing?.revision ?? 0) + 1, receivedAt, doc }, duplicate: false };
}

/** A revision that a batch adds. */
export interface NewRevision {
  readonly report: LoadConditionReport;
  readonly standing: StandingReport;
}

/** Decides the reports of a batch, in order, each over the revision before it. */
export class ReportFold {
  readonly #loaded: ReadonlyMap<string, StandingReport>;
  readonly #latest = new Map<string, StandingReport>();
  readonly revisions: NewRevision[] = [];

  constructor(loaded: ReadonlyMap<string, StandingReport>) {
    this.#loaded = loaded;
  }

  take(report: LoadConditionReport, receivedAt: Date): ReportDecision {
    const { reportId } = report;
    const before = this.#latest.get(reportId) ?? this.#loaded.get(reportId);
    const decision = decideReport(before, report, receivedAt);
    if (decision.duplicate) return decision;
    this.#latest.set(reportId, decision.standing);
    this.revisions.push({ report, standing: decision.standing });
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
