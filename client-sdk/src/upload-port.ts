import type { Timing } from './connection/machine.ts';
import type { Courier } from './courier.ts';
import type { Environment } from './environment.ts';
import type { Outbox } from './queue/outbox.ts';
import type { Accounts } from './session/accounts.ts';
import type { Status } from './status.ts';
import type { Watch } from './watch.ts';

/** What the files of an app need of the client beside them: `uploads/` is a door of its own, and loaded by who needs it. */
export interface UploadPort {
  readonly url: string;
  readonly environment: Environment;
  readonly timing: Timing;
  readonly status: Watch<Status>;
  /** Who works with the device. */
  employee(): string | undefined;
  /** What there is to show at the server in this driver's name, as headers: the best first. */
  credentials(employee: string): readonly Readonly<Record<string, string>>[];
  /** The life of the server's database; another one may have lost files. */
  epoch(): string | undefined;
  /** Tells the app's `status` how many files wait, by employee. */
  waiting(files: Readonly<Record<string, number>>): void;
  /** Tells the app's `status` what went wrong. */
  trouble(code: string, message: string): void;
}

/** Something that lives beside a client: it starts once the client does, and ends before it. */
export interface UploadsPart {
  start(port: UploadPort): void;
  stop(): Promise<void>;
  /** The network, or the person, may have come back. */
  wake(): void;
}

export interface PortGround {
  readonly url: string;
  readonly environment: Environment;
  readonly timing: Timing;
  readonly accounts: Accounts;
  readonly outbox: Outbox;
  readonly courier: Courier;
}

export function openUploadPort({ accounts, outbox, courier, ...ground }: PortGround): UploadPort {
  return {
    ...ground,
    status: courier.status,
    employee: () => accounts.employee,
    epoch: () => courier.epoch,
    waiting: (files) => courier.filesWait(files),
    trouble: (code, message) => courier.trouble(code, message),
    // A token may have ended without this device's knowledge, and a driver be put or signed out: what was captured is
    // sent all the same, with the key of the queue (sync.md, Identity).
    credentials: (employee_id) => {
      const api_token = accounts.find(employee_id)?.token;
      const keys = [...outbox.queues].flatMap(({ head: { employee, client_id, queue_key } }) =>
        employee === employee_id && queue_key !== null ? [{ employee_id, client_id, queue_key }] : [],
      );
      return api_token ? [{ employee_id, api_token }, ...keys] : keys;
    },
  };
}
