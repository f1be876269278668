import { clientScope, codesScope, snapshotBody } from '@tailgate/sync-protocol';
import type { AssignedRoute, ClientFrameInput, Cursor, Scope } from '@tailgate/sync-protocol';
import type { FeedFrame } from '../channel.ts';
import type { Timing } from '../connection/machine.ts';
import { backoffMs } from '../connection/machine.ts';
import type { Environment } from '../environment.ts';
import { messageOf } from '../errors.ts';
import type { UnfinishedItems } from '../queue/unfinished.ts';
import type { Replica, Taken } from './replica.ts';
import type { Patch } from './scope-state.ts';

export interface FeedGround {
  readonly url: string;
  readonly environment: Environment;
  readonly timing: Timing;
  readonly replica: Replica;
  readonly outbox: { readonly unfinished: Pick<UnfinishedItems, 'scopes'> };
  readonly desk: FeedDesk;
}

export interface FeedDesk {
  /** Somebody should hear of it. */
  tell(news: Taken): void;
  trouble(code: string, message: string): void;
}

/** The line over which a feed speaks, and who asks. */
export interface FeedLine {
  readonly send: (frame: ClientFrameInput) => void;
  readonly headers: Record<string, string>;
  /** The scopes that its hello named. */
  readonly follows: Iterable<Scope>;
}

/** Follows the scopes of one signed-in driver over one connection; the next connection gets a new feed. */
export class Feed {
  readonly #ground: FeedGround;
  readonly #line: FeedLine;
  /** What the server was asked for over this line: it tells of nothing else. */
  readonly #followed: Set<Scope>;
  readonly #failures = new Map<Scope, number>();
  readonly #timers = new Set<() => void>();
  readonly #abort = new AbortController();

  constructor(ground: FeedGround, line: FeedLine) {
    this.#ground = ground;
    this.#line = line;
    this.#followed = new Set(line.follows);
  }

  end(): void {
    this.#abort.abort();
    for (const cancel of this.#timers) cancel();
  }

  /** Asks for those of the driver's routes that nobody has asked for yet. */
  follow(routes: readonly AssignedRoute[]): void {
    const missing = routes.map((route) => route.scope).filter((scope) => !this.#followed.has(scope));
    if (missing.length > 0) this.#subscribe(missing);
  }

  take(frame: Extract<FeedFrame, { type: 'patch' | 'snapshot' | 'gone' }>): void {
    switch (frame.type) {
      case 'patch':
        return void this.#take(frame);
      case 'snapshot':
        return void this.#fetch(frame.scope);
      case 'gone':
        this.#followed.delete(frame.scope);
        // What was recorded stays visible until it has drained (sync.md, Protocol).
        if (!this.#ground.outbox.unfinished.scopes.includes(frame.scope)) this.#ground.replica.forget(frame.scope);
    }
  }

  #take(patch: Patch): boolean {
    const taken = this.#ground.replica.apply(patch);
    const { outcome } = taken;
    this.#ground.desk.tell(taken);
    if (outcome === 'applied') this.#failures.delete(patch.scope);
    else if (outcome === 'gap') this.#subscribe([patch.scope]);
    else this.#again(patch.scope, `what was received of ${patch.scope} does not add up`);
    return outcome === 'applied';
  }

  #subscribe(scopes: readonly Scope[], cursorOf = (scope: Scope) => this.#ground.replica.cursor(scope)): void {
    const cursors: Record<Scope, Cursor | null> = {};
    for (const scope of scopes) {
      cursors[scope] = cursorOf(scope);
      this.#followed.add(scope);
    }
    this.#line.send({ type: 'subscribe', cursors });
  }

  async #fetch(scope: Scope): Promise<void> {
    const { url, environment } = this.#ground;
    const address = `${url}/api/sync/snapshot?scope=${encodeURIComponent(scope)}`;
    try {
      const response = await environment.fetch(address, { headers: this.#line.headers, signal: this.#abort.signal });
      if (!response.ok) throw new Error(`status ${response.status}`);
      const { success, data } = snapshotBody.safeParse(await response.json());
      if (!success) throw new Error('it is no snapshot');
      if (this.#abort.signal.aborted) return;
      // From here on by patches.
      if (this.#take({ ...data, from: null })) this.#subscribe([scope]);
    } catch (error) {
      if (!this.#abort.signal.aborted)
        this.#again(scope, `the snapshot of ${scope} cannot be fetched: ${messageOf(error)}`);
    }
  }

  /** Asks for the whole scope: at once the first time, later with growing patience. */
  #again(scope: Scope, why: string): void {
    const { environment, timing, desk } = this.#ground;
    const failures = this.#failures.get(scope) ?? 0;
    this.#failures.set(scope, failures + 1);
    desk.trouble('REFETCH', why);
    if (failures === 0) return this.#subscribe([scope], () => null);
    const ms = backoffMs(failures, timing, environment.random.fraction());
    const cancel = environment.clock.after(ms, () => {
      this.#timers.delete(cancel);
      this.#subscribe([scope], () => null);
    });
    this.#timers.add(cancel);
  }
}

/** What a driver's connection follows: their routes, their queue's answers, the code lists, and what still drains. */
export function cursorsOf(
  replica: Replica,
  routes: readonly AssignedRoute[],
  clientId: string,
  unfinished: readonly Scope[],
): Record<Scope, Cursor | null> {
  const scopes = new Set([...routes.map((route) => route.scope), ...unfinished, codesScope, clientScope(clientId)]);
  return Object.fromEntries([...scopes].map((scope) => [scope, replica.cursor(scope)]));
}
