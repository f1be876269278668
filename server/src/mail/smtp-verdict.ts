import { mailboxOf } from './recipients.ts';

/** What became of a letter's recipients. */
export interface Verdict {
  /** The server has it for them. */
  readonly taken: readonly string[];
  /** The server will never take it for them (RFC 5321 §4.2.1: 5yz). */
  readonly refused: readonly string[];
  /** Not yet (4yz): greylisting, a full mailbox; also where a policy refuses, for that is ours to put right. */
  readonly deferred: readonly string[];
}

/** What nodemailer says of a letter that at least one recipient could have. */
interface Sent {
  readonly rejectedErrors?: readonly Refusal[] | undefined;
}

/** What nodemailer says of a recipient whom the server refused, and of a letter as a whole. */
interface Refusal {
  readonly recipient?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
}

/**
 * Sorts what a server answered for each recipient. Where it refused all of them nodemailer calls the letter failed: it
 * is not, each of them has a verdict all the same.
 * @throws what else went wrong: connection, sender, content
 */
export async function verdictOf(recipients: readonly string[], sending: Promise<Sent>): Promise<Verdict> {
  const refusals = await sending.then(({ rejectedErrors }) => rejectedErrors ?? [], refusalsOf);
  const bySort = Map.groupBy(recipients, (recipient) => {
    const refusal = refusals.find((each) => mailboxOf(each.recipient ?? '') === mailboxOf(recipient));
    return refusal === undefined ? 'taken' : isForGood(refusal) ? 'refused' : 'deferred';
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

/** RFC 3463: x.7.y speaks of security and policy, such as a relay that does not know us: no fault of the mailbox. */
const isForGood = ({ responseCode = 0, response = '' }: Refusal): boolean =>
  responseCode >= 500 && !/^\d{3}[ -]\d\.7\./.test(response);

/**
 * Whether an earlier try failed for what the letter holds: refused when all of it was there (too large, a scanner that
 * dislikes an attachment), or not taken in time.
 * @param output of the job that tried it, `{ reason }` as `faultOf` told it
 */
export const isLettersFault = (output: object | null): boolean =>
  output !== null &&
  'reason' in output &&
  typeof output.reason === 'string' &&
  /^(EMESSAGE .* 5\d\d|EABORT)$/.test(output.reason);

/** What went wrong, in codes alone: mail servers repeat addresses in their words. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const parts = [
    'code' in error ? error.code : error.name,
    'command' in error ? error.command : '',
    'responseCode' in error ? error.responseCode : '',
  ];
  return parts.filter((part) => typeof part === 'number' || (typeof part === 'string' && part !== '')).join(' ');
}
