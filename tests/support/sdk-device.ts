import type { Client, ClientOptions, Store, Watch } from '@tailgate/client-sdk';
import { createClient, MemoryStore } from '@tailgate/client-sdk';
import { atFileEnd } from './file-end.ts';
import { listed } from './open-waits.ts';

/** Quick enough for a test, slow enough to distinguish a back-off from an immediate retry. */
const quickTiming = { retryBaseMs: 20, retryCapMs: 200, openMs: 2_000, pingMs: 1_000, answerMs: 1_000 };

/** A phone: its storage outlives the app. */
export class Device {
  readonly store: Store;
  readonly #url: string;
  readonly #options: Partial<ClientOptions>;
  readonly #clients: Client[] = [];

  constructor(url: string, options: Partial<ClientOptions> = {}) {
    this.store = options.store ?? new MemoryStore();
    this.#url = url;
    this.#options = options;
    atFileEnd(() => this.kill());
  }

  async start(options: Partial<ClientOptions> = {}): Promise<Client> {
    const defaults = { url: this.#url, store: this.store, timing: quickTiming };
    const client = await createClient({ ...defaults, ...this.#options, ...options });
    this.#clients.push(client);
    return client;
  }

  async startSignedIn(employeeId = '1001'): Promise<Client> {
    const client = await this.start();
    const result = await client.signIn({ employeeId, password: 'secret-of-driver' });
    if (result.kind !== 'signed_in') throw new Error(`sign-in of ${employeeId}: ${result.kind}`);
    return client;
  }

  /** Ends every run of the app; the store stays. */
  async kill(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.close()));
  }
}

/** Resolves with the first value that matches: now, or after a change. */
export function until<Value>(watch: Watch<Value>, isSo: (value: Value) => boolean): Promise<Value> {
  const wait = new Promise<Value>((resolve) => {
    if (isSo(watch.current)) return resolve(watch.current);
    const stop = watch.subscribe((value) => {
      if (!isSo(value)) return;
      stop();
      resolve(value);
    });
  });
  return listed(wait, () => watch.current);
}
