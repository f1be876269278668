import type { Queryable, Tx } from '../db/types.ts';
import type { Passwords } from './passwords.ts';

/** A text message to the phone on file of an employee. Neither number nor text: both are looked up when it is sent. */
export interface TextMessage {
  readonly kind: 'signed_up' | 'one_time_password';
  readonly employee: string;
  /** ISO 8601. */
  readonly asked_at: string;
}

/** What the auth slice stands on. */
export interface AuthDeps {
  readonly db: Queryable;
  readonly inTransaction: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  readonly passwords: Passwords;
  readonly now: () => Date;
  /** Says that a user or a sign-in has changed, which the host is told on its own. */
  readonly wakeHost: (tx: Tx) => Promise<void>;
  /** Queues a message; inside a transaction it goes out if that commits. */
  readonly tell: (db: Queryable, message: TextMessage) => Promise<void>;
}
