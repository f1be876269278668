import { isDeepStrictEqual } from 'node:util';
import { latestOf } from './diary.ts';
import type { Edit, Evidence } from './evidence.ts';
import { addressOf, FACILITY_BEHIND_MS, hasMails, isOfSecondRoute, WAREHOUSE } from './fixture.ts';
import { TOLERANCE_MS } from './moments.ts';

/** The mails that the mail server has taken from one world. */
export class Mailbox {
  readonly mails: Mail[] = [];
  /** How often a process was killed or lost an answer while it sent. */
  interruptions = 0;
}

interface Mail {
  readonly messageId: string;
  readonly date: string;
  readonly recipients: readonly string[];
  /** Decoded. */
  readonly source: string;
  /** In the time of the world. */
  readonly at: number;
}

/**
 * The mails of the deliveries: each transition to `D` in the order of receipts has one Message-ID, which no other mail
 * has. A mail comes again only after an interruption, unchanged. It shows the stop as it was when it was sent.
 */
export function wrongMails(edits: readonly Edit[], { seed, mailbox }: Evidence): string[] {
  if (!hasMails(seed)) return [];
  const due = deliveriesIn(edits);
  const expected = due.map(({ id }) => `<${id}@depot.example>`);
  const wrong: string[] = [];
  const shown = [...new Set(mailbox.mails.map(({ messageId }) => messageId))];
  if (!isDeepStrictEqual(shown.toSorted(), expected.toSorted()))
    wrong.push(`mails were sent for ${shown.join(' ')}, and due for ${expected.join(' ')}`);
  if (mailbox.mails.length - shown.length > mailbox.interruptions)
    wrong.push(`${mailbox.mails.length} mails have ${shown.length} ids after ${mailbox.interruptions} interruptions`);
  for (const mail of mailbox.mails) {
    const { messageId, date, recipients } = mail;
    if (!isDeepStrictEqual(recipients, [addressOf(seed)])) wrong.push(`${messageId} went to ${recipients.join()}`);
    if (mailbox.mails.some((other) => other.messageId === messageId && other.date !== date))
      wrong.push(`${messageId} was sent with two dates`);
    const stop = due.find(({ id }) => messageId === `<${id}@depot.example>`)?.stop;
    if (stop !== undefined) wrong.push(...wrongContent(mail, stop, inOrderOfReceipt(edits)));
  }
  return wrong;
}

/** The edits that brought a stop of the first route to `D`. Stop 999 has no mail. */
function deliveriesIn(edits: readonly Edit[]): Edit[] {
  const received: Edit[] = [];
  const due: Edit[] = [];
  for (const edit of inOrderOfReceipt(edits)) {
    const before = statusAfter(received, edit.stop);
    received.push(edit);
    const isOnRoute = edit.stop > 0 && edit.stop < WAREHOUSE && !isOfSecondRoute(edit.stop);
    if (isOnRoute && before !== 'D' && statusAfter(received, edit.stop) === 'D') due.push(edit);
  }
  return due;
}

const inOrderOfReceipt = (edits: readonly Edit[]): Edit[] =>
  edits.toSorted((a, b) => a.receivedAt - b.receivedAt || a.version - b.version);

const byEditTime = (edits: readonly Edit[], stop: number): Edit[] =>
  edits.filter((edit) => edit.stop === stop).toSorted((a, b) => a.editTime - b.editTime);

const statusAfter = (edits: readonly Edit[], stop: number): string | undefined =>
  latestOf(byEditTime(edits, stop).map(({ values }) => ({ values: values ?? {} }))).status;

/** Edits of the same millisecond came before the mail or after it. @param edits in the order of receipts */
function wrongContent(mail: Mail, stop: number, edits: readonly Edit[]): string[] {
  const [before, until] = [edits.filter((edit) => edit.receivedAt < mail.at).length, edits.length];
  let wrong: string[] = [];
  for (let n = until; n >= before; n--) {
    const last = edits[n - 1];
    if (last && last.receivedAt > mail.at) continue;
    wrong = wrongParts(mail, stop, byEditTime(edits.slice(0, n), stop));
    if (wrong.length === 0) return [];
  }
  return wrong;
}

/** @param known the edits of the stop that the server had, by edit time */
function wrongParts({ messageId, source }: Mail, stop: number, known: readonly Edit[]): string[] {
  const { status, driver_comments, delivered, returned } = latestOf(
    known.map(({ values }) => ({ values: values ?? {} })),
  );
  const parts = [
    `Market ${stop}`,
    ...(driver_comments === undefined ? [] : [driver_comments]),
    ...(delivered === undefined ? [] : [`delivered ${delivered}`]),
    ...(returned ? [`returned ${returned}`] : []),
  ];
  const isDelivered = status === 'D';
  const deliverer = known.findLast(({ values }) => values?.status === 'D')?.employee;
  if (isDelivered) parts.push(`Driver ${deliverer}`);
  const wrong = parts.flatMap((part) =>
    source.includes(part) ? [] : [`${messageId} of stop ${stop} lacks "${part}"`],
  );
  const endedAt = known.findLast(({ values }) => values?.end_delivery_time !== undefined)?.endedAt;
  if (!isDelivered || endedAt === undefined) return wrong;
  const ends = [endedAt - TOLERANCE_MS, endedAt, endedAt + TOLERANCE_MS].map(minuteOf);
  return ends.some((end) => source.includes(`Delivered on ${end}`))
    ? wrong
    : [...wrong, `${messageId} of stop ${stop} lacks the end ${ends.join(' or ')}`];
}

/** As people at the facility write a minute. */
function minuteOf(at: number): string {
  const local = new Date(at - FACILITY_BEHIND_MS);
  const [hour, minute] = [local.getUTCHours(), String(local.getUTCMinutes()).padStart(2, '0')];
  const day = `${DAYS[local.getUTCDay()]}, ${MONTHS[local.getUTCMonth()]} ${local.getUTCDate()}`;
  return `${day}, ${local.getUTCFullYear()}, ${hour % 12 || 12}:${minute} ${hour < 12 ? 'AM' : 'PM'}`;
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
