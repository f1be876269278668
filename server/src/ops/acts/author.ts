import { invalidInput } from '../../http/answers/validation.ts';
import type { OpsCaller } from '../../wire/access.ts';

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

/** The same for operations that always took a program's call without a name. */
export const authorOrMachine = (caller: OpsCaller, by: string | null | undefined): string =>
  caller.kind === 'machine' && by == null ? machine : authorOf(caller, by);

const machine = 'machine';
