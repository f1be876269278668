import type { Credentials, QueueConnection } from './queue-connection.ts';
import type { State } from '../connection/machine.ts';
import type { Queue } from '../queue/queue.ts';

/** The state of this device towards the server, for a status line. */
export interface Status {
  readonly connection: ConnectionStatus;
  /**
   * When this device lost its connection (ms since 1970, by its clock); undefined while `connection` is `online`. After
   * a restart without a network it is the time of the loss before, where the earlier run saw it.
   */
  readonly offlineSince: number | undefined;
  /** The signed-in driver. */
  readonly employeeId: string | undefined;
  /** Names of the drivers who have used this device, by employee. */
  readonly names: Readonly<Record<string, string>>;
  /** Changes that are in memory only: their writes are in progress, or wait for a full disk. */
  readonly unsaved: number;
  /** Changes without an answer from the server, by employee; employees without any are absent. */
  readonly pending: Readonly<Record<string, number>>;
  /** The part of `pending` that no token and no queue key on this device can send: its driver has to sign in once. */
  readonly awaitsSignIn: Readonly<Record<string, number>>;
  /**
   * The part of `pending` that the server refuses, because an operator revoked its queue: no sign-in sends it. The
   * office has to look at this device.
   */
  readonly refused: Readonly<Record<string, number>>;
  /** Stop changes that the server has and the back office cannot read yet, by employee; includes those under review. */
  readonly unhosted: Readonly<Record<string, number>>;
  /** Files that the server does not have, by employee. */
  readonly uploading: Readonly<Record<string, number>>;
  /** When the oldest pending change was recorded, by this device's clock (ms since 1970). */
  readonly oldestPendingAt: number | undefined;
  /**
   * How far this device's clock is ahead of the server's (ms, negative where it is behind); undefined until measured.
   */
  readonly clockAheadMs: number | undefined;
  /** The latest fault; it may be over. */
  readonly lastError: Trouble | undefined;
  /** `failing`: the last write failed; its rows remain in memory, and the SDK tries again. */
  readonly storage: 'ok' | 'failing';
}

/**
 * `signed_out`: no driver is signed in, or the server ended the session. `refused`: the server rejected the driver's
 * queue; `lastError` gives the reason. `update_needed`: app and server have no protocol version in common, so one of
 * them needs an update. In every state, recorded changes remain stored and the SDK asks the server again later.
 */
export type ConnectionStatus = 'online' | 'connecting' | 'offline' | 'signed_out' | 'refused' | 'update_needed';

/** A fault, for a status line and for support. */
export interface Trouble {
  readonly code: string;
  readonly message: string;
  /** ms since 1970 by this device's clock. */
  readonly at: number;
}

/**
 * @param token of the signed-in driver
 * @param bytesPass a file is being sent: the network works
 */
export const connectionStatus = (
  token: string | null | undefined,
  state: State | undefined,
  bytesPass: boolean,
): ConnectionStatus =>
  token ? ((state && statusByState[state.at]) ?? (bytesPass ? 'connecting' : 'offline')) : 'signed_out';

const statusByState: Partial<Record<State['at'], ConnectionStatus>> = {
  live: 'online',
  opening: 'connecting',
  greeting: 'connecting',
  barred: 'refused',
  outdated: 'update_needed',
};

/**
 * @param connections one for each queue
 * @param credentials returns the available credentials of a queue
 */
export function pendingOf(
  connections: readonly Pick<QueueConnection, 'queue' | 'state'>[],
  credentials: (queue: Queue) => Credentials | undefined,
): Pick<Status, 'pending' | 'awaitsSignIn' | 'refused' | 'unhosted' | 'oldestPendingAt'> {
  const pending: Record<string, number> = {};
  const awaitsSignIn: Record<string, number> = {};
  const refused: Record<string, number> = {};
  const unhosted: Record<string, number> = {};
  let oldestPendingAt: number | undefined;
  for (const { queue, state } of connections) {
    const { head, waiting, answered, oldest: since } = queue;
    count(unhosted, head.employee, answered.size);
    count(pending, head.employee, waiting.size);
    if (!credentials(queue)) count(awaitsSignIn, head.employee, waiting.size);
    else if (state.at === 'barred') count(refused, head.employee, waiting.size);
    if (since !== null) oldestPendingAt = Math.min(oldestPendingAt ?? Infinity, Date.parse(since));
  }
  return { pending, awaitsSignIn, refused, unhosted, oldestPendingAt };
}

/** A status with further changes that are in memory only. @param employees of these changes */
export function withUnsaved(status: Status, employees: readonly string[]): Status {
  const pending = { ...status.pending };
  for (const employee of employees) count(pending, employee, 1);
  return { ...status, pending, unsaved: status.unsaved + employees.length };
}

/** Employees without any are absent. */
function count(by: Record<string, number>, employee: string, more: number): void {
  if (more > 0) by[employee] = (by[employee] ?? 0) + more;
}

/** Whether this device can send a change now. */
export const hasSendable = ({ pending, awaitsSignIn, refused }: Status): boolean =>
  Object.entries(pending).some(([employee, n]) => n > (awaitsSignIn[employee] ?? 0) + (refused[employee] ?? 0));

/** Whether the server has every change and every file of the signed-in driver; without one, of all drivers. */
export const canSignOut = ({ employeeId, pending, uploading }: Status): boolean =>
  isDone(pending, employeeId) && isDone(uploading, employeeId);

/** `canSignOut`, and the back office can read all of the changes, or they are of a shadow. */
export const dayComplete = (status: Status): boolean =>
  canSignOut(status) && isDone(status.unhosted, status.employeeId);

const isDone = (left: Readonly<Record<string, number>>, employee: string | undefined): boolean =>
  employee === undefined ? Object.keys(left).length === 0 : !Object.hasOwn(left, employee);

/** Before anything is known. */
export const unknownStatus: Status = {
  connection: 'connecting',
  offlineSince: undefined,
  employeeId: undefined,
  names: {},
  unsaved: 0,
  pending: {},
  awaitsSignIn: {},
  refused: {},
  unhosted: {},
  uploading: {},
  oldestPendingAt: undefined,
  clockAheadMs: undefined,
  lastError: undefined,
  storage: 'ok',
};
