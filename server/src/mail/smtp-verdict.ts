import { mailboxOf } from './recipients.ts';

/** The result for a mail's recipients. */
export interface Verdict {
  /** The server has accepted the mail for them. */
  readonly taken: readonly string[];
  /** The server will never accept it for them (RFC 5321 §4.2.1: 5yz). */
  readonly refused: readonly string[];
  /** Deferred (4yz): greylisting, a full mailbox; also a refusal by policy, which the operator must correct. */
  readonly deferred: readonly string[];
}

/** Nodemailer's result of a mail that at least one recipient could have. */
interface Sent {
  readonly rejectedErrors?: readonly Refusal[] | undefined;
}

/** Nodemailer's error for a refused recipient, and for a mail as a whole. */
interface Refusal {
  readonly recipient?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
}

/**
 * Sorts a server's answers by recipient. Where it refused all of them nodemailer calls the mail failed; each recipient
 * has a verdict all the same. @throws other errors: connection, sender, content
 */
export async function verdictOf(recipients: readonly string[], sending: Promise<Sent>): Promise<Verdict> {
  const refusals = await sending.then(({ rejectedErrors }) => rejectedErrors ?? [], refusalsOf);
  const bySort = Map.groupBy(recipients, (recipient) => {
    const refusal = refusals.find((each) => mailboxOf(each.recipient ?? '') === mailboxOf(recipient));
    return refusal === undefined ? 'taken' : isPermanent(refusal) ? 'refused' : 'deferred';
  });
  return {
    taken: bySort.get('taken') ?? [],
    refused: bySort.get('refused') ?? [],
    deferred: bySort.get('deferred') ?? [],
  };
}

function refusalsOf(error: unknown): readonly Refusal[] {
  if (error instanceof Error && 'rejectedErrors' in error && Array.isArray(error.rejectedErrors)) {
    const refusals: readonly Refusal[] = error.rejectedErrors;
    if (refusals.length > 0) return refusals;
  }
  throw error;
}

/** RFC 3463: x.7.y is about security and policy, such as an unauthorized relay: no fault of the mailbox. */
const isPermanent = ({ responseCode = 0, response = '' }: Refusal): boolean =>
  responseCode >= 500 && !/^\d{3}[ -]\d\.7\./.test(response);

/**
 * Whether an earlier try failed for the content of the mail: refused after all of it had arrived (too large, a scanner
 * that rejects an attachment), or not accepted in time. @param output of that job, `{ reason }` from `faultOf`
 */
export const isMessageFault = (output: object | null): boolean =>
  output !== null &&
  'reason' in output &&
  typeof output.reason === 'string' &&
  /^(EMESSAGE .* 5\d\d|EABORT)$/.test(output.reason);

/** The error in codes alone: mail servers repeat addresses in their texts. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const parts = [
    'code' in error ? error.code : error.name,
    'command' in error ? error.command : '',
    'responseCode' in error ? error.responseCode : '',
  ];
  return parts.filter((part) => typeof part === 'number' || (typeof part === 'string' && part !== '')).join(' ');
}
