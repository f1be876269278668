import type { Log } from '../../runtime/log.ts';
import { Doorbell } from '../../host/reads/doorbell.ts';
import { HostError, type Host } from '../../host/host.ts';

/** A night's load of a large host; one sweep must not hold up a stop of the service. */
const LINES_A_SWEEP = 50_000;
/** Without triggers there need be no file for them to write to. */
const NO_SUCH_FILE = '42704';

/**
 * A host whose changes are polled may have the triggers all the same, as where they were installed before they turned out
 * to be trouble. Nobody reads their lines then, and PODCHGP would grow for ever: they are deleted, and that is told once.
 * Nothing is lost by it, also where somebody goes back to the doorbell: its first look compares everything.
 */
export class UnheardDoorbell {
  readonly #doorbell: Doorbell;
  readonly #log: Log;
  #told = false;

  constructor({ host, log }: { readonly host: Host; readonly log: Log }) {
    this.#doorbell = new Doorbell(host);
    this.#log = log;
  }

  /** @throws HostError where the host refuses it; one that is away is asked again the next time, and others tell that */
  async clear(): Promise<void> {
    const lines = await this.#doorbell.clear(LINES_A_SWEEP).catch((error: unknown) => {
      if (error instanceof HostError && (error.kind === 'passing' || error.sqlstate === NO_SUCH_FILE)) return 0;
      throw error;
    });
    if (lines === 0 || this.#told) return;
    this.#told = true;
    this.#log.warn(
      { lines },
      'HOST_CHANGES=polling, but the host has triggers that ring the doorbell: drop them, or set HOST_CHANGES=doorbell. ' +
        'What they write to PODCHGP is deleted unread',
    );
  }
}
