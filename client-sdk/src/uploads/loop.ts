import type { HttpStack } from 'tus-js-client';
import { backoffMs } from '../connection/machine.ts';
import { hasSendable } from '../engine/status.ts';
import { messageOf } from '../platform/errors.ts';
import type { UploadPort } from './port.ts';
import type { KeptFile } from './file-store.ts';
import type { Outcome } from './send-file.ts';
import type { FileRegistry } from './file-registry.ts';
import { BytesMissing } from './file-registry.ts';

export interface LoopOptions {
  readonly registry: FileRegistry;
  readonly port: UploadPort;
  readonly chunkBytes: number | undefined;
  readonly httpStack: HttpStack | undefined;
  readonly keepMs: number;
  /** Receives the sent bytes of the current file; undefined where no file is being sent. */
  readonly progress: (file: KeptFile | undefined, bytes: number) => void;
}

/** How long a file waits for changes in progress. A server that cannot accept changes may still accept files. */
const maxYieldMs = 10_000;

/**
 * An attempt without progress ends after this time; a link may be open at one end only. Requests of another
 * stack may report no progress: they get the time for their bytes at 4 kB a second; ms.
 */
const stallMs = 60_000;
/** After a part of that time, a hint that the network is back ends it, once. */
const idlePart = 1 / 12;

/** The server, or a proxy before it, is overloaded. */
const busy: readonly number[] = [429, 502, 503, 504];

interface Backoff {
  /** By the monotonic clock. */
  readonly until: number;
  /** In a row. */
  readonly failures: number;
}

const noBackoff: Backoff = { until: 0, failures: 0 };

/** An upload in progress. */
interface Attempt {
  readonly file: string;
  readonly ending: AbortController;
  readonly stallMs: number;
  /** The latest progress, by the monotonic clock. */
  progressAt: number;
  /** The network came back: the file has its next turn at once. */
  isRenewed: boolean;
}

/**
 * Sends waiting files one after the other: on a slow link, two would share it and both be late. A failed file waits
 * with growing back-off while the others have their turn (field case 8). Without any answer all files wait together,
 * and one of them probes for all, the next one each time.
 */
export class UploadLoop {
  readonly #options: LoopOptions;
  readonly #stopping = new AbortController();
  /** Files in back-off. */
  readonly #backoffs = new Map<string, Backoff>();
  /** The back-off of all files. */
  #sharedBackoff: Backoff = noBackoff;
  /** Credentials that the server rejected. */
  readonly #rejectedCredentials = new Set<string>();
  #attempt: Attempt | undefined;
  /**
   * The file whose attempt a hint has ended: none ends its next one before the server has taken bytes. A healthy request
   * may report no progress for long, over `fetch`, or with its last bytes in the buffers of the platform.
   */
  #renewed: string | undefined;
  #running: Promise<void> | undefined;
  #asked = false;
  #stopTimer: () => void = () => {};

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /**
   * The network or the driver may be back: ends every back-off, and tries rejected credentials again. A captive portal
   * may have rejected them.
   */
  wake(): void {
    this.#endBackoffs();
    this.#rejectedCredentials.clear();
    this.#endIdleAttempt();
    this.pump();
  }

