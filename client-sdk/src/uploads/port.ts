import type { WaitingFiles } from '@tailgate/sync-protocol';
import type { UploadDeps } from '../upload-port.ts';

/** The client's functions for uploads. */
export type UploadPort = ReturnType<typeof openPort>;

export function openPort({ url, environment, timing, time, accounts, outbox, engine }: UploadDeps) {
  return {
    url,
    environment,
    timing,
    time,
    status: engine.status,
    epoch: () => engine.epoch,
    waiting: (files: Readonly<Record<string, number>>) => engine.filesWait(files),
    /** Reports a driver's waiting files to the office from now on. */
    reportFiles: (files: (employee: string) => WaitingFiles) => void (engine.files = files),
    /** Reports whether uploads make progress at this moment. */
    bytesPass: (pass: boolean) => engine.bytesPass(pass),
    trouble: (code: string, message: string) => engine.trouble(code, message),
    /**
     * Credentials for the server in this driver's name, as headers: the best first. A token may have ended without
     * notice, or its driver may have signed out. The key of the queue then still sends the captured files (protocol.md,
     * Files).
     */
    credentials(employee_id: string): readonly Readonly<Record<string, string>>[] {
      const api_token = accounts.find(employee_id)?.token;
      const keys = [...outbox.queues].flatMap(({ head: { employee, client_id, queue_key } }) =>
        employee === employee_id && queue_key !== null ? [{ employee_id, client_id, queue_key }] : [],
      );
      return api_token ? [{ employee_id, api_token }, ...keys] : keys;
    },
  };
}
