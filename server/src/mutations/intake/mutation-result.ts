import type { MutationResult } from '@tailgate/sync-protocol';
import type { Outcome, ReportOutcome } from '../change.ts';
import type { Item } from '../item.ts';

/** The answer of a queue's item as the frame `ack` carries it. */
export function mutationResult(
  { id }: Pick<Item, 'id'>,
  seq: number,
  outcome: Outcome | ReportOutcome,
): MutationResult {
  if (outcome.result === 'quarantined') {
    const { result, code, reason, details } = outcome;
    return { seq, id, result, code, reason, details: [...details] };
  }
  const warnings = outcome.warnings.length > 0 ? { warnings: [...outcome.warnings] } : {};
  if (outcome.result === 'reported')
    return { seq, id, result: outcome.duplicate ? 'duplicate' : 'applied', ...warnings };
  const { result, version, status } = outcome;
  return { seq, id, result, version, status, ...warnings };
}
