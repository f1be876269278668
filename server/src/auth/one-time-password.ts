import { createHash, randomInt } from 'node:crypto';
import type { Tx } from '../db/types.ts';
import type { AuthDeps, TextMessage } from './deps.ts';
import { findRecipient, lockBudgets, readSends, saveCode, saveSend } from './message-sql.ts';
import { codeLifeMs, mayReset } from './rules.ts';

/** Contract §2: `A-Z2-9`. Eight of 34 characters are 40 bits, of which five may be guessed. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ23456789';
const codeLength = 8;

/** A one-time password, each character drawn evenly from the system's secure source. */
const newCode = (): string =>
  Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(alphabet.length))).join('');

/**
 * Eight bits of a password. By them a sign-in knows, but for one in 256, against which of two hashes it has to hold a
 * password: if it tried both where a one-time password is pending, a stopwatch would tell strangers that there is one.
 */
export const markOf = (password: string): number => createHash('sha256').update(password).digest()[0] ?? 0;

/**
 * Asks for a one-time password. Nobody is looked for: the queue is given the id, known or not, and whoever takes it out
 * finds out. So neither an answer's words nor its time tell who is registered (contract §2).
 */
export async function askForCode(
  { db, tell, now }: Pick<AuthDeps, 'db' | 'tell' | 'now'>,
  employee: string,
): Promise<void> {
  await tell(db, { kind: 'one_time_password', employee, asked_at: now().toISOString() });
}

export interface MessageDeps extends Pick<AuthDeps, 'inTransaction' | 'passwords' | 'now'> {
  /** Messages to all drivers together; codes past them are not sent, notices wait. */
  readonly messagesAnHour: number;
}

export type ReadyMessage =
  /** `code` only where the message brings a one-time password. */
  | { readonly kind: 'send'; readonly phone: string; readonly code: string | undefined }
  /** Nobody of that id is registered and has a phone, or the driver has had as many as there may be. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'budget_spent' };

/**
 * Makes a message ready right before it is sent. A one-time password is made here, and only its hash is kept: in plain
 * it stands in no table, no queue and no backup. Sent again (the same `id`), a message brings another one-time password
 * and the one before ends; it is counted once.
 *
 * The password is hashed before anybody is looked for: a hash keeps the sign-ins of this node waiting for some
 * milliseconds, and what no unknown id caused would be a sign of the known ones.
 */
export async function prepareMessage(deps: MessageDeps, id: string, message: TextMessage): Promise<ReadyMessage> {
  const { kind, employee } = message;
  // Asked for while nothing could be sent, and long ago: it would only puzzle.
  if (kind === 'one_time_password' && deps.now().getTime() - Date.parse(message.asked_at) > codeLifeMs)
    return { kind: 'nothing' };
  const code = kind === 'one_time_password' ? newCode() : undefined;
  const hash = code === undefined ? undefined : await deps.passwords.hash(code);
  return deps.inTransaction(async (tx) => {
    const now = deps.now();
    const recipient = await findPhone(tx, employee);
    if (!recipient?.registered) return { kind: 'nothing' };
    const sent = await countSends(tx, id, employee, now);
    if (!sent.again && hash !== undefined && !mayReset(sent.codes, now)) return { kind: 'nothing' };
    if (!sent.again && sent.total >= deps.messagesAnHour) return { kind: 'budget_spent' };
    if (code !== undefined)
      await tx.query(saveCode, [employee, hash, markOf(code), new Date(now.getTime() + codeLifeMs)]);
    await tx.query(saveSend, [id, kind, employee, now]);
    return { kind: 'send', phone: recipient.phone, code };
  });
}

async function findPhone(tx: Tx, employee: string) {
  const { rows } = await tx.query<{ phone: string; registered: boolean }>(findRecipient, [employee]);
  return rows[0];
}

interface Sends {
  /** This very message was counted before. */
  readonly again: boolean;
  /** When this driver was sent one-time passwords, within a day. */
  readonly codes: readonly Date[];
  /** Messages to anybody within an hour. */
  readonly total: number;
}

/** Whoever asks is alone until the transaction ends: of two nodes, only one finds the budget's last message free. */
async function countSends(tx: Tx, id: string, employee: string, now: Date): Promise<Sends> {
  await tx.query(lockBudgets, [budgetLock]);
  const { rows } = await tx.query<Sends & Record<string, unknown>>(readSends, [id, employee, now]);
  const [sends] = rows;
  if (!sends) throw new Error('the statement readSends always answers one row');
  return sends;
}

/** Class of our advisory locks; "sms " in ASCII. */
const budgetLock = 0x736d7320;
