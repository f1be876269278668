import * as z from 'zod/mini';
import { text } from './values.ts';

const employeeId = z
  .string()
  .check(z.minLength(1), z.maxLength(10), z.regex(/^[A-Za-z0-9]+$/, 'must be letters and digits'));
const newPassword = text(128).check(z.minLength(8));

/** Bodies of the auth endpoints (contract §2). */
export const signupBody = z.object({ employee_id: employeeId, password: newPassword });
export const signinBody = z.object({
  employee_id: employeeId,
  password: text(128).check(z.minLength(1)),
  confirm_login: z.optional(z.nullable(z.boolean())),
  device: z.optional(z.nullable(text(200))),
});
export const signoutBody = z.nullish(z.object({ employee_id: z.optional(text(10)), api_token: z.optional(text(200)) }));

export const signedUp = z.object({ employee_id: z.string(), name: z.string(), api_token: z.string() });
export const signedIn = z.object({ ...signedUp.shape, must_change_password: z.boolean() });
export type SignedIn = z.infer<typeof signedIn>;
export const otherDriversSignedIn = z.object({
  other_drivers_signed_in: z.literal(true),
  drivers: z.array(z.object({ id: z.string(), name: z.string() })),
});
export type OtherDriversSignedIn = z.infer<typeof otherDriversSignedIn>;
