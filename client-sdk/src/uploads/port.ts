import type { UploadDeps } from '../upload-port.ts';

/** What the files of an app ask and tell the client beside them. */
export type UploadPort = ReturnType<typeof openPort>;

export function openPort({ url, environment, timing, accounts, outbox, engine }: UploadDeps) {
  return {
    url,
    environment,
    timing,
    status: engine.status,
    epoch: () => engine.epoch,
    waiting: (files: Readonly<Record<string, number>>) => engine.filesWait(files),
    /** Whether bytes pass at this moment. */
    bytesPass: (pass: boolean) => engine.bytesPass(pass),
    trouble: (code: string, message: string) => engine.trouble(code, message),
    /**
     * What there is to show at the server in this driver's name, as headers: the best first. A token may have ended
     * without this device's knowledge, and a driver be put or signed out: what was captured is sent all the same, with the
     * key of the queue (protocol.md, Files).
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
