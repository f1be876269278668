import type { LoadConditionReport } from '@tailgate/sync-protocol';
import type { ReportDecision, StandingReport } from '../../reports/rules.ts';
import { decideReport } from '../../reports/rules.ts';

/** A revision that a batch adds. */
export interface NewRevision {
  readonly report: LoadConditionReport;
  readonly standing: StandingReport;
}

/** Reports of a batch, folded in order over what stands. */
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
