import { errorCodes } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';

// The envelope of every JSON answer (contract §1), field by field.

const nonEmpty = z.string().check(z.minLength(1));

export const success = z.strictObject({
  success: z.literal(true),
  message: nonEmpty,
  data: z.unknown(),
  meta: z.optional(z.unknown()),
});

export const failure = z.strictObject({
  success: z.literal(false),
  message: nonEmpty,
  data: z.unknown(),
  error: z.strictObject({
    code: z.enum(Object.keys(errorCodes)),
    details: z.array(z.strictObject({ path: z.string(), message: nonEmpty })),
    request_id: z.string().check(z.regex(/^[\w.-]{8,64}$/)),
  }),
});

/** The status that the catalogue gives a code. */
export const statusOf = (code: string): number | undefined =>
  Object.entries(errorCodes).find(([name]) => name === code)?.[1].status;
