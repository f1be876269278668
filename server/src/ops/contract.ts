import { text } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';

/** Every operators' operation is on the unprefixed path set and needs the operator's token. */
export const ofOperators = { sets: ['current'], access: 'operator' } as const;

/** Text that a person must fill in, such as a name or a reason. */
export const requiredText = (longest: number) =>
  text(longest).check(
    z.minLength(1, 'must not be blank'),
    z.refine((value) => !/^\s+$/.test(value), 'must not be blank'),
  );
