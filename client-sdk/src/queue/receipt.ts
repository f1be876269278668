import { Quarantined, Withdrawn } from '../platform/errors.ts';
import type { Watch } from '../platform/watch.ts';
import { Signal } from '../platform/watch.ts';
import type { ChangeWarning, Evidence, QueueItem } from './item.ts';

/** The parts of a change that its receipt shows. */
type ReceiptSource = Pick<QueueItem, 'progress' | 'warnings'> & { readonly edit_time?: number };

/** The progress of a change, for its driver. */
export type ReceiptState =
  /** In memory; the disk has not confirmed it. */
  | { readonly at: 'recorded' }
  /** On this device's disk: it survives a crash of the app, and will be sent. */
  | ({ readonly at: 'saved' } & Recording)
  /** Withdrawn before any transport took it. */
  | { readonly at: 'withdrawn' }
  /** Committed by the server. */
  | ({ readonly at: 'accepted' } & Acceptance)
  /** In the tables that the back office reads. */
  | ({ readonly at: 'on_host'; readonly hostedAt?: number } & Acceptance)
  /**
   * Finished by the server: the company compares this app with another system, and the back office gets nothing from it.
   * `hostedAt`: since when.
   */
  | ({ readonly at: 'shadow'; readonly hostedAt?: number } & Acceptance)
  /** Retained by the server for the office, which releases it (it is accepted then) or dismisses it with a reason. */
  | ({
      readonly at: 'quarantined';
      readonly code: string;
      readonly reason: string;
      readonly dismissed?: string | undefined;
    } & Recording);

/**
 * All times of a receipt are ms since 1970 by this device's clock: when the device learnt of the step. Where the clock is
 * wrong by more than an hour, the server's steps have the server's time.
 */
interface Recording {
  /** Undefined in a page that has just opened beside another one. */
  readonly recordedAt?: number | undefined;
}

interface Acceptance extends Recording {
  /** Undefined where an older app has stored the change. */
  readonly acceptedAt?: number | undefined;
  /** The route version that contains the change. */
  readonly version: number;
  /** Whether the server has every file that the stop names. */
  readonly evidence?: Evidence;
  /** The server's remarks; absent without any. */
  readonly warnings?: readonly ChangeWarning[] | undefined;
}

/**
 * The receipt of one change: its state as a value to watch, and each step as a promise. Two taps that merged into one
 * change share their receipt.
 */
export class Receipt implements Watch<ReceiptState> {
  readonly id: string;
  readonly #signal: Signal<ReceiptState>;
  #saving = 0;

  constructor(id: string, source: ReceiptSource) {
    this.id = id;
    this.#signal = new Signal<ReceiptState>(stateOf(source));
  }

  get current(): ReceiptState {
    return this.#signal.current;
  }

  subscribe(listener: (state: ReceiptState) => void): () => void {
    return this.#signal.subscribe(listener);
  }

  /** The server's remarks on acceptance. */
  get warnings(): readonly ChangeWarning[] {
    return ('warnings' in this.current && this.current.warnings) || [];
  }

  /** Resolves when the change is on this device's disk. */
  get saved(): Promise<void> {
    return this.#until((state) => (state.at === 'recorded' ? undefined : done));
  }

  /** Resolves with the route version that contains the change; rejects with `Quarantined`. */
  get accepted(): Promise<number> {
    return this.#unlessQuarantined((state) => ('version' in state ? { value: state.version } : undefined));
  }

  /** Resolves when the server has the change and every file that the stop names; rejects with `Quarantined`. */
  get complete(): Promise<void> {
    return this.#unlessQuarantined((state) =>
      'evidence' in state && state.evidence === 'complete' ? done : undefined,
    );
  }

  /** Resolves when the back office can read the change, in shadow never; rejects with `Quarantined`. */
  get onHost(): Promise<void> {
    return this.#unlessQuarantined((state) => (state.at === 'on_host' ? done : undefined));
  }

  /** A write of this change is in progress. */
  saving(saved: Promise<void>, recordedAt: number): void {
    this.#saving++;
    this.#signal.set({ at: 'recorded' });
    void this.#whenSaved(saved, recordedAt);
  }

  async #whenSaved(saved: Promise<void>, recordedAt: number): Promise<void> {
    await saved;
    this.#saving--;
    if (this.#saving === 0 && this.current.at === 'recorded') this.#signal.set({ at: 'saved', recordedAt });
  }

  moved(source: ReceiptSource): void {
    if (source.progress.at === 'waiting' && this.#saving > 0) return;
    this.shows(stateOf(source));
  }

  /** Sets the state; also called with the state of a receipt in another page. */
  shows(state: ReceiptState): void {
    this.#signal.renew(state);
  }

  #unlessQuarantined<Value>(read: (state: ReceiptState) => Reached<Value>): Promise<Value> {
    return this.#until((state) => {
      if (state.at === 'withdrawn') throw new Withdrawn();
      if (state.at === 'quarantined') throw new Quarantined(state.code, state.reason);
      return read(state);
    });
  }

  async #until<Value>(read: (state: ReceiptState) => Reached<Value>): Promise<Value> {
    for (;;) {
      const reached = read(this.current);
      if (reached) return reached.value;
      await new Promise<void>((moved) => {
        const stop = this.#signal.subscribe(() => {
          stop();
          moved();
        });
      });
    }
  }
}

/** The value that a receipt's promise waits for. */
type Reached<Value> = { readonly value: Value } | undefined;
const done = { value: undefined };

function stateOf({ progress, warnings, edit_time: recordedAt }: ReceiptSource): ReceiptState {
  if (progress.at === 'waiting') return { at: 'saved', recordedAt };
  if (progress.at === 'quarantined') {
    const { at, code, reason, dismissed } = progress;
    return { at, code, reason, dismissed, recordedAt };
  }
  const { version, evidence, since } = progress;
  const accepted = { version, evidence, warnings: warnings?.length ? warnings : undefined, recordedAt };
  return progress.at === 'accepted'
    ? { at: progress.at, ...accepted, acceptedAt: since }
    : { at: progress.at, ...accepted, acceptedAt: progress.accepted_at, hostedAt: since };
}
