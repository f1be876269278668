import { createHash, randomInt } from 'node:crypto';
import type { Tx } from '../db/types.ts';
import type { HostMode } from '../modes/host-mode.ts';
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
 * Eight bits of a password. They show a sign-in which of two hashes to check, but for one password in 256. If it
 * checked both, its duration would reveal a pending one-time password.
 */
export const markOf = (password: string): number => createHash('sha256').update(password).digest()[0] ?? 0;

/**
 * Requests a one-time password. It looks up no employee: the queue receives the id, known or unknown, and the worker
 * looks it up. So neither the answer nor its duration shows who is registered (contract §2).
 */
export async function requestCode(
  { db, queueMessage, now }: Pick<AuthDeps, 'db' | 'queueMessage' | 'now'>,
  employee: string,
): Promise<void> {
  await queueMessage(db, { kind: 'one_time_password', employee, asked_at: now().toISOString() });
}

export interface MessageDeps extends Pick<AuthDeps, 'inTransaction' | 'passwords' | 'now'> {
  /** The budget of messages to all drivers. Above it the service sends no codes, and notices wait. */
  readonly messagesAnHour: number;
  /** The recipient of messages to drivers of facilities that are not live; `driver`: the driver; undefined: none. */
  readonly shadowTo?: string | undefined;
}

export type ReadyMessage =
  /** `code` only for a one-time password. */
  | { readonly kind: 'send'; readonly phone: string; readonly code: string | undefined }
  /** No registered employee with a phone has that id, or the driver's budget is used up. */
  | { readonly kind: 'nothing' }
  /** The driver's facility is not live. */
  | { readonly kind: 'held' }
  | { readonly kind: 'budget_spent' };

/**
 * Prepares a message right before it is sent. It creates a one-time password here and stores only its hash: no table,
 * queue or backup has it in plain. A message that is sent again (the same `id`) gets another one-time password, which
 * replaces the former one. It counts once.
 *
 * The hash is computed before the employee is looked up. A hash delays this node's sign-ins by some milliseconds, and
 * without it an unknown id would cause no delay.
 */
export async function prepareMessage(deps: MessageDeps, id: string, message: TextMessage): Promise<ReadyMessage> {
  const { kind, employee } = message;
  // The request is old, and the driver no longer expects a message.
  if (kind === 'one_time_password' && deps.now().getTime() - Date.parse(message.asked_at) > codeLifeMs)
    return { kind: 'nothing' };
  const code = kind === 'one_time_password' ? newCode() : undefined;
  const hash = code === undefined ? undefined : await deps.passwords.hash(code);
  return deps.inTransaction(async (tx) => {
    const now = deps.now();
    const recipient = await findPhone(tx, employee);
    if (!recipient?.registered) return { kind: 'nothing' };
    const phone = recipient.mode === 'live' || deps.shadowTo === 'driver' ? recipient.phone : deps.shadowTo;
    if (phone === undefined) return { kind: 'held' };
    const sent = await countSends(tx, id, employee, now);
    if (!sent.again && hash !== undefined && !mayReset(sent.codes, now)) return { kind: 'nothing' };
    if (!sent.again && sent.total >= deps.messagesAnHour) return { kind: 'budget_spent' };
    if (code !== undefined)
      await tx.query(saveCode, [employee, hash, markOf(code), new Date(now.getTime() + codeLifeMs)]);
    await tx.query(saveSend, [id, kind, employee, now]);
    return { kind: 'send', phone, code };
  });
}

async function findPhone(tx: Tx, employee: string) {
  const { rows } = await tx.query<{ phone: string; registered: boolean; mode: HostMode }>(findRecipient, [employee]);
  return rows[0];
}

interface SentCounts {
  /** This message has been counted. */
  readonly again: boolean;
  /** The times of one-time passwords sent to this driver within a day. */
  readonly codes: readonly Date[];
  /** All messages within an hour. */
  readonly total: number;
}

/** Only one transaction counts at a time. Of two nodes, only one can take the last message of the budget. */
async function countSends(tx: Tx, id: string, employee: string, now: Date): Promise<SentCounts> {
  await tx.query(lockBudgets, [budgetLock]);
  const { rows } = await tx.query<SentCounts & Record<string, unknown>>(readSends, [id, employee, now]);
  const [sends] = rows;
  if (!sends) throw new Error('the statement readSends always answers one row');
  return sends;
}

/** Class of our advisory locks; "sms " in ASCII. */
const budgetLock = 0x736d7320;
