import type { Credentials } from './queue-connection.ts';
import type { State } from '../connection/machine.ts';
import type { Outbox } from '../queue/outbox.ts';
import type { Queue } from '../queue/queue.ts';

/** How this device stands to the server, for a status line. */
export interface Status {
  readonly connection: ConnectionStatus;
  /** Who works with this device. */
  readonly employeeId: string | undefined;
  /** Changes that the server has not answered, by employee; who has none is not listed. */
  readonly pending: Readonly<Record<string, number>>;
  /** Of `pending`, what no token and no queue key on this device can bring any more: its driver has to sign in once. */
  readonly awaitsSignIn: Readonly<Record<string, number>>;
  /** Changes of stops that the server has and the back office cannot read yet, by employee; what is under review, too. */
  readonly unhosted: Readonly<Record<string, number>>;
  /** Files that the server does not have, by employee. */
  readonly uploading: Readonly<Record<string, number>>;
  /** When the oldest pending change was recorded, by this device's clock (ms since 1970). */
  readonly oldestPendingAt: number | undefined;
  /** How far this device's clock is ahead of the server's (ms, negative where it is behind); undefined until measured. */
  readonly clockAheadMs: number | undefined;
  /** The last thing that went wrong; it may be over. */
  readonly lastError: Trouble | undefined;
  /** `failing`: the last write did not succeed; it is kept in memory and tried again. */
  readonly storage: 'ok' | 'failing';
}

/**
 * `signed_out`: nobody is signed in, or the server ended the session; `refused`: the server turned the signed-in
 * driver's queue away, `lastError` says why; `update_needed`: app and server have no version of the protocol in common, so
 * that one of them has to be brought up to date. What is recorded is kept, and the server asked again after a while.
 */
export type ConnectionStatus = 'online' | 'connecting' | 'offline' | 'signed_out' | 'refused' | 'update_needed';

/** Something that went wrong, for a status line and for support. */
export interface Trouble {
  readonly code: string;
  readonly message: string;
  /** ms since 1970 by this device's clock. */
  readonly at: number;
}

/**
 * @param token of the driver at work
 * @param bytesPass a file is on its way: there is a network
 */
export const connectionStatus = (
  token: string | null | undefined,
  state: State | undefined,
  bytesPass: boolean,
): ConnectionStatus => (token ? ((state && shown[state.at]) ?? (bytesPass ? 'connecting' : 'offline')) : 'signed_out');

const shown: Partial<Record<State['at'], ConnectionStatus>> = {
  live: 'online',
  opening: 'connecting',
  greeting: 'connecting',
  barred: 'refused',
  outdated: 'update_needed',
};

/** @param credentials what there is to show at the door for a queue */
export function pendingOf(
  outbox: Outbox,
  credentials: (queue: Queue) => Credentials | undefined,
): Pick<Status, 'pending' | 'awaitsSignIn' | 'unhosted' | 'oldestPendingAt'> {
  const pending: Record<string, number> = {};
  const awaitsSignIn: Record<string, number> = {};
  const unhosted: Record<string, number> = {};
  let oldestPendingAt: number | undefined;
  for (const queue of outbox.queues) {
    const { head, waiting, answered, oldest: since } = queue;
    count(unhosted, head.employee, answered.size);
    count(pending, head.employee, waiting.size);
    if (!credentials(queue)) count(awaitsSignIn, head.employee, waiting.size);
    if (since !== null) oldestPendingAt = Math.min(oldestPendingAt ?? Infinity, Date.parse(since));
  }
  return { pending, awaitsSignIn, unhosted, oldestPendingAt };
}

/** Who has none is not listed. */
function count(by: Record<string, number>, employee: string, more: number): void {
  if (more > 0) by[employee] = (by[employee] ?? 0) + more;
}

/** Whether the server has every change and every file of who works with the device; where nobody does, of everybody. */
export const canSignOut = ({ employeeId, pending, uploading }: Status): boolean =>
  isDone(pending, employeeId) && isDone(uploading, employeeId);

/** Whether that is so and the back office can read all of the changes. */
export const dayComplete = (status: Status): boolean =>
  canSignOut(status) && isDone(status.unhosted, status.employeeId);

const isDone = (left: Readonly<Record<string, number>>, employee: string | undefined): boolean =>
  employee === undefined ? Object.keys(left).length === 0 : !Object.hasOwn(left, employee);
