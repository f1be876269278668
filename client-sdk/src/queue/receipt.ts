import { Quarantined } from '../errors.ts';
import type { Watch } from '../watch.ts';
import { keepEqualParts, Signal } from '../watch.ts';
import type { Evidence, Progress } from './item.ts';

/** How far a change has come, for the person who made it. */
export type ReceiptState =
  /** In memory; the disk has not confirmed it. */
  | { readonly at: 'recorded' }
  /** On this device's disk: it survives whatever happens to the app, and will be sent. */
  | { readonly at: 'saved' }
  /** Committed by the server. */
  | { readonly at: 'accepted'; readonly version: number; readonly evidence?: Evidence }
  /** In the tables that the back office reads. */
  | { readonly at: 'on_host'; readonly version: number; readonly evidence?: Evidence }
  /** Kept by the server for the office, which releases it (then it is accepted after all) or dismisses it with a word. */
  | {
      readonly at: 'quarantined';
      readonly code: string;
      readonly reason: string;
      readonly dismissed?: string | undefined;
    };

/**
 * The receipt of one change: its state as a value to watch, and each step as a promise. Two taps that were merged into
 * one change share their receipt.
 */
export class Receipt implements Watch<ReceiptState> {
  readonly id: string;
  readonly #signal: Signal<ReceiptState>;
  #saving = 0;

  constructor(id: string, progress: Progress) {
    this.id = id;
    this.#signal = new Signal<ReceiptState>(stateOf(progress));
  }

  get current(): ReceiptState {
    return this.#signal.current;
  }

  subscribe(listener: (state: ReceiptState) => void): () => void {
    return this.#signal.subscribe(listener);
  }

  /** Resolves when the change is on this device's disk. */
  get saved(): Promise<void> {
    return this.#until((state) => (state.at === 'recorded' ? undefined : { value: undefined }));
  }

  /** Resolves with the route version that contains the change; rejects with `Quarantined`. */
  get accepted(): Promise<number> {
    return this.#until((state) => {
      if (state.at === 'quarantined') throw new Quarantined(state.code, state.reason);
      return state.at === 'accepted' || state.at === 'on_host' ? { value: state.version } : undefined;
    });
  }

  /** Resolves when the server has every file that the stop names, too; rejects with `Quarantined`. */
  get complete(): Promise<void> {
    return this.#until((state) => {
      if (state.at === 'quarantined') throw new Quarantined(state.code, state.reason);
      return 'evidence' in state && state.evidence === 'complete' ? { value: undefined } : undefined;
    });
  }

  /** Resolves when the back office can read the change; rejects with `Quarantined`. */
  get onHost(): Promise<void> {
    return this.#until((state) => {
      if (state.at === 'quarantined') throw new Quarantined(state.code, state.reason);
      return state.at === 'on_host' ? { value: undefined } : undefined;
    });
  }

  /** A write of this change is under way. */
  saving(saved: Promise<void>): void {
    this.#saving++;
    this.#signal.set({ at: 'recorded' });
    void this.#whenSaved(saved);
  }

  async #whenSaved(saved: Promise<void>): Promise<void> {
    await saved;
    this.#saving--;
    if (this.#saving === 0 && this.current.at === 'recorded') this.#signal.set({ at: 'saved' });
  }

  moved(progress: Progress): void {
    if (progress.at === 'waiting' && this.#saving > 0) return;
    this.shows(stateOf(progress));
  }

  /** Also where the change is recorded in another page: what that one's receipt says. */
  shows(state: ReceiptState): void {
    this.#signal.set(keepEqualParts(this.current, state));
  }

  #until<Value>(read: (state: ReceiptState) => { readonly value: Value } | undefined): Promise<Value> {
    return new Promise((resolve, reject) => {
      const look = (state: ReceiptState): boolean => {
        try {
          const found = read(state);
          if (found) resolve(found.value);
          return found !== undefined;
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
          return true;
        }
      };
      if (look(this.current)) return;
      const stop = this.#signal.subscribe((state) => {
        if (look(state)) stop();
      });
    });
  }
}

function stateOf(progress: Progress): ReceiptState {
  if (progress.at === 'waiting') return { at: 'saved' };
  if (progress.at === 'quarantined') {
    const { code, reason, dismissed } = progress;
    return { at: 'quarantined', code, reason, dismissed };
  }
  const { at, version, evidence } = progress;
  return { at, version, evidence };
}
