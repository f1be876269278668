import { platform } from '../platform/environment.ts';
import type { ScriptedOptions } from './scripted-connections.ts';
import type { ScriptedLedger } from './scripted-ledger.ts';

interface Office {
  readonly ledger: ScriptedLedger;
  host(): void;
  publish(): void;
}

/** The acts of the office without a request: the host confirms, and a timer closes the route, where the options ask for it. */
export class ScriptedOffice {
  readonly #office: Office;
  readonly #hostDelayMs: number | undefined;
  #stopHosting: (() => void) | undefined;
  #closing: { readonly at: string; readonly stop: () => void } | undefined;

  constructor(office: Office, { hostDelayMs }: ScriptedOptions) {
    this.#office = office;
    this.#hostDelayMs = hostDelayMs;
  }

  /** Called after each change of the ledger. */
  follow(): void {
    const { ledger } = this.#office;
    if (this.#hostDelayMs !== undefined && ledger.hostedThrough < ledger.version)
      this.#stopHosting ??= platform.clock.after(this.#hostDelayMs, () => {
        this.#stopHosting = undefined;
        this.#office.host();
      });
    this.#followTimer(ledger.header.autoclose_at ?? undefined);
  }

  stop(): void {
    this.#stopHosting?.();
    this.#stopHosting = undefined;
    this.#followTimer(undefined);
  }

  #followTimer(at: string | undefined): void {
    if (this.#closing?.at === at) return;
    this.#closing?.stop();
    if (at === undefined) {
      this.#closing = undefined;
      return;
    }
    const stop = platform.clock.after(Math.max(0, Date.parse(at) - platform.clock.now()), () => {
      this.#office.ledger.close('A');
      this.#office.publish();
    });
    this.#closing = { at, stop };
  }
}
