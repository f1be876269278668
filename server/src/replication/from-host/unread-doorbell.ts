import type { Log } from '../../runtime/log.ts';
import { Doorbell } from '../../host/reads/doorbell.ts';
import { HostError, type Host } from '../../host/host.ts';

/** A night's load of a large host; one sweep must not delay a stop of the service. */
const LINES_A_SWEEP = 50_000;
/** Without triggers the host may lack the file that they write to. */
const NO_SUCH_FILE = '42704';

/**
 * A polled host may have the triggers all the same, for instance from before they caused trouble. No importer reads
 * their lines, and the doorbell would grow without limit: each sweep deletes them, and a warning reports it once. Nothing is
 * lost, also after a return to the doorbell: its first poll compares everything.
 */
export class UnreadDoorbell {
  readonly #doorbell: Doorbell;
  readonly #log: Log;
  #isReported = false;

  constructor({ host, log }: { readonly host: Host; readonly log: Log }) {
    this.#doorbell = new Doorbell(host);
    this.#log = log;
  }

  /**
   * @throws HostError where the host refuses; a host that is away is skipped until the next sweep, and reported
   * elsewhere
   */
  async clear(): Promise<void> {
    const lines = await this.#doorbell.clear(LINES_A_SWEEP).catch((error: unknown) => {
      if (error instanceof HostError && (error.kind === 'passing' || error.sqlstate === NO_SUCH_FILE)) return 0;
      throw error;
    });
    if (lines === 0 || this.#isReported) return;
    this.#isReported = true;
    this.#log.warn(
      { lines },
      'HOST_CHANGES=polling, but the host has triggers that ring the doorbell: drop them, or set HOST_CHANGES=doorbell. ' +
        'The service deletes their lines in its doorbell unread',
    );
  }
}
