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
  device:
    'A constant name of the device. Failed sign-ins of other devices do not delay a device that has signed in before.',
};
const signedWords = {
  employee_id: 'The employee id of the session.',
  name: 'From the employee master.',
  api_token:
    'For the header `api_token`. Each use extends it to 30 days, and an open route of the driver keeps it valid, up to 90 days.',
};

export const authSchemas = [
  described('SignUp', signupBody, 'Registration of a user.', {
    ...employeeWords,
    ...deviceWords,
    password: '8 to 128 characters.',
    invitation:
      'The invitation code of the office, required with `SIGNUP=invited`. The server ignores case, blanks and hyphens.',
  }),
  described('SignIn', signinBody, 'Credentials of a user.', {
    ...employeeWords,
    password: 'The password, or a one-time password.',
    confirm_login: 'True ends the sessions of the other drivers of the route.',
    ...deviceWords,
  }),
  described(
    'SignOut',
    signoutBody.def.innerType.def.innerType,
    'Credentials for clients that do not send them as headers.',
    {
      ...employeeWords,
      api_token: 'The token of any session of the employee. All sessions end.',
    },
  ),
  described('SignedUp', signedUp, 'The first session of a new user.', signedWords),
  described('SignedIn', signedIn, 'A session.', {
    ...signedWords,
    must_change_password: 'True after a one-time password.',
  }),
  described('PasswordUpdate', passwordUpdateBody, 'The current and the new password of a user.', {
    ...employeeWords,
    ...deviceWords,
    current_password: 'The password, or a one-time password.',
    new_password: '8 to 128 characters, and not the current one.',
  }),
  described('PasswordUpdated', passwordUpdated, 'The only session that remains valid.', {
    api_token: signedWords.api_token,
  }),
  described('PasswordReset', passwordResetBody, 'The employee for a one-time password.', employeeWords),
  described(
    'OtherDriversSignedIn',
    otherDriversSignedIn,
    'The sign-in requires `confirm_login`: other drivers of the route are signed in.',
    {
      other_drivers_signed_in: 'Always true.',
      drivers: 'The signed-in drivers.',
    },
  ),
  described('SignedInDriver', otherDriversSignedIn.shape.drivers.def.element, 'Another driver of the route.', {
    id: 'Employee id.',
    name: 'Display name.',
  }),
];
