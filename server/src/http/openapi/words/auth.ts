import {
  otherDriversSignedIn,
  passwordResetBody,
  passwordUpdateBody,
  passwordUpdated,
  signedIn,
  signedUp,
  signinBody,
  signoutBody,
  signupBody,
} from '@tailgate/sync-protocol';
import { described } from '../described.ts';

// Interface.md 4.1 with contract §2.

const employeeWords = { employee_id: 'As in the employee master.' };
const deviceWords = {
  device: 'What the device calls itself, always the same: one that has signed in before is not slowed down by others.',
};
const signedWords = {
  employee_id: 'Whose session it is.',
  name: 'From the employee master.',
  api_token:
    'For the header `api_token`. Slides 30 days, and lasts while the driver has an open route; 90 days at most.',
};

export const authSchemas = [
  described('SignUp', signupBody, 'Who registers.', {
    ...employeeWords,
    ...deviceWords,
    password: '8 to 128 characters.',
    invitation:
      'The code of the office, where the server asks for one (`SIGNUP=invited`). Case, blanks and hyphens do not matter.',
  }),
  described('SignIn', signinBody, 'Who signs in.', {
    ...employeeWords,
    password: 'The password, or a one-time password.',
    confirm_login: 'True ends the sessions of the other drivers of the route.',
    ...deviceWords,
  }),
  described('SignOut', signoutBody.def.innerType.def.innerType, 'Credentials where they are not in the headers.', {
    ...employeeWords,
    api_token: 'Of any of their sessions; all of them end.',
  }),
  described('SignedUp', signedUp, 'The first session of a new user.', signedWords),
  described('SignedIn', signedIn, 'A session.', {
    ...signedWords,
    must_change_password: 'True after a one-time password.',
  }),
  described('PasswordUpdate', passwordUpdateBody, 'Who wants which password.', {
    ...employeeWords,
    ...deviceWords,
    current_password: 'The password, or a one-time password.',
    new_password: '8 to 128 characters, and not the current one.',
  }),
  described('PasswordUpdated', passwordUpdated, 'The one session that goes on.', { api_token: signedWords.api_token }),
  described('PasswordReset', passwordResetBody, 'Who needs a one-time password.', employeeWords),
  described('OtherDriversSignedIn', otherDriversSignedIn, 'Why a sign-in waits for `confirm_login`.', {
    other_drivers_signed_in: 'Always true.',
    drivers: 'Who is signed in.',
  }),
  described('SignedInDriver', otherDriversSignedIn.shape.drivers.def.element, 'Another driver of the route.', {
    id: 'Employee id.',
    name: 'For people.',
  }),
];