  /** The request may have been sent over a network that is gone. */
  #endIdleAttempt(): void {
    const attempt = this.#attempt;
    if (!attempt || attempt.file === this.#renewed) return;
    if (this.#now - attempt.progressAt < attempt.stallMs * idlePart) return;
    attempt.isRenewed = true;
    this.#renewed = attempt.file;
    attempt.ending.abort();
  }

  pump(): void {
    this.#asked = true;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#attempt?.ending.abort();
    this.#stopTimer();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { port, progress } = this.#options;
    // Deferred: `#running` is set by then.
    await Promise.resolve();
    while (this.#asked && !this.#stopping.signal.aborted) {
      this.#asked = false;
      try {
        await this.#cleanUp();
        for (let file = this.#next(); file; file = this.#next()) {
          await this.#yieldToChanges();
          if (this.#stopping.signal.aborted) return;
          await this.#send(file);
          progress(undefined, 0);
        }
      } catch (error) {
        // Storage failed: the stored files stay.
        this.#sharedBackoff = this.#nextBackoff(this.#sharedBackoff, false);
        port.trouble('FILES', messageOf(error));
      }
    }
    port.bytesPass(false);
    this.#scheduleNext();
  }

  /** A restored server may have lost files: they are sent again. Files that it has had for long are deleted, and old failed ones. */
  async #cleanUp(): Promise<void> {
    const { registry, port, keepMs } = this.#options;
    const epoch = port.epoch();
    const { stamp, isSure } = port.time;
    if (isSure) await registry.forget((since) => stamp - since > keepMs);
    for (const { id } of [...registry.files]) {
      // Another page may have added it again since the step before.
      const file = registry.find(id);
      if (!file) continue;
      const { state } = file;
      if (state.at === 'failed' && isSure) {
        // It failed before the server's time was known: its age counts from now.
        if (state.since === undefined) await registry.move(file, { ...state, since: stamp });
        else if (stamp - state.since > keepMs) await registry.discard(file);
      }
      if (epoch !== undefined && state.at === 'here' && state.epoch !== epoch)
        await registry.move(file, { at: 'saved' });
    }
  }

  #next(): KeptFile | undefined {
    const { registry, port } = this.#options;
    const now = port.environment.clock.monotonic();
    if (this.#sharedBackoff.until > now) return undefined;
    return registry.waiting.find(
      (file) => this.#credentialsFor(file) && (this.#backoffs.get(file.id)?.until ?? 0) <= now,
    );
  }

  #endBackoffs(): void {
    this.#backoffs.clear();
    this.#sharedBackoff = noBackoff;
  }

