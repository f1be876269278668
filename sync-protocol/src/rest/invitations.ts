import * as z from '#schema';
import { nothing, operation } from './operations.ts';
import { said } from './said.ts';

// Who may sign up where SIGNUP=invited, for operators.

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

export const newInvitation = z.strictObject({ ...invitationItem.shape, code: z.string() });
export type NewInvitation = z.infer<typeof newInvitation>;

const key = z.optional(z.nullable(said(10)));

/** Body of POST /api/ops/invitations: exactly one of `employee` and `facility`. */
export const invitationBody = z
  .object({
    by: said(40),
    employee: key,
    facility: key,
    /** How many drivers may sign up with it; 1 where nothing is said. */
    uses: z._default(z.int().check(z.gte(1), z.lte(1_000)), 1),
    /** How long it counts; a week where nothing is said. */
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

export const invitationParams = z.object({ invitation_id: z.uuid() });
export const withdrawalBody = z.object({ by: said(40) });

const ofOperators = { sets: ['current'], access: 'operator', query: nothing } as const;

export const invitationOperations = {
  listInvitations: operation({
    ...ofOperators,
    method: 'GET',
    path: '/ops/invitations',
    summary:
      'Invitations with which somebody can still sign up, the newest first, 500 at most. Their codes are not kept.',
    message: 'Open invitations',
    body: nothing,
    data: z.array(invitationItem),
    errors: [],
  }),
  invite: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/invitations',
    summary: 'Makes a code for one employee, or for the drivers of a facility. It is shown in this answer alone.',
    message: 'Invited',
    body: invitationBody,
    data: newInvitation,
    errors: ['EMPLOYEE_NOT_FOUND'],
  }),
  withdrawInvitation: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/invitations/:invitation_id/withdraw',
    params: invitationParams,
    summary: 'Nobody signs up with this code any more. Who has done so stays registered.',
    message: 'Withdrawn',
    body: withdrawalBody,
    data: invitationItem,
    errors: ['INVITATION_NOT_FOUND'],
  }),
} as const;
