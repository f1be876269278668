import type { RouteKey } from '@tailgate/sync-protocol';
import type { LocalClient } from '../client.ts';
import type { Status } from '../engine/status.ts';
import { newId, platform } from '../platform/environment.ts';
import { messageOf, Unreachable } from '../platform/errors.ts';
import type { Receipt } from '../queue/receipt.ts';
import type { LocalRoute } from '../replica/local-route.ts';
import type { Watch } from '../platform/watch.ts';
import type { Answer, Call, Change, TabBus, Message, Shown, Wanted } from './tab-bus.ts';
import { routeDelta } from './route-delta.ts';

/** The page that runs the client, for the other pages. */
export class LeaderTab {
  readonly #client: LocalClient;
  readonly #bus: TabBus;
  readonly #id = newId(platform);
  /** Subscriptions by name: `resend` sends the whole value to a new page, `stop` ends the subscription. */
  readonly #subscriptions = new Map<string, { readonly resend: () => void; readonly stop: () => void }>();

  constructor(client: LocalClient, bus: TabBus) {
    this.#client = client;
    this.#bus = bus;
    bus.post({ type: 'leads', leader: this.#id });
  }

  take(message: Message): void {
    switch (message.type) {
      case 'arrived':
        return this.#bus.post({ type: 'leads', leader: this.#id });
      case 'wants':
        return this.#sendWanted(message.wanted);
      case 'records':
        return this.#record(message.change);
      case 'syncs':
        return this.#client.syncNow();
      case 'asks':
        return void this.#answer(message.id, message.what);
      case 'listens':
        return this.#client.pages.inbox.offerAgain();
      case 'received':
        return this.#client.pages.inbox.received(message.id);
      default:
    }
  }

  /** This page itself has recorded a change. */
  recorded({ id }: Receipt): void {
    this.#bus.post({ type: 'recorded', id });
  }

  close(): void {
    for (const { stop } of this.#subscriptions.values()) stop();
    this.#subscriptions.clear();
  }

  #sendWanted(wanted: Wanted): void {
    const name = JSON.stringify(wanted);
    const { status, driver, routes, conflicts, pages } = this.#client;
    switch (wanted.of) {
      case 'status':
        return this.#showStatus(name, status);
      case 'driver':
        return this.#show(name, driver, (value) => ({ of: 'driver', value }));
      case 'routes':
        return this.#show(name, routes, (value) => ({ of: 'routes', value }));
      case 'known':
        return this.#show(name, pages.known, (value) => ({ of: 'known', value }));
      case 'review':
        return this.#show(name, pages.inbox.review, (value) => ({ of: 'review', value }));
      case 'conflicts':
        return this.#show(name, conflicts, (value) => ({ of: 'conflicts', value }));
      case 'codes':
        return this.#show(name, this.#client.codes(wanted.type), (value) => ({ ...wanted, value }));
      case 'route':
        return this.#showRoute(name, wanted.key);
      case 'receipt': {
        const receipt = this.#client.receipt(wanted.id);
        if (receipt) this.#show(name, receipt, (value) => ({ ...wanted, value }));
      }
    }
  }

  /**
   * Sends the status after the other messages of the same step: a page looks up a receipt when the status counts a
   * change.
   */
  #showStatus(name: string, watch: Watch<Status>): void {
    const post = (): void => this.#bus.post({ type: 'shows', shown: { of: 'status', value: watch.current } });
    this.#subscribe(name, watch, post, () => queueMicrotask(post));
  }

  #show<Value>(name: string, watch: Watch<Value>, shown: (value: Value) => Shown): void {
    const post = (): void => this.#bus.post({ type: 'shows', shown: shown(watch.current) });
    this.#subscribe(name, watch, post, post);
  }

  /** Sends the whole route on request, and then only changes. */
  #showRoute(name: string, key: RouteKey | undefined): void {
    const watch = this.#client.route(key);
    let shown: LocalRoute | undefined;
    const post = (next: LocalRoute | undefined): void => {
      const delta: Shown = next
        ? { of: 'route news', key, value: routeDelta(shown, next) }
        : { of: 'route', key, value: next };
      this.#bus.post({ type: 'shows', shown: delta });
      shown = next;
    };
    const postWhole = (): void => {
      shown = watch.current;
      this.#bus.post({ type: 'shows', shown: { of: 'route', key, value: shown } });
    };
    this.#subscribe(name, watch, postWhole, post);
  }

  #subscribe<Value>(name: string, watch: Watch<Value>, resend: () => void, post: (value: Value) => void): void {
    if (!this.#subscriptions.has(name)) this.#subscriptions.set(name, { resend, stop: watch.subscribe(post) });
    this.#subscriptions.get(name)?.resend();
  }

  #record(change: Change): void {
    // An existing change stays unchanged.
    const receipt = this.#client.record(change.draft, change.by);
    this.recorded(receipt);
    this.#sendWanted({ of: 'receipt', id: receipt.id });
  }

  async #answer(id: string, what: Call): Promise<void> {
    this.#bus.post({ type: 'answers', id, answer: await this.#perform(what) });
  }

  async #perform(what: Call): Promise<Answer> {
    const client = this.#client;
    try {
      if (what.call === 'signIn') return { kind: 'result', value: await client.signIn(what.input) };
      if (what.call === 'signUp')
        return { kind: 'result', value: await client.signUp(what.employeeId, what.password, what.invitation) };
      if (what.call === 'signOut') return { kind: 'result', value: await client.signOut(what.by) };
      if (what.call === 'acknowledge') return { kind: 'result', value: await client.acknowledge(what.change) };
      if (what.call === 'exportQueues') return { kind: 'result', value: await client.exportQueues() };
      if (what.call === 'markSeen') {
        await client.markSeen(what.route, what.stop);
        return { kind: 'result', value: true };
      }
      if (what.call === 'setDraft') {
        await client.setDraft(what.route, what.stop, what.draft, what.by);
        return { kind: 'result', value: true };
      }
      if (what.call === 'withdraw') return { kind: 'result', value: await client.withdraw(what.change) };
      return { kind: 'result', value: await client.diagnostics() };
    } catch (error) {
      return { kind: error instanceof Unreachable ? 'unreachable' : 'failed', message: messageOf(error) };
    }
  }
}
