import * as z from '#schema';
import { text } from './values.ts';

const employeeId = z
  .string()
  .check(z.minLength(1), z.maxLength(10), z.regex(/^[A-Za-z0-9]+$/, 'must be letters and digits'));
const newPassword = text(128).check(z.minLength(8), z.regex(/\S/, 'must not be blank'));

const password = text(128).check(z.minLength(1));
/** The name of a phone, the same at every sign-in. Failures of other devices do not slow down a known one. */
const device = z.optional(z.nullable(text(200)));

/** Bodies of the auth endpoints (contract §2). */
export const signupBody = z.object({
  employee_id: employeeId,
  password: newPassword,
  device,
  /** The office's code, where the server requires one (SIGNUP=invited). Case, blanks and hyphens do not count. */
  invitation: z.optional(z.nullable(text(40))),
});
export const signinBody = z.object({
  employee_id: employeeId,
  password,
  confirm_login: z.optional(z.nullable(z.boolean())),
  device,
});
export const signoutBody = z.nullish(z.object({ employee_id: z.optional(text(10)), api_token: z.optional(text(200)) }));

export const passwordUpdateBody = z
  .object({ employee_id: employeeId, current_password: password, new_password: newPassword, device })
  .check(
    z.refine((body) => body.new_password.normalize('NFKC') !== body.current_password.normalize('NFKC'), {
      error: 'must differ from the current password',
      path: ['new_password'],
    }),
  );
export const passwordResetBody = z.object({ employee_id: employeeId });
