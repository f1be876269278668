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
  const wrong: string[] = [];
  const shown = [...new Set(mailbox.mails.map(({ messageId }) => messageId))];
  const editOf = new Map(edits.map((edit) => [messageIdOf(edit), edit]));
  for (const stop of [...new Set(edits.map((edit) => edit.stop))].filter(isNamedInMails)) {
    const sent = shown.filter((id) => editOf.get(id)?.stop === stop);
    const possible = ordersOf(edits.filter((edit) => edit.stop === stop)).map((order) =>
      deliveriesIn(order).map(messageIdOf),
    );
    if (!possible.some((due) => isDeepStrictEqual(sent.toSorted(), due.toSorted())))
      wrong.push(
        `mails of stop ${stop} were sent for ${sent.join(' ')}, and due for ${possible.map((due) => due.join(' ')).join(', or ')}`,
      );
  }
  if (mailbox.mails.length - shown.length > mailbox.interruptions)
    wrong.push(`${mailbox.mails.length} mails have ${shown.length} ids after ${mailbox.interruptions} interruptions`);
  for (const mail of mailbox.mails) {
    const { messageId, date, recipients } = mail;
    if (!isDeepStrictEqual(recipients, [addressOf(seed)])) wrong.push(`${messageId} went to ${recipients.join()}`);
    if (mailbox.mails.some((other) => other.messageId === messageId && other.date !== date))
      wrong.push(`${messageId} was sent with two dates`);
    const stop = editOf.get(messageId)?.stop;
    if (stop === undefined || !isNamedInMails(stop)) wrong.push(`${messageId} belongs to no edit of the first route`);
    else wrong.push(...wrongParts(mail, stop, knownAt(edits, stop, mail.version)));
  }
  return wrong;
}

const messageIdOf = ({ id }: Edit): string => `<${id}@depot.example>`;

/** Stop 999 and the second route have no mails. */
const isNamedInMails = (stop: number): boolean => stop > 0 && stop < WAREHOUSE && !isOfSecondRoute(stop);

/**
 * The orders in which the server may have applied the edits of a stop. An edit that waits for the route's lock may have a
 * later version than one that was received after it. Changes of one batch share a version, in the order of their arrival.
 * The model does not know that order for pushes with one receipt; each push stays in the order of its queue.
 */
function ordersOf(edits: readonly Edit[]): Edit[][] {
  const ordered = edits.toSorted((a, b) => a.version - b.version || a.receivedAt - b.receivedAt);
  const batches = Map.groupBy(ordered, ({ version, receivedAt }) => `${version} ${receivedAt}`);
  return [...batches.values()].reduce<Edit[][]>(
    (orders, batch) => {
      const pushes = [...Map.groupBy(batch, ({ clientId, id }) => clientId ?? id).values()];
      return orders.flatMap((order) => permutationsOf(pushes).map((permuted) => [...order, ...permuted.flat()]));
    },
    [[]],
  );
}

const permutationsOf = <Item>(items: readonly Item[]): Item[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((first) => permutationsOf(items.filter((item) => item !== first)).map((rest) => [first, ...rest]));

/** The edits that brought the stop to `D`. @param order all edits of the stop */
const deliveriesIn = (order: readonly Edit[]): Edit[] => {
  const isDelivered = (count: number): boolean => valuesAfter(byEditTime(order.slice(0, count))).status === 'D';
  return order.filter((_, n) => isDelivered(n + 1) && !isDelivered(n));
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
