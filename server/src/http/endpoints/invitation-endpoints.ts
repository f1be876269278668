import { operations } from '@tailgate/sync-protocol';
import { invite, listInvitations, withdrawInvitation } from '../../auth/invitations.ts';
import type { DeviceDeps } from '../../ops/devices/devices.ts';
import { endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';

/** For operators: who may sign up. The log keeps who invites whom, and never a code. */
export function invitationEndpoints({ db, clock, log }: DeviceDeps) {
  return {
    listInvitations: endpoint(operations.listInvitations, async () => ({ data: await listInvitations(db, clock()) })),

    invite: endpoint(operations.invite, async ({ body }) => {
      const invited = await invite(db, body, clock());
      if (!invited)
        throw new AppError('EMPLOYEE_NOT_FOUND', { message: 'The master has no such active employee or facility.' });
      const { invitation_id: invitation, employee, facility, uses } = invited;
      log.info({ invitation, employee, facility, uses, user: body.by }, 'an operator has invited drivers');
      return { data: invited };
    }),

    withdrawInvitation: endpoint(operations.withdrawInvitation, async ({ params, body }) => {
      const withdrawn = await withdrawInvitation(db, params.invitation_id, body.by, clock());
      if (!withdrawn) throw new AppError('INVITATION_NOT_FOUND');
      log.info({ invitation: withdrawn.invitation_id, user: body.by }, 'an operator has withdrawn an invitation');
      return { data: withdrawn };
    }),
  };
}
