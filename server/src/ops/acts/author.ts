import { invalidInput } from '../../http/answers/validation.ts';
import type { OpsCaller } from '../../wire/access.ts';
import { AppError } from '../../wire/errors.ts';

/**
 * The author of an act, as tables store it: the operator of the session, or `machine:` with the name that a program
 * gives. No operator's id contains a colon, so a program never takes a person's name.
 *
 * @throws AppError that names `by`
 */
export function authorOf(caller: OpsCaller, by: string | null | undefined): string {
  if (caller.kind === 'machine') {
    if (by == null) throw invalidInput([{ path: 'by', message: 'is required with OPS_TOKEN' }]);
    return `${machine}:${by}`;
  }
  if (by != null && by !== caller.id)
    throw invalidInput([{ path: 'by', message: `must be ${caller.id}, the operator of this session, or absent` }]);
  return caller.id;
}

/**
 * A person never replaces the decision of another one unseen. Programs go on to replace it, as they always could.
 *
 * @throws AppError `DECIDED_BEFORE` with the first author and the time
 */
export function refuseSecond(
  caller: OpsCaller,
  first: { readonly by: string | null; readonly at: string | null },
): void {
  if (caller.kind === 'machine' || first.by === null || first.by === caller.id) return;
  throw new AppError('DECIDED_BEFORE', { data: { by: first.by, at: first.at } });
}

/** The same for operations that always took a program's call without a name. */
export const authorOrMachine = (caller: OpsCaller, by: string | null | undefined): string =>
  caller.kind === 'machine' && by == null ? machine : authorOf(caller, by);

const machine = 'machine';