  /** @param hasProgress some bytes arrived: the link works, so the back-off restarts */
  #nextBackoff({ failures }: Backoff, hasProgress: boolean): Backoff {
    const { environment, timing } = this.#options.port;
    const [next, now] = [hasProgress ? 0 : failures + 1, environment.clock.monotonic()];
    return { until: now + backoffMs(next, timing, environment.random.fraction()), failures: next };
  }

  #backOff({ id }: KeptFile, hasProgress = false): void {
    this.#backoffs.set(id, this.#nextBackoff(this.#backoffs.get(id) ?? noBackoff, hasProgress));
  }

  /** The best credentials of the file's driver that were not rejected. */
  #credentialsFor({ employee }: KeptFile): Readonly<Record<string, string>> | undefined {
    return this.#options.port
      .credentials(employee)
      .find((credentials) => !this.#rejectedCredentials.has(JSON.stringify(credentials)));
  }

  /** Changes first: they are small, and the office waits for them. */
  async #yieldToChanges(): Promise<void> {
    const { status, environment } = this.#options.port;
    const isBusy = (): boolean => status.current.connection === 'online' && hasSendable(status.current);
    if (!isBusy()) return;
    await new Promise<void>((resolve) => {
      const over = (): void => {
        stopTimer();
        stopWatch();
        this.#stopping.signal.removeEventListener('abort', over);
        resolve();
      };
      const stopTimer = environment.clock.after(maxYieldMs, over);
      const stopWatch = status.subscribe(() => {
        if (!isBusy()) over();
      });
      this.#stopping.signal.addEventListener('abort', over);
    });
  }

  async #send(file: KeptFile): Promise<void> {
    const { registry, port } = this.#options;
    const headers = this.#credentialsFor(file);
    if (!headers) return;
    try {
      const bytes = await registry.bytesOf(file);
      // Most of the size of this entry; a page starts without it.
      const { requestsOf, sendFile } = await import('./send-file.ts');
      const { chunkBytes, httpStack } = requestsOf(this.#options, port.environment.fetch);
      const limitMs = httpStack ? Math.max(stallMs, chunkBytes / 4) : stallMs;
      const outcome = await this.#watched(file.id, limitMs, (signal, moves) =>
        sendFile({
          file,
          bytes,
          endpoint: `${port.url}/api/sync/uploads`,
          headers,
          isNew: file.begun === false,
          // `fetch` reports no progress before the answer, and no live connection shows that the network works.
          asksFirst: httpStack?.getName() === 'fetch' && port.status.current.connection !== 'online',
          chunkBytes,
          httpStack,
          signal,
          progress: (sent) => {
            moves();
            this.#options.progress(file, sent);
          },
          begun: () => {
            moves();
            this.#begun(file);
          },
          taken: () => this.#moved(file.id),
        }),
      );
      if (outcome !== 'again') await this.#settle(file, outcome, JSON.stringify(headers));
    } catch (error) {
      if (!(error instanceof BytesMissing)) {
        this.#backOff(file);
        throw error;
      }
      // Reported once, while the driver can still take the photo again; repeated attempts could never succeed (field
      // case 3).
      await this.#fail(file, 'VANISHED', error.message);
    }
  }

  #fail(file: KeptFile, code: 'VANISHED' | 'REFUSED', reason: string): Promise<void> {
    const { registry, port } = this.#options;
    const { isSure, stamp } = port.time;
    return registry.move(file, { at: 'failed', code, reason, since: isSure ? stamp : undefined });
  }

  /**
   * Ends an attempt that makes no progress. Without a limit, a request whose answer never comes would stop all files.
   *
   * @param send calls `moves` at each progress
   */
  async #watched(
    file: string,
    limitMs: number,
    send: (signal: AbortSignal, moves: () => void) => Promise<Outcome>,
  ): Promise<Outcome | 'again'> {
    const { clock } = this.#options.port.environment;
    const attempt: Attempt = {
      file,
      ending: new AbortController(),
      stallMs: limitMs,
      progressAt: this.#now,
      isRenewed: false,
    };
    const watch = (): (() => void) => clock.after(limitMs, () => attempt.ending.abort());
    let stopWatch = watch();
    const moves = (): void => {
      attempt.progressAt = this.#now;
      stopWatch();
      stopWatch = watch();
    };
    this.#attempt = attempt;
    // The app may have stopped while the bytes were read.
    if (this.#stopping.signal.aborted) attempt.ending.abort();
    try {
      const outcome = await send(attempt.ending.signal, moves);
      if (attempt.isRenewed && outcome.is === 'later') return 'again';
      this.#moved(file);
      return outcome;
    } finally {
      stopWatch();
      this.#attempt = undefined;
    }
  }

  /** The file has an outcome, or the server has taken bytes of it: a hint may end its next attempt. */
  #moved(file: string): void {
    if (file === this.#renewed) this.#renewed = undefined;
  }

  get #now(): number {
    return this.#options.port.environment.clock.monotonic();
  }

  #begun(file: KeptFile): void {
    const { registry, port } = this.#options;
    port.bytesPass(true);
    // If a kill loses this flag, the next attempt only costs one request.
    registry.begin(file).catch((error: unknown) => port.trouble('FILES', messageOf(error)));
  }

  async #settle(file: KeptFile, outcome: Outcome, credentials: string): Promise<void> {
    const { registry, port } = this.#options;
    switch (outcome.is) {
      case 'here': {
        this.#answered();
        this.#backoffs.delete(file.id);
        const since = port.time.stamp;
        return registry.move(file, { at: 'here', epoch: outcome.epoch ?? port.epoch() ?? null, since });
      }
      case 'refused':
        this.#answered();
        return this.#fail(file, 'REFUSED', outcome.reason);
      case 'denied':
        this.#answered();
        this.#rejectedCredentials.add(credentials);
        return;
      case 'later':
        if (!this.#stopping.signal.aborted) this.#failed(file, outcome);
    }
  }

  /** The network and the server work: ends the back-off that lack of them caused, and lets a socket try. */
  #answered(): void {
    if (this.#sharedBackoff !== noBackoff) this.#endBackoffs();
    this.#options.port.bytesPass(true);
  }

  #failed(file: KeptFile, { status, hasProgress, reason }: Extract<Outcome, { is: 'later' }>): void {
    const { port, registry } = this.#options;
    this.#backOff(file, hasProgress);
    if (status === 0 || busy.includes(status))
      this.#sharedBackoff = this.#nextBackoff(this.#sharedBackoff, hasProgress);
    else this.#answered();
    if (status === 0) return port.bytesPass(false);
    if (status !== 409) return port.trouble('UPLOAD', reason);
    // The server already has the file, contrary to the record.
    registry.begin(file).catch((error: unknown) => port.trouble('FILES', messageOf(error)));
  }

  /** Sets the timer for the end of the earliest back-off. */
  #scheduleNext(): void {
    const { registry, port } = this.#options;
    const { clock } = port.environment;
    const ends = registry.waiting.flatMap((file) =>
      this.#credentialsFor(file) ? (this.#backoffs.get(file.id)?.until ?? 0) : [],
    );
    this.#stopTimer();
    if (ends.length === 0 || this.#stopping.signal.aborted) return;
    const end = Math.max(Math.min(...ends), this.#sharedBackoff.until);
    this.#stopTimer = clock.after(Math.max(end - clock.monotonic(), 0) + 1, () => this.pump());
  }
}
