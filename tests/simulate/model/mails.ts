import { isDeepStrictEqual } from 'node:util';
import { latestOf, type StopValues } from './diary.ts';
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
  /** The version of the route when the mail was sent. */
  readonly version: number;
}

/**
 * The mails of the deliveries: each transition to `D` in the order of the route's versions has one Message-ID, which no
 * other mail has. A mail comes again only after an interruption, unchanged. It shows the stop as it was when it was sent.
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
    if (stop !== undefined) wrong.push(...wrongParts(mail, stop, knownAt(edits, stop, mail.version)));
  }
  return wrong;
}

/**
 * The edits that brought a stop of the first route to `D`. Stop 999 has no mail. An edit that waits for the route's lock
 * may have a later version than one that was received after it.
 */
const deliveriesIn = (edits: readonly Edit[]): Edit[] => {
  // Changes of one batch share a version, in the order of their arrival. The sort is stable: a push stays in the order of its queue.
  const ordered = edits
    .filter(({ stop }) => stop > 0 && stop < WAREHOUSE && !isOfSecondRoute(stop))
    .toSorted((a, b) => a.version - b.version || a.receivedAt - b.receivedAt);
  const isDelivered = (count: number, stop: number): boolean =>
    valuesAfter(byEditTime(ordered.slice(0, count).filter((edit) => edit.stop === stop))).status === 'D';
  return ordered.filter(({ stop }, n) => isDelivered(n + 1, stop) && !isDelivered(n, stop));
};

const valuesAfter = (edits: readonly Edit[]): StopValues =>
  latestOf(edits.map(({ values }) => ({ values: values ?? {} })));

const byEditTime = (edits: readonly Edit[]): Edit[] => edits.toSorted((a, b) => a.editTime - b.editTime);

/** The edits of a stop up to a version of its route, by edit time; equal times in the order of `readEdits`. */
const knownAt = (edits: readonly Edit[], stop: number, version: number): Edit[] =>
  byEditTime(edits.filter((edit) => edit.stop === stop && edit.version <= version));

/** @param known the edits of the stop that the server had, by edit time */
function wrongParts({ messageId, source }: Mail, stop: number, known: readonly Edit[]): string[] {
  const { status, driver_comments, skip_refuse_driver_comment, delivered, returned } = valuesAfter(known);
  const isSkipped = status === 'S' || status === 'R';
  const comment = (isSkipped ? skip_refuse_driver_comment : undefined) ?? driver_comments;
  const parts = [
    `Market ${stop}`,
    ...(comment === undefined ? [] : [comment]),
    ...(delivered === undefined ? [] : [`delivered ${delivered}`]),
    ...(returned ? [`returned ${returned}`] : []),
  ];
  const deliverer = known.findLast(({ values }) => values?.status === 'D')?.employee;
  if (status === 'D') parts.push(`Driver ${deliverer}`);
  const wrong = parts.flatMap((part) =>
    source.includes(part) ? [] : [`${messageId} of stop ${stop} lacks "${part}"`],
  );
  const endedAt = known.findLast(({ values }) => values?.end_delivery_time !== undefined)?.endedAt;
  if (status !== 'D' || endedAt === undefined) return wrong;
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
