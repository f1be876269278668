import type { Timing } from './connection/machine.ts';
import type { Environment } from './platform/environment.ts';
import type { Status } from './engine/status.ts';
import type { Watch } from './platform/watch.ts';

/** What the files of an app need of the client beside them: `uploads/` is a door of its own, and loaded by who needs it. */
export interface UploadDeps {
  readonly url: string;
  readonly environment: Environment;
  readonly timing: Timing;
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
    /** The life of the server's database; another one may have lost files. */
    readonly epoch: string | undefined;
    /** Tells the app's `status` how many files wait, by employee. */
    filesWait(files: Readonly<Record<string, number>>): void;
    /** Bytes of a file pass, or pass no longer: where they pass, a socket is worth a try. */
    bytesPass(pass: boolean): void;
    /** Tells the app's `status` what went wrong. */
    trouble(code: string, message: string): void;
  };
}

/** Something that lives beside a client: it starts once the client does, and ends before it. */
export interface UploadsPart {
  /** Who works with the device, in every page. */
  serve(driver: Watch<{ readonly employeeId: string } | undefined>): void;
  /** In the page that runs the client, and sends. */
  start(client: UploadDeps): void;
  stop(): Promise<void>;
  /** The network, or the person, may have come back. */
  wake(): void;
  /** The disk is full: lets go of files that the server has; resolves with whether there were any. */
  makeRoom(): Promise<boolean>;
}
