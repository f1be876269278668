import type { HttpStack } from 'tus-js-client';
import { backoffMs } from '../connection/machine.ts';
import { messageOf } from '../errors.ts';
import type { UploadPort } from './port.ts';
import type { KeptFile } from './file-store.ts';
import type { Outcome } from './send-file.ts';
import { sendFile } from './send-file.ts';
import type { Shelf } from './shelf.ts';
import { Vanished } from './shelf.ts';

export interface LoopOptions {
  readonly shelf: Shelf;
  readonly port: UploadPort;
  readonly chunkBytes: number;
  readonly httpStack: HttpStack | undefined;
  readonly keepMs: number;
  /** Told how much of a file is sent; undefined where none is under way. */
  readonly progress: (file: KeptFile | undefined, bytes: number) => void;
}

/** How long bytes stand back for changes that are on their way: a server that cannot take those still takes these. */
const standBackMs = 10_000;

/**
 * Sends what waits, one file after the other: on a bad link two would only share it, and both be late. A file that fails
 * rests, longer and longer, while the others have their turn (field case 8).
 */
export class UploadLoop {
  readonly #options: LoopOptions;
  readonly #stopping = new AbortController();
  /** Until when a file rests, by the monotonic clock, and how often it failed in a row. */
  readonly #resting = new Map<string, { readonly until: number; readonly failures: number }>();
  /** What opened no door. */
  readonly #denied = new Set<string>();
  /** Files of which this run of the app has sent something. */
  readonly #fresh = new Set<string>();
  #running: Promise<void> | undefined;
  #asked = false;
  #stopTimer: () => void = () => {};

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /** A file of which nobody has sent anything. */
  added(file: KeptFile): void {
    this.#fresh.add(file.id);
    this.pump();
  }

  /** Somebody or something has come back: nobody rests, and whoever turned us away is asked again (a hotel's gate?). */
  wake(): void {
    this.#resting.clear();
    this.#denied.clear();
    this.pump();
  }

  pump(): void {
    this.#asked = true;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#stopTimer();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { port, progress } = this.#options;
    // A turn of the queue: `#running` is set by then, whatever happens.
    await Promise.resolve();
    while (this.#asked && !this.#stopping.signal.aborted) {
      this.#asked = false;
      try {
        await this.#tidy();
        for (let file = this.#next(); file; file = this.#next()) {
          await this.#standBack();
          if (this.#stopping.signal.aborted) return;
          await this.#send(file);
          progress(undefined, 0);
        }
      } catch (error) {
        // Storage that fails: what is there stays there.
        port.trouble('FILES', messageOf(error));
      }
    }
    this.#comeBack();
  }

  /** A restored server may have lost what it had; what it has for long is let go of. */
  async #tidy(): Promise<void> {
    const { shelf, port, keepMs } = this.#options;
    const epoch = port.epoch();
    const now = port.environment.clock.now();
    await shelf.forget((since) => now - since > keepMs);
    if (epoch === undefined) return;
    for (const file of [...shelf.files])
      if (file.state.at === 'here' && file.state.epoch !== epoch) await shelf.move(file, { at: 'saved' });
  }

  #next(): KeptFile | undefined {
    const { shelf, port } = this.#options;
    const now = port.environment.clock.monotonic();
    return shelf.waiting.find((file) => this.#toShow(file) && (this.#resting.get(file.id)?.until ?? 0) <= now);
  }

  /** The best of what there is to show for its driver that was not turned away. */
  #toShow({ employee }: KeptFile): Readonly<Record<string, string>> | undefined {
    return this.#options.port.credentials(employee).find((shown) => !this.#denied.has(JSON.stringify(shown)));
  }

  /** Changes first: they are small, and the office waits for them. */
  async #standBack(): Promise<void> {
    const { status, environment } = this.#options.port;
    const isBusy = (): boolean =>
      status.current.connection === 'online' && Object.values(status.current.pending).some((count) => count > 0);
    if (!isBusy()) return;
    await new Promise<void>((resolve) => {
      const over = (): void => {
        stopTimer();
        stopWatch();
        resolve();
      };
      const stopTimer = environment.clock.after(standBackMs, over);
      const stopWatch = status.subscribe(() => {
        if (!isBusy()) over();
      });
      this.#stopping.signal.addEventListener('abort', over, { once: true });
    });
  }

  async #send(file: KeptFile): Promise<void> {
    const { shelf, port, chunkBytes, httpStack, progress } = this.#options;
    const headers = this.#toShow(file);
    if (!headers) return;
    try {
      const bytes = await shelf.bytesOf(file);
      const outcome = await sendFile({
        file,
        bytes,
        endpoint: `${port.url}/api/sync/uploads`,
        headers,
        isNew: this.#fresh.delete(file.id),
        chunkBytes,
        httpStack,
        signal: this.#stopping.signal,
        progress: (sent) => progress(file, sent),
      });
      await this.#settle(file, outcome, JSON.stringify(headers));
    } catch (error) {
      if (!(error instanceof Vanished)) throw error;
      // Said once, to somebody who can still take the photo again; sent again and again it would never be (field case 3).
      await shelf.move(file, { at: 'failed', code: 'VANISHED', reason: error.message });
    }
  }

  async #settle(file: KeptFile, outcome: Outcome, shown: string): Promise<void> {
    const { shelf, port } = this.#options;
    const { clock, random } = port.environment;
    switch (outcome.is) {
      case 'here':
        this.#resting.delete(file.id);
        return shelf.move(file, { at: 'here', epoch: outcome.epoch ?? port.epoch() ?? null, since: clock.now() });
      case 'refused':
        return shelf.move(file, { at: 'failed', code: 'REFUSED', reason: outcome.reason });
      case 'denied':
        this.#denied.add(shown);
        return;
      case 'later': {
        if (this.#stopping.signal.aborted) return;
        // A link that brings some of it each time is a good link.
        const failures = outcome.moved ? 0 : (this.#resting.get(file.id)?.failures ?? 0) + 1;
        const until = clock.monotonic() + backoffMs(failures, port.timing, random.fraction());
        this.#resting.set(file.id, { until, failures });
        if (!outcome.offline) port.trouble('UPLOAD', outcome.reason);
      }
    }
  }

  /** Where files rest, the first of them wakes us. */
  #comeBack(): void {
    const { shelf, port } = this.#options;
    const { clock } = port.environment;
    const ends = shelf.waiting.flatMap(({ id }) => this.#resting.get(id)?.until ?? []);
    this.#stopTimer();
    if (ends.length === 0 || this.#stopping.signal.aborted) return;
    this.#stopTimer = clock.after(Math.max(Math.min(...ends) - clock.monotonic(), 0) + 1, () => this.pump());
  }
}
