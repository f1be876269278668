import type { AssignedRoute, Json, ReferenceCode, RouteKey } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import type { Author, Client, Driver, LocalClient } from '../client.ts';
import type { Withdrawal } from '../engine/sync-engine.ts';
import type { Diagnostics } from '../engine/diagnostics.ts';
import { newId, platform } from '../platform/environment.ts';
import { NotSignedIn, Unreachable } from '../platform/errors.ts';
import type { ClientEvents, Conflict, EventHub, NamedEvent } from '../engine/events.ts';
import type { ReviewedChange, ReviewEntry } from '../engine/inbox.ts';
import { withReceipts } from '../engine/inbox.ts';
import type { Draft, SkipInput, StopInput } from '../queue/record.ts';
import { copyOf } from '../queue/stop-drafts.ts';
import { draftSkip, draftUpdate } from '../queue/record.ts';
import { Receipt } from '../queue/receipt.ts';
import type { KnownRoutes } from '../replica/known.ts';
import { checkKnown } from '../replica/known.ts';
import type { LocalRoute, LocalStop } from '../replica/local-route.ts';
import type { ExportedQueue } from '../rescue/exported-queue.ts';
import type { SignInInput, SignInResult } from '../session/auth-calls.ts';
import type { Status, Trouble } from '../engine/status.ts';
import { canSignOut, dayComplete, unknownStatus, withUnsaved } from '../engine/status.ts';
import type { StopDraft, StopHandle } from '../stop-handle.ts';
import { routeDraft, stopHandle } from '../stop-handle.ts';
import type { Watch } from '../platform/watch.ts';
import { Signal } from '../platform/watch.ts';
import type { Answer, Call, Change, TabBus, Message, Result, Shown, Wanted } from './tab-bus.ts';
import { withDelta } from './route-delta.ts';

/**
 * A page that reads and records through the page that runs the client. A change is `recorded` until that page has it on
 * the disk. The page repeats it to each new leader, whose store accepts an id once.
 */
export class FollowerTab implements Client {
  readonly status = new Signal<Status>(unknownStatus);
  readonly driver = new Signal<Driver | undefined>(undefined);
  readonly routes = new Signal<readonly AssignedRoute[]>([]);
  readonly review: Watch<readonly ReviewedChange[]>;
  readonly conflicts = new Signal<readonly Conflict[]>([]);
  /** Resolves when this page has received its first values. */
  readonly shown: Promise<void>;
  readonly #bus: TabBus;
  readonly #events: EventHub;
  #known: KnownRoutes = { assigned: undefined, storedStops: {} };
  readonly #codes = new Map<ReferenceCode['type'], Signal<readonly ReferenceCode[]>>();
  readonly #routes = new Map<string, RequestedRoute & { readonly signal: Signal<LocalRoute | undefined> }>();
  readonly #receipts = new Map<string, Receipt>();
  /** Changes without confirmed storage, in the order of taps. */
  readonly #unsaved = new Map<string, Change>();
  /** Those among them that a leader has recorded: the status that it sent counts them. */
  readonly #sent = new Set<string>();
  readonly #reviewed = new Signal<readonly ReviewEntry[]>([]);
  readonly #calls = new Map<string, (answer: Answer) => void>();
  #leader: string | undefined;
  /** Why this page could not begin to lead, while no page leads. */
  #trouble: Trouble | undefined;
  /** The status as the last leader sent it. */
  #sentStatus = unknownStatus;
  #ready: () => void = () => {};

