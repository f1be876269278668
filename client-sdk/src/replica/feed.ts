import { snapshotBody } from '@tailgate/sync-protocol';
import type { AssignedRoute, ClientFrameInput, Cursor, Scope } from '@tailgate/sync-protocol';
import type { Timing } from '../connection/machine.ts';
import { backoffMs } from '../connection/machine.ts';
import type { Environment } from '../platform/environment.ts';
import type { ItemsByStop } from '../queue/items-by-stop.ts';
import type { Account } from '../session/accounts.ts';
import type { Replica } from './replica.ts';
import type { Patch } from './scope-state.ts';

export interface FeedDeps {
  readonly url: string;
  readonly environment: Environment;
  readonly timing: Timing;
  readonly replica: Replica;
  readonly outbox: { readonly unfinished: Pick<ItemsByStop, 'scopes'> };
  readonly engine: { trouble(code: string, message: string): void };
  /** The connection of the feed. */
  readonly connection: { send(frame: ClientFrameInput): void };
  /** The driver who follows. */
  readonly account: Account;
  /** The scopes of this connection's hello. */
  readonly follows: Iterable<Scope>;
}

/** Follows the scopes of one signed-in driver over one connection; the next connection gets a new feed. */
export class Feed {
  readonly #deps: FeedDeps;
  /** The subscribed scopes of this connection: the server sends no others. */
  readonly #followed: Set<Scope>;
  readonly #failures = new Map<Scope, number>();
  readonly #timers: (() => void)[] = [];
  readonly #abort = new AbortController();

  constructor(deps: FeedDeps) {
    this.#deps = deps;
    this.#followed = new Set(deps.follows);
  }

  end(): void {
    this.#abort.abort();
    for (const cancel of this.#timers) cancel();
  }

  /** Subscribes to the driver's routes that are not followed yet. */
  follow(routes: readonly AssignedRoute[]): void {
    const missing = routes.map((route) => route.scope).filter((scope) => !this.#followed.has(scope));
    if (missing.length > 0) this.#subscribe(missing);
  }

  /** The server has ended a scope. */
  leave(scope: Scope): void {
    const { outbox, replica } = this.#deps;
    this.#followed.delete(scope);
    // Recorded changes stay visible until they have drained.
    if (!outbox.unfinished.scopes.includes(scope)) replica.forget(scope);
  }

  /** @returns whether the replica has applied it */
  take(patch: Patch): boolean {
    const outcome = this.#deps.replica.apply(patch);
    if (outcome === 'applied') this.#failures.delete(patch.scope);
    else if (outcome === 'gap') this.#subscribe([patch.scope]);
    else this.#refetch(patch.scope, `${patch.scope} does not add up`);
    return outcome === 'applied';
  }

  /** @param whole requests the whole scope, without the local cursor */
  #subscribe(scopes: readonly Scope[], whole = false): void {
    const cursors: Record<Scope, Cursor | null> = {};
    for (const scope of scopes) {
      cursors[scope] = whole ? null : this.#deps.replica.cursor(scope);
      this.#followed.add(scope);
    }
    this.#deps.connection.send({ type: 'subscribe', cursors });
  }

  /** Fetches a whole scope over HTTP: on first contact, or where this device is far behind. */
  async fetch(scope: Scope): Promise<void> {
    const { url, environment, account } = this.#deps;
    const { signal } = this.#abort;
    const headers = { employee_id: account.employee, api_token: account.token ?? '' };
    const address = `${url}/api/sync/snapshot?scope=${encodeURIComponent(scope)}`;
    try {
      const response = await environment.fetch(address, { headers, signal });
      const { data } = snapshotBody.safeParse(response.ok && (await response.json()));
      if (!data) throw new Error(`status ${response.status}`);
      if (signal.aborted) return;
      // Patches continue from here.
      if (this.take({ ...data, from: null })) this.#subscribe([scope]);
    } catch (error) {
      if (!signal.aborted) this.#refetch(scope, `cannot fetch ${scope}: ${String(error)}`);
    }
  }

  /** Requests the whole scope: at once the first time, later with growing back-off. */
  #refetch(scope: Scope, why: string): void {
    const { environment, timing, engine } = this.#deps;
    const failures = this.#failures.get(scope) ?? 0;
    this.#failures.set(scope, failures + 1);
    engine.trouble('REFETCH', why);
    const ask = (): void => this.#subscribe([scope], true);
    if (failures === 0) return ask();
    this.#timers.push(environment.clock.after(backoffMs(failures, timing, environment.random.fraction()), ask));
  }
}
