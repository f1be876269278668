import { invite, listInvitations, withdrawInvitation } from '../../auth/invitations.ts';
import { recordAct } from '../../acts/sql.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db } from '../../db/types.ts';
import type { OpsCaller } from '../../wire/access.ts';
import type { Log } from '../../runtime/log.ts';
import { endpoint, opsEndpoint } from '../../http/answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import { authorOf } from '../acts/author.ts';
import { inTurn, latestAct, refuseSecond } from '../acts/in-turn.ts';
import { invitationOperations, type InvitationBody, type InvitationItem } from './contract.ts';

export interface InvitationDeps {
  readonly db: Db;
  readonly clock: () => Date;
  readonly log: Log;
}

/** Makes a code and records the act, in one transaction. @returns undefined without such an employee or facility */
export function inviteByOperator(
  db: Db,
  { employee, facility, uses, days }: InvitationBody,
  by: string,
  now: Date,
): Promise<(InvitationItem & { readonly code: string }) | undefined> {
  return withTransaction(db, async (tx) => {
    const invited = await invite(tx, { by, employee, facility, uses, days }, now);
    if (!invited) return undefined;
    await recordAct(tx, {
      by,
      act: 'invite',
      subject: { kind: 'invitation', id: invited.invitation_id },
      employee: invited.employee ?? undefined,
      reason: '',
      before: null,
      after: { employee: invited.employee, facility: invited.facility, uses, expires_at: invited.expires_at },
    });
    return invited;
  });
}

/**
 * Ends an invitation and records the act. @returns undefined without a usable invitation of this id
 * @throws AppError where another operator has withdrawn it before
 */
export function withdrawByOperator(
  db: Db,
  id: string,
  { by, caller }: { readonly by: string; readonly caller: OpsCaller },
  now: Date,
): Promise<InvitationItem | undefined> {
  const subject = { kind: 'invitation', id } as const;
  return inTurn(db, subject, async (tx) => {
    const withdrawn = await withdrawInvitation(tx, id, by, now);
    if (!withdrawn) {
      refuseSecond({ caller }, await latestAct(tx, subject, ['withdrawInvitation']));
      return undefined;
    }
    await recordAct(tx, {
      by,
      act: 'withdrawInvitation',
      subject,
      employee: withdrawn.employee ?? undefined,
      reason: '',
      before: { uses_left: withdrawn.uses_left },
      after: { withdrawn_at: now },
    });
    return withdrawn;
  });
}

/** Operators: invitations to sign up. The log records author and invitee, and never a code. */
export function invitationEndpoints({ db, clock, log }: InvitationDeps) {
  return {
    listInvitations: endpoint(invitationOperations.listInvitations, async () => ({
      data: await listInvitations(db, clock()),
    })),

    invite: opsEndpoint(invitationOperations.invite, async ({ body, caller }) => {
      const by = authorOf(caller, body.by);
      const invited = await inviteByOperator(db, body, by, clock());
      if (!invited)
        throw new AppError('EMPLOYEE_NOT_FOUND', { message: 'The master has no such active employee or facility.' });
      const { invitation_id: invitation, employee, facility, uses } = invited;
      log.info({ invitation, employee, facility, uses, user: by }, 'an operator has invited drivers');
      return { data: invited };
    }),

    withdrawInvitation: opsEndpoint(invitationOperations.withdrawInvitation, async ({ params, body, caller }) => {
      const by = authorOf(caller, body.by);
      const withdrawn = await withdrawByOperator(db, params.invitation_id, { by, caller }, clock());
      if (!withdrawn) throw new AppError('INVITATION_NOT_FOUND');
      log.info({ invitation: withdrawn.invitation_id, user: by }, 'an operator has withdrawn an invitation');
      return { data: withdrawn };
    }),
  };
}