  constructor(bus: TabBus, events: EventHub) {
    this.review = withReceipts(this.#reviewed, (id) => this.#receipts.get(id));
    this.#bus = bus;
    this.#events = events;
    this.shown = new Promise((ready) => (this.#ready = ready));
    this.#routes.set('', {
      wanted: { of: 'route', key: undefined },
      signal: new Signal<LocalRoute | undefined>(undefined),
    });
  }

  take(message: Message): void {
    switch (message.type) {
      case 'leads':
        return this.#requestAll(message.leader);
      case 'shows':
        return this.#show(message.shown);
      case 'recorded':
        return this.registerId(message.id);
      case 'emits':
        return this.#emit(message.event);
      case 'answers':
        this.#calls.get(message.id)?.(message.answer);
        return void this.#calls.delete(message.id);
      default:
    }
  }

  /** A change with this id is in the store, or soon will be. */
  registerId(id: string): void {
    if (!this.#receipts.has(id)) this.#receipts.set(id, new Receipt(id, { progress: { at: 'waiting' } }));
  }

  // ── Client ────────────────────────────────────────────────────────────────────────────────────────────────────────

  async signIn(input: SignInInput): Promise<SignInResult> {
    return resultOf(await this.#ask({ call: 'signIn', input }));
  }

  async signUp(employeeId: string, password: string, invitation?: string): Promise<SignInResult> {
    return resultOf(await this.#ask({ call: 'signUp', employeeId, password, invitation }));
  }

  async signOut(by?: Pick<Author, 'employee'>): Promise<boolean> {
    return (await this.#ask({ call: 'signOut', by })) === true;
  }

  canSignOut(): boolean {
    return canSignOut(this.status.current);
  }

  dayComplete(): boolean {
    return dayComplete(this.status.current);
  }

  syncNow(): void {
    this.#bus.post({ type: 'syncs' });
  }

  async exportQueues(): Promise<readonly ExportedQueue[]> {
    const value = await this.#ask({ call: 'exportQueues' });
    if (typeof value !== 'object' || 'kind' in value || 'queues' in value) throw otherAnswer();
    return value;
  }

  async diagnostics(): Promise<Diagnostics> {
    const value = await this.#ask({ call: 'diagnostics' });
    if (typeof value !== 'object' || !('queues' in value)) throw otherAnswer();
    return value;
  }

  route(key?: RouteKey): Watch<LocalRoute | undefined> {
    const name = key ? routeScope(key) : '';
    const known = this.#routes.get(name);
    if (known) return known.signal;
    // Until the leader answers: the driver's own route may be the same one, requested without its key.
    const route = { wanted: { of: 'route', key } as const, signal: new Signal(this.#shownRoute(name)) };
    this.#routes.set(name, route);
    this.#bus.post({ type: 'wants', wanted: route.wanted });
    return route.signal;
  }

  stop(id: number, key?: RouteKey): StopHandle {
    return stopHandle(this, id, key);
  }

  routeDraft(key?: RouteKey): StopDraft {
    return routeDraft(this, key);
  }

  codes(type: ReferenceCode['type']): Watch<readonly ReferenceCode[]> {
    const known = this.#codes.get(type);
    if (known) return known;
    const signal = new Signal<readonly ReferenceCode[]>([]);
    this.#codes.set(type, signal);
    this.#bus.post({ type: 'wants', wanted: { of: 'codes', type } });
    return signal;
  }

  updateStop(route: RouteKey, stop: StopInput): Receipt {
    return this.record(this.#checkDraft(draftUpdate(route, stop)));
  }

  skipStop(route: RouteKey, stop: number, fields: SkipInput): Receipt {
    return this.record(this.#checkDraft(draftSkip(route, stop, fields)));
  }

  /** Checks against this page's values: the app has requested the stops that it shows. */
  #checkDraft(draft: Draft): Draft {
    return checkKnown(draft, this.#known, ({ scope, stop }) =>
      this.#shownRoute(scope)?.stops.find(({ id }) => id === stop),
    );
  }

  /** A route that the app has requested, with its key or without. */
  #shownRoute(scope: string): LocalRoute | undefined {
    for (const { signal } of this.#routes.values()) if (signal.current?.scope === scope) return signal.current;
    return undefined;
  }

  async markSeen(route: RouteKey, stop: number): Promise<void> {
    await this.#ask({ call: 'markSeen', route, stop });
  }

  async setDraft(
    route: RouteKey | undefined,
    stop: number | undefined,
    draft: Json | undefined,
    by?: Pick<Author, 'employee'>,
  ): Promise<void> {
    copyOf(draft);
    await this.#ask({ call: 'setDraft', route, stop, draft, by: by ?? this.#author() });
  }

  record(draft: Draft): Receipt {
    const by = this.#author();
    const change = { draft, by };
    const receipt = new Receipt(by.id, { progress: { at: 'waiting' } });
    receipt.shows({ at: 'recorded' });
    this.#receipts.set(by.id, receipt);
    this.#unsaved.set(by.id, change);
    this.#bus.post({ type: 'records', change });
    this.#showStatus();
    return receipt;
  }

  receipt(id: string): Receipt | undefined {
    const receipt = this.#receipts.get(id);
    if (receipt && !this.#unsaved.has(id)) this.#bus.post({ type: 'wants', wanted: { of: 'receipt', id } });
    return receipt;
  }

  now(): number {
    return Date.now() - (this.status.current.clockAheadMs ?? 0);
  }

  async acknowledge(id: string): Promise<boolean> {
    return (await this.#ask({ call: 'acknowledge', change: id })) === true;
  }

  async withdraw(id: string): Promise<Withdrawal> {
    const value = await this.#ask({ call: 'withdraw', change: id });
    if (typeof value !== 'string') throw otherAnswer();
    return value;
  }

  on<Name extends keyof ClientEvents>(name: Name, listener: (event: ClientEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  /** Resolves when the changes that this page has recorded until now are on the disk. */
  get saved(): Promise<unknown> {
    return Promise.all([...this.#unsaved.keys()].flatMap((id) => this.#receipts.get(id)?.saved ?? []));
  }

  async close(): Promise<void> {
    this.#endCalls();
  }

  // ── Change of leader ──────────────────────────────────────────────────────────────────────────────────────────────

  /** This page becomes the leader: records its unsaved changes in its own client, and connects every receipt to it. */
  handOver(client: LocalClient): void {
    this.#endCalls();
    for (const { draft, by } of this.#unsaved.values()) client.record(draft, by);
    this.#unsaved.clear();
    for (const [id, receipt] of this.#receipts) {
      const local = client.receipt(id);
      if (!local) continue;
      receipt.shows(local.current);
      local.subscribe((state) => receipt.shows(state));
    }
  }

  /** No page leads, because the store cannot be opened: changes of this page are in memory only. */
  cannotLead(why: string): void {
    this.#trouble = { code: 'STORAGE', message: `cannot open the store: ${why}`, at: platform.clock.now() };
    this.#showStatus();
  }

  /** The leader's status, with this page's changes that it does not count. */
  #showStatus(): void {
    const own = [...this.#unsaved.values()].flatMap(({ by }) => (this.#sent.has(by.id) ? [] : by.employee));
    const status = withUnsaved(this.#sentStatus, own);
    const lastError = this.#trouble;
    if (!lastError) return this.status.renew(status);
    const connection = status.connection === 'online' ? 'offline' : status.connection;
    this.status.renew({ ...status, connection, lastError, storage: 'failing' });
  }

  /** The receipt object of this page for a change. */
  ownReceipt(id: string): Receipt | undefined {
    return this.#receipts.get(id);
  }

  /**
   * A page leads: repeats all requests, which it may never have received. Calls to another one get no answer; the same
   * one reports to each page that opens.
   */
  #requestAll(leader: string): void {
    if (leader !== this.#leader) {
      this.#endCalls();
      // Its first status, for another page, may come before it has this page's changes.
      this.#sent.clear();
    }
    this.#leader = leader;
    for (const change of this.#unsaved.values()) this.#bus.post({ type: 'records', change });
    for (const what of ['status', 'driver', 'routes', 'known', 'review', 'conflicts'] as const)
      this.#bus.post({ type: 'wants', wanted: { of: what } });
    for (const { wanted } of this.#routes.values()) this.#bus.post({ type: 'wants', wanted });
    for (const type of this.#codes.keys()) this.#bus.post({ type: 'wants', wanted: { of: 'codes', type } });
    for (const [id, receipt] of this.#receipts)
      if (receipt.current.at !== 'on_host') this.#bus.post({ type: 'wants', wanted: { of: 'receipt', id } });
    this.#bus.post({ type: 'listens' });
  }

  #author() {
    const driver = this.driver.current;
    if (!driver) throw new NotSignedIn();
    return { id: newId(platform), employee: driver.employeeId };
  }

  async #ask(what: Call): Promise<Result> {
    const id = newId(platform);
    const answered = new Promise<Answer>((resolve) => this.#calls.set(id, resolve));
    this.#bus.post({ type: 'asks', id, what });
    const answer = await answered;
    if (answer.kind === 'result') return answer.value;
    if (answer.kind === 'unreachable') throw new Unreachable(what.call, new Error(answer.message));
    throw new Error(answer.message);
  }

  #endCalls(): void {
    for (const answer of this.#calls.values())
      answer({ kind: 'unreachable', message: 'the page that asked was closed' });
    this.#calls.clear();
  }

  #show(shown: Shown): void {
    switch (shown.of) {
      case 'status':
        this.#trouble = undefined;
        this.#sentStatus = shown.value;
        return this.#showStatus();
      case 'driver':
        return this.driver.renew(shown.value);
      case 'routes':
        return this.routes.renew(shown.value);
      case 'known':
        this.#known = shown.value;
        return;
      case 'review':
        for (const { id } of shown.value) {
          this.registerId(id);
          this.receipt(id);
        }
        return this.#reviewed.renew(shown.value);
      case 'conflicts':
        return this.conflicts.renew(shown.value);
      case 'codes':
        return this.#codes.get(shown.type)?.renew(shown.value);
      case 'route':
        this.#registerReceipts(shown.value?.stops ?? []);
        this.#routeSignal(shown.key)?.renew(shown.value);
        // A page requests it last when it opens.
        return this.#ready();
      case 'route news': {
        const signal = this.#routeSignal(shown.key);
        this.#registerReceipts(shown.value.stops);
        const route = signal && withDelta(signal.current, shown.value);
        return route && signal.renew(route);
      }
      case 'receipt':
        // After `recorded`, the status that counts the change follows.
        if (shown.value.at === 'recorded') this.#sent.add(shown.id);
        else {
          const counted = this.#sent.delete(shown.id);
          if (this.#unsaved.delete(shown.id) && !counted) this.#showStatus();
        }
        this.#receipts.get(shown.id)?.shows(shown.value);
    }
  }

  /** Apps may request a receipt as soon as a stop lists it. */
  #registerReceipts(stops: readonly (LocalStop | number)[]): void {
    for (const stop of stops) if (typeof stop !== 'number') for (const id of stop.receipts) this.registerId(id);
  }

  #routeSignal(key: RouteKey | undefined): Signal<LocalRoute | undefined> | undefined {
    return this.#routes.get(key ? routeScope(key) : '')?.signal;
  }

  #emit(named: NamedEvent): void {
    if (this.#events.emit(named) && 'id' in named.event) this.#bus.post({ type: 'received', id: named.event.id });
  }
}

interface RequestedRoute {
  readonly wanted: Wanted;
}

function resultOf(value: Result): SignInResult {
  if (typeof value !== 'object' || !('kind' in value)) throw otherAnswer();
  return value;
}

const otherAnswer = (): Error => new Error('the other page answered something else');
