import { nothing, operation } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../http/openapi/described.ts';
import { author, byWords, decided, ofOperators, requiredText, tagged } from '../contract.ts';

// Operators' contract: invitations to sign up.

/** An invitation without its code, which is shown once. */
export const invitationItem = z.strictObject({
  invitation_id: z.string(),
  employee: z.nullable(z.string()),
  facility: z.nullable(z.string()),
  uses: z.int(),
  uses_left: z.int(),
  created_at: z.iso.datetime(),
  created_by: z.string(),
  expires_at: z.iso.datetime(),
});
export type InvitationItem = z.infer<typeof invitationItem>;

const newInvitation = z.strictObject({ ...invitationItem.shape, code: z.string() });

const key = z.optional(z.nullable(requiredText(10)));

/** Body of POST /api/ops/invitations: exactly one of `employee` and `facility`. */
export const invitationBody = z
  .object({
    by: author,
    employee: key,
    facility: key,
    /** Number of drivers who may sign up with it; 1 by default. */
    uses: z._default(z.int().check(z.gte(1), z.lte(1_000)), 1),
    /** Days until it expires; a week by default. */
    days: z._default(z.int().check(z.gte(1), z.lte(90)), 7),
  })
  .check(
    z.refine(({ employee, facility }) => (employee == null) !== (facility == null), {
      error: 'exactly one of employee and facility is needed',
      path: ['employee'],
    }),
    z.refine(({ employee, uses }) => employee == null || uses === 1, {
      error: 'must be 1 for one employee',
      path: ['uses'],
    }),
  );
export type InvitationBody = z.infer<typeof invitationBody>;

const invitationParams = z.object({ invitation_id: z.uuid() });
const withdrawalBody = z.object({ by: author });

const listed = { ...ofOperators, query: nothing } as const;

export const invitationOperations = {
  listInvitations: operation({
    ...tagged,
    ...listed,
    method: 'GET',
    path: '/ops/invitations',
    role: 'look',
    summary: 'Invitations that can still be used, the newest first, 500 at most. Their codes are not stored.',
    message: 'Open invitations',
    body: nothing,
    data: z.array(invitationItem),
    errors: [],
  }),
  invite: operation({
    ...listed,
    method: 'POST',
    path: '/ops/invitations',
    role: 'admin',
    summary: 'Makes a code for one employee, or for the drivers of a facility. Only this answer contains it.',
    message: 'Invited',
    body: invitationBody,
    data: newInvitation,
    errors: ['EMPLOYEE_NOT_FOUND'],
  }),
  withdrawInvitation: operation({
    ...listed,
    method: 'POST',
    path: '/ops/invitations/:invitation_id/withdraw',
    role: 'admin',
    params: invitationParams,
    summary: 'Ends an invitation. Drivers who have signed up with it stay registered.',
    message: 'Withdrawn',
    body: withdrawalBody,
    data: invitationItem,
    ...decided('INVITATION_NOT_FOUND'),
  }),
} as const;

const itemWords = {
  invitation_id: 'The id of the invitation; it is not the code.',
  employee: 'The invited employee; null for the drivers of a facility.',
  facility: 'The facility whose drivers are invited; null for one employee.',
  uses: 'The number of drivers who may sign up with it.',
  uses_left: 'The number of sign-ups that remain.',
  created_at: 'UTC.',
  created_by: 'The name of the person who invited.',
  expires_at: 'The end of its validity, UTC.',
};

export const invitationSchemas = [
  described('InvitationBody', invitationBody, 'The invited: one employee, or the drivers of a facility.', {
    by: byWords,
    employee: 'An active employee of the master. Exactly one of this and `facility`.',
    facility:
      'Its code. A person with the invitation can sign up as any unregistered employee of the facility: prefer `employee`.',
    uses: 'The number of drivers who may sign up with it; 1 for one employee.',
    days: 'The days of its validity.',
  }),
  described('InvitationItem', invitationItem, 'An invitation without its code.', itemWords),
  described('NewInvitation', newInvitation, 'An invitation, with its code this once.', {
    ...itemWords,
    code: 'For the driver. Only its hash is stored.',
  }),
  described('InvitationParams', invitationParams, 'The key of an invitation.', { invitation_id: 'As in the list.' }),
  described('WithdrawalBody', withdrawalBody, 'The author of the withdrawal.', { by: byWords }),
];
