import type { Withheld } from '../../../../verify/src/format.ts';
import type { Scope } from '../read-evidence.ts';

/** The parts of a scope that name it. */
function partsOf(scope: Scope): string[] {
  if (scope.kind === 'customer') return [scope.facility, scope.customer, scope.from, scope.until];
  const { facility, id, week_end } = scope.route;
  return scope.kind === 'stop' ? [facility, id, week_end, String(scope.stop)] : [facility, id, week_end];
}

/** The name of a scope, such as `F01_R100_20261121_5`. It is the subject of the act. */
export const subjectOf = (scope: Scope): string => partsOf(scope).join('_');

/** A key of the host can contain any character: others than these become a low line in the name of a file. */
const plainNameOf = (scope: Scope): string => subjectOf(scope).replaceAll(/[^A-Za-z0-9_-]/g, '_');

/** The file name of a pack. */
export function nameOf(scope: Scope, without: readonly Withheld[]): string {
  const left = without.map((part) => `_without-${part}`).join('');
  return `evidence_${plainNameOf(scope)}${left}.zip`;
}

/** The file name of a document without its pack. */
export const copyNameOf = (scope: Scope): string => `proof_${plainNameOf(scope)}.pdf`;

/** The title of a document. */
export function titleOf(scope: Scope): string {
  if (scope.kind === 'customer')
    return `Evidence: facility ${scope.facility}, customer ${scope.customer}, ${scope.from} to ${scope.until}`;
  const { facility, id, week_end } = scope.route;
  const stop = scope.kind === 'stop' ? `, stop ${scope.stop}` : '';
  return `Evidence: facility ${facility}, route ${id}, week ${week_end}${stop}`;
}
