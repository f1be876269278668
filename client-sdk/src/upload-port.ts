import type { Timing } from './connection/machine.ts';
import type { Environment } from './platform/environment.ts';
import type { Status } from './engine/status.ts';
import type { WaitingFiles } from '@tailgate/sync-protocol';
import type { Watch } from './platform/watch.ts';

/** The part of the client that uploads use. `uploads/` is an entry of its own, which apps load on demand. */
export interface UploadDeps {
  readonly url: string;
  readonly environment: Environment;
  readonly timing: Timing;
  /** `stamp`: the present time (ms since 1970); `isSure`: the server's time is known. */
  readonly time: { readonly stamp: number; readonly isSure: boolean };
  readonly accounts: {
    find(employee: string): { readonly token: string | null } | undefined;
  };
  readonly outbox: {
    readonly queues: Iterable<{
      readonly head: { readonly client_id: string; readonly employee: string; readonly queue_key: string | null };
    }>;
  };
  readonly engine: {
    readonly status: Watch<Status>;
    /** The epoch of the server's database; a different one may have lost files. */
    readonly epoch: string | undefined;
    /** Sets the number of waiting files in the app's `status`, by employee. */
    filesWait(files: Readonly<Record<string, number>>): void;
    /** Returns a driver's waiting files, which hello and ping report to the office. */
    files?: (employee: string) => WaitingFiles;
    /** Reports whether uploads make progress: if so, a waiting socket may try at once. */
    bytesPass(pass: boolean): void;
    /** Records a fault in the app's `status`. */
    trouble(code: string, message: string): void;
  };
}

/** A part that runs with a client: it starts after the client, and stops before it. */
export interface UploadsPart {
  /** The signed-in driver, in every page. */
  serve(driver: Watch<{ readonly employeeId: string } | undefined>): void;
  /** Called in the page that runs the client, which sends. */
  start(client: UploadDeps): void;
  stop(): Promise<void>;
  /** The network or the driver may be back. */
  wake(): void;
  /** The disk is full: deletes files that the server has; resolves with whether there were any. */
  makeRoom(): Promise<boolean>;
}
