import { listInvitations } from '../../auth/invitations.ts';
import { countOf, readWords } from '../../runtime/command-line.ts';
import type { Db } from '../../db/types.ts';
import { StartError } from '../../runtime/start-error.ts';
import { inviteByOperator, withdrawByOperator } from '../invitations/invitations.ts';
import { invitationBody, type InvitationBody, type InvitationItem } from '../invitations/contract.ts';

// The commands of `npm run ops` that invite drivers to sign up (SIGNUP=invited).

export const invitationCommands = {
  invite: {
    takes: 'EMPLOYEE | --facility F [--uses N] [--days N]',
    does: 'makes the code with which a driver, or those of a facility, sign up where SIGNUP=invited',
  },
  invitations: { takes: '', does: 'lists the invitations that can still be used' },
  withdraw: { takes: 'INVITATION', does: 'ends an invitation: its code counts no more' },
} as const;

export type InvitationCommand =
  | { readonly verb: 'invite'; readonly body: InvitationBody }
  | { readonly verb: 'invitations' }
  | { readonly verb: 'withdraw'; readonly id: string };

/** @returns undefined where the arguments do not match the manual */
export function parseInvitationCommand(argv: readonly string[]): InvitationCommand | undefined {
  const text = { type: 'string' } as const;
  const { positionals, values } = readWords(argv, { facility: text, uses: text, days: text });
  const [verb, word, more] = positionals;
  const { facility, uses, days } = values;
  if (more !== undefined) return undefined;
  if (verb === 'invite') {
    if ((word === undefined) === (facility === undefined)) return undefined;
    return {
      verb,
      body: readBody({
        ...(word === undefined ? { facility } : { employee: word }),
        ...(uses !== undefined && { uses: countOf('uses', uses) }),
        ...(days !== undefined && { days: countOf('days', days) }),
      }),
    };
  }
  if (facility !== undefined || uses !== undefined || days !== undefined) return undefined;
  if (verb === 'invitations' && word === undefined) return { verb };
  return verb === 'withdraw' && word !== undefined && uuid.test(word) ? { verb, id: word } : undefined;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @throws StartError as the REST operation refuses it */
function readBody(said: object): InvitationBody {
  const { data, error } = invitationBody.safeParse(said);
  if (data) return data;
  const [issue] = error.issues;
  throw new StartError(`${issue?.path.join('.')}: ${issue?.message}`);
}

const by = 'npm run ops';

/** @returns what to show */
export async function runInvitationCommand(command: InvitationCommand, db: Db, now: Date): Promise<string> {
  if (command.verb === 'invite') {
    const invited = await inviteByOperator(db, command.body, by, now);
    if (!invited) throw new StartError('the master has no such active employee or facility');
    return `${invited.code}\nIt is shown this once. ${lineOf(invited)}`;
  }
  if (command.verb === 'withdraw') {
    const withdrawn = await withdrawByOperator(db, command.id, { by, caller: { kind: 'machine' } }, now);
    if (!withdrawn) throw new StartError(`no invitation ${command.id} can be used (npm run ops -- invitations)`);
    return `Its code counts no more. ${lineOf(withdrawn)}`;
  }
  const open = await listInvitations(db, now);
  return open.length === 0 ? 'No invitation can be used.' : open.map(lineOf).join('\n');
}

const lineOf = ({
  invitation_id,
  employee,
  facility,
  uses,
  uses_left,
  expires_at,
  created_by,
}: InvitationItem): string =>
  `${invitation_id}: ${employee === null ? `facility ${facility}` : `employee ${employee}`}, ${uses_left} of ${uses} left, until ${expires_at}, by ${created_by}`;
