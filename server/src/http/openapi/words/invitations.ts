import {
  invitationBody,
  invitationItem,
  invitationParams,
  newInvitation,
  withdrawalBody,
} from '@tailgate/sync-protocol';
import { described } from '../described.ts';

// Ours, for operators: who may sign up where SIGNUP=invited.

const itemWords = {
  invitation_id: 'Names the invitation; it opens nothing.',
  employee: 'For whom; null where it is for a facility.',
  facility: 'For whose drivers; null where it is for one employee.',
  uses: 'How many drivers may sign up with it.',
  uses_left: 'How many still may.',
  created_at: 'UTC.',
  created_by: 'Who has invited.',
  expires_at: 'Until when it counts, UTC.',
};

export const invitationSchemas = [
  described('InvitationBody', invitationBody, 'Whom to invite: one employee, or the drivers of a facility.', {
    by: 'Who invites.',
    employee: 'An active employee of the master. Exactly one of this and `facility`.',
    facility: 'Its code. Whoever has the code can sign up as any of its employees who has not: prefer `employee`.',
    uses: 'How many drivers may sign up with it; 1 for one employee.',
    days: 'How long it counts.',
  }),
  described('InvitationItem', invitationItem, 'An invitation without its code.', itemWords),
  described('NewInvitation', newInvitation, 'An invitation, with its code this once.', {
    ...itemWords,
    code: 'For the driver. Only its hash is stored.',
  }),
  described('InvitationParams', invitationParams, 'Which invitation.', { invitation_id: 'As the list names it.' }),
  described('WithdrawalBody', withdrawalBody, 'Who withdraws it.', { by: 'Their name.' }),
];
