import { invite, listInvitations, withdrawInvitation } from '../../auth/invitations.ts';
import type { Db } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import { invitationOperations } from './contract.ts';

export interface InvitationDeps {
  readonly db: Db;
  readonly clock: () => Date;
  readonly log: Log;
}

/** Operators: invitations to sign up. The log records author and invitee, and never a code. */
export function invitationEndpoints({ db, clock, log }: InvitationDeps) {
  return {
    listInvitations: endpoint(invitationOperations.listInvitations, async () => ({
      data: await listInvitations(db, clock()),
    })),

    invite: endpoint(invitationOperations.invite, async ({ body }) => {
      const invited = await invite(db, body, clock());
      if (!invited)
        throw new AppError('EMPLOYEE_NOT_FOUND', { message: 'The master has no such active employee or facility.' });
      const { invitation_id: invitation, employee, facility, uses } = invited;
      log.info({ invitation, employee, facility, uses, user: body.by }, 'an operator has invited drivers');
      return { data: invited };
    }),

    withdrawInvitation: endpoint(invitationOperations.withdrawInvitation, async ({ params, body }) => {
      const withdrawn = await withdrawInvitation(db, params.invitation_id, body.by, clock());
      if (!withdrawn) throw new AppError('INVITATION_NOT_FOUND');
      log.info({ invitation: withdrawn.invitation_id, user: body.by }, 'an operator has withdrawn an invitation');
      return { data: withdrawn };
    }),
  };
}
