import type { Db, Queryable, Tx } from '../db/types.ts';
import type { Passwords } from './passwords.ts';

/**
 * A text message to the phone on file of an employee. The worker looks up number and text when it sends the message.
 */
export interface TextMessage {
  readonly kind: 'signed_up' | 'one_time_password';
  readonly employee: string;
  /** ISO 8601. */
  readonly asked_at: string;
}

/** Dependencies of the auth slice. */
export interface AuthDeps {
  readonly db: Db;
  readonly inTransaction: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  readonly passwords: Passwords;
  readonly now: () => Date;
  /** Wakes the worker for a changed user or sign-in; both replicate separately. */
  readonly wakeReplication: (tx: Tx) => Promise<void>;
  /** Queues a message. Inside a transaction it is sent if that commits. */
  readonly queueMessage: (db: Queryable, message: TextMessage) => Promise<void>;
}
