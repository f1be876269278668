import { nothing, operation, text } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../http/openapi/described.ts';
import { ofOperators } from '../contract.ts';

// Operators' contract: their sessions.

/** The id of an operator, in any case; it is stored in upper case. */
const operatorId = z.string().check(z.regex(/^[A-Za-z0-9]{1,10}$/, 'must be 1 to 10 letters and digits'));
const password = text(128).check(z.minLength(1));

/** Body of POST /api/ops/sessions. */
const signInBody = z.object({ operator: operatorId, password });

/** Body of POST /api/ops/password. */
const passwordBody = z.object({ current_password: password, new_password: password });

const operatorItem = z.strictObject({ id: z.string(), name: z.string(), role: z.enum(['look', 'repair', 'admin']) });

const sessionItem = z.strictObject({
  operator: operatorItem,
  expires_at: z.iso.datetime(),
  idle_minutes: z.int(),
  must_change_password: z.boolean(),
});
export const newSession = z.strictObject({ token: z.string(), ...sessionItem.shape });

const facilityItem = z.strictObject({ id: z.string(), name: z.string(), zone: z.string() });
export type OfficeFacility = z.infer<typeof facilityItem>;

/** OPS_TOKEN belongs to programs: there is no operator then, and no session. */
const callerItem = z.strictObject({
  kind: z.enum(['operator', 'machine']),
  session: z.nullable(sessionItem),
  facilities: z.array(facilityItem),
});

const own = { ...ofOperators, role: 'self', query: nothing } as const;

export const operatorOperations = {
  signInOperator: operation({
    sets: ['current'],
    access: 'public',
    method: 'POST',
    path: '/ops/sessions',
    summary: 'Signs an operator in. Only this answer contains the token of the session.',
    message: 'Signed in',
    query: nothing,
    body: signInBody,
    data: newSession,
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
  }),
  readCaller: operation({
    ...own,
    method: 'GET',
    path: '/ops/me',
    summary: 'The signed-in operator, with role and end of the session, and the facilities.',
    message: 'The caller',
    body: nothing,
    data: callerItem,
    errors: [],
  }),
  signOutOperator: operation({
    ...own,
    method: 'DELETE',
    path: '/ops/sessions/current',
    summary: 'Ends the session of this token, at once.',
    message: 'Signed out',
    body: nothing,
    data: z.null(),
    errors: [],
  }),
  changeOperatorPassword: operation({
    ...own,
    method: 'POST',
    path: '/ops/password',
    summary: 'Sets an own password, ends all sessions of the operator and opens a new one.',
    message: 'The password is changed',
    body: passwordBody,
    data: newSession,
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
  }),
} as const;

const sessionWords = {
  operator: 'The operator.',
  expires_at: 'The session ends then, also while it is used. UTC.',
  idle_minutes: 'The session ends after so many minutes without a request.',
  must_change_password:
    'The session began with a one-time password. Until an own one is set, other operations are `PASSWORD_CHANGE_REQUIRED`.',
};

export const operatorSchemas = [
  described('OperatorSignIn', signInBody, 'An operator and their password.', {
    operator: 'Id of the operator: 1 to 10 letters and digits.',
    password: 'Their own password, or a one-time password.',
  }),
  described('OperatorPassword', passwordBody, 'The current password and the next one.', {
    current_password: 'Also a one-time password.',
    new_password:
      'At least 12 characters, 5 of them different; neither the current password, nor with name or id of the operator.',
  }),
  described('Operator', operatorItem, 'A named person of the office.', {
    id: 'At most 10 of A–Z and 0–9, as a user profile on the host.',
    name: 'For people.',
    role: '`look` reads, `repair` also decides about changes and rows, `admin` also about drivers, phones and holds.',
  }),
  described('OperatorSession', sessionItem, 'A session of an operator.', sessionWords),
  described('NewOperatorSession', newSession, 'A session of an operator, with its token this once.', {
    token: 'For `Authorization: Bearer`. Only its hash is stored.',
    ...sessionWords,
  }),
  described('Caller', callerItem, 'The operator who calls.', {
    kind: '`machine`: a program with `OPS_TOKEN`.',
    session: 'Null for a program.',
    facilities: 'The facilities of the host, with the zones of their clocks.',
  }),
  described('OfficeFacility', facilityItem, 'A facility.', {
    id: 'The facility.',
    name: 'Display name.',
    zone: 'Its time zone, an IANA name; blank where it is unknown.',
  }),
];
