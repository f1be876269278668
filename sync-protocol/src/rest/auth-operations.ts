import * as z from '#schema';
import { otherDriversSignedIn, passwordUpdated, signedIn, signedUp } from './auth-answers.ts';
import { passwordResetBody, passwordUpdateBody, signinBody, signoutBody, signupBody } from '../schema/auth.ts';
import { nothing, operation } from './operations.ts';

const both = ['v20', 'current'] as const;

/** Interface.md 4.1, contract §2. */
export const authOperations = {
  listEmployees: operation({
    method: 'GET',
    path: '/auth/employees',
    sets: both,
    access: 'public',
    summary: 'Ids of all registered employees, ascending.',
    message: 'Registered employees',
    body: nothing,
    query: nothing,
    data: z.array(z.string()),
    errors: [],
  }),
  signUp: operation({
    method: 'POST',
    path: '/auth/signup',
    sets: both,
    access: 'public',
    summary: 'Registers an employee of the employee master and signs in.',
    message: 'Signed up',
    body: signupBody,
    query: nothing,
    data: signedUp,
    errors: ['INVITATION_REQUIRED', 'EMPLOYEE_NOT_FOUND', 'ALREADY_REGISTERED', 'RATE_LIMITED'],
  }),
  signIn: operation({
    method: 'POST',
    path: '/auth/signin',
    sets: both,
    access: 'public',
    summary: 'Signs in. Another driver of the same route who is signed in is a conflict unless confirm_login is true.',
    message: 'Signed in',
    body: signinBody,
    query: nothing,
    data: signedIn,
    errors: ['INVALID_CREDENTIALS', 'OTHER_DRIVERS_SIGNED_IN', 'RATE_LIMITED'],
    errorData: { OTHER_DRIVERS_SIGNED_IN: otherDriversSignedIn },
  }),
  signOut: operation({
    method: 'POST',
    path: '/auth/signout',
    sets: both,
    access: 'public',
    summary: 'Ends every session of the driver. Credentials in the headers or in the body.',
    message: 'Signed out',
    body: signoutBody,
    query: nothing,
    data: z.null(),
    errors: ['MISSING_CREDENTIALS', 'INVALID_TOKEN'],
  }),
  updatePassword: operation({
    method: 'POST',
    path: '/auth/password/update',
    sets: both,
    access: 'public',
    summary:
      'Sets a new password and signs in with it; all other sessions end. A one-time password counts as the current one.',
    message: 'Password changed',
    body: passwordUpdateBody,
    query: nothing,
    data: passwordUpdated,
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
  }),
  resetPassword: operation({
    method: 'POST',
    path: '/auth/password/reset',
    sets: both,
    access: 'public',
    summary: 'Sends a one-time password to the phone on file. The answer is the same for unknown employees.',
    message: 'If this employee is registered, a one-time password is on its way to the phone on file',
    body: passwordResetBody,
    query: nothing,
    data: z.null(),
    errors: [],
  }),
} as const;
