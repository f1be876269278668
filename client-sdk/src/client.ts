import type { AssignedRoute, Json, ReferenceCode, RouteKey } from '@tailgate/sync-protocol';
import { currentProtocol, routeScope } from '@tailgate/sync-protocol';
import type { QueueConnectionDeps } from './engine/queue-connection.ts';
import { sdkName } from './engine/queue-connection.ts';
import type { SyncEngine, Withdrawal } from './engine/sync-engine.ts';
import type { Diagnostics } from './engine/diagnostics.ts';
import { Closed, NotSignedIn } from './platform/errors.ts';
import type { ClientEvents, Conflict, EventHub } from './engine/events.ts';
import type { Inbox, ReviewedChange } from './engine/inbox.ts';
import { withReceipts } from './engine/inbox.ts';
import type { Outbox } from './queue/outbox.ts';
import { targetOf } from './queue/item.ts';
import type { Draft, SkipInput, StopInput } from './queue/record.ts';
import { draftSkip, draftUpdate } from './queue/record.ts';
import type { Receipt } from './queue/receipt.ts';
import type { StopDrafts } from './queue/stop-drafts.ts';
import { copyOf } from './queue/stop-drafts.ts';
import type { KnownStops, KnownRoutes } from './replica/known.ts';
import { checkKnown } from './replica/known.ts';
import type { LocalRoute } from './replica/local-route.ts';
import type { Replica } from './replica/replica.ts';
import type { ExportedQueue } from './rescue/exported-queue.ts';
import type { Account, Accounts } from './session/accounts.ts';
import type { Session, SignInInput, SignInResult } from './session/auth-calls.ts';
import type { LoadAuth } from './session/sign-in.ts';
import type { Status } from './engine/status.ts';
import { canSignOut, dayComplete } from './engine/status.ts';
import type { StopDraft, StopHandle } from './stop-handle.ts';
import { routeDraft, stopHandle } from './stop-handle.ts';
import type { Journal } from './store/journal.ts';
import type { UploadsPart } from './upload-port.ts';
import type { Watch } from './platform/watch.ts';
import { follow, select, Signal } from './platform/watch.ts';

/** The signed-in driver. */
export interface Driver {
  readonly employeeId: string;
  readonly name: string;
  /** False after the server has ended the session. Recording and draining continue; updates need another sign-in. */
  readonly signedIn: boolean;
  /** When the session expires (ms since 1970, by this device's clock); known a day ahead. */
  readonly sessionEndsAt: number | undefined;
  /** Whether the server has sent the driver's routes. */
  readonly routesKnown: boolean;
  /** As `driverMemo`. */
  readonly memo?: Json | undefined;
}

/** Origin of a change that was made elsewhere, such as in another page. The same id again is the same change. */
export interface Author {
  /** A UUID of version 7. */
  readonly id: string;
  /** The driver who made it, even if another one is signed in by now. */
  readonly employee: string;
}

/** The client for an app, in the leading page or in any other. */
export type Client = Omit<LocalClient, 'pages'>;

/** The parts of a client, composed by `createClient`. */
export interface ClientDeps extends Omit<QueueConnectionDeps, 'engine'> {
  readonly accounts: Accounts;
  readonly loadAuth: LoadAuth;
  readonly drafts: StopDrafts;
  readonly engine: SyncEngine;
  readonly events: EventHub;
  readonly knownStops: KnownStops;
  readonly journal: Journal;
  readonly outbox: Outbox;
  readonly replica: Replica;
  readonly stopWakeUps: () => void;
  readonly uploads: UploadsPart | undefined;
}

/**
 * Tailgate on a device. Synced data is readable without a network. A recorded change is on the disk before it is sent,
 * and arrives once and in order when a network is available.
 */
export class LocalClient {
  /** Connection state, pending changes and the latest fault. */
  readonly status: Watch<Status>;
  readonly driver: Watch<Driver | undefined>;
  /** The driver's routes; the pending one first. */
  readonly routes: Watch<readonly AssignedRoute[]>;
  /** Changes of the signed-in driver that the server could not apply. Each stays until `acknowledge`. */
  readonly review: Watch<readonly ReviewedChange[]>;
  /**
   * Fields of the signed-in driver that lost against a later edit; each stop has its own, too. Each stays until
   * `acknowledge`.
   */
  readonly conflicts: Watch<readonly Conflict[]>;
  readonly #deps: ClientDeps;
  #isClosed = false;

  /** Use `createClient`. */
  constructor(deps: ClientDeps) {
    this.#deps = deps;
    const { current } = deps.accounts;
    this.status = deps.engine.status;
    this.driver = select(current, driverOf);
    this.routes = select(current, (account) => account?.routes ?? noRoutes);
    const { inbox } = deps.engine;
    this.review = withReceipts(inbox.review, (id) => this.receipt(id));
    this.conflicts = inbox.conflicts;
  }

  /** Values and events for the other pages. @internal */
  get pages(): { readonly events: EventHub; readonly inbox: Inbox; readonly known: Watch<KnownRoutes> } {
    const { events, engine, knownStops, accounts } = this.#deps;
    return { events, inbox: engine.inbox, known: knownStops.knownOf(accounts.current) };
  }

  /** Signs in. A conflict and a refusal are results. Throws `Unreachable` without an answer. */
  async signIn(input: SignInInput): Promise<SignInResult> {
    return this.#enter(await (await this.#deps.loadAuth()).signIn(input));
  }

  /** Registers an employee of the employee master, and signs in. */
  async signUp(employeeId: string, password: string, invitation?: string): Promise<SignInResult> {
    return this.#enter(await (await this.#deps.loadAuth()).signUp(employeeId, password, invitation));
  }

  /**
   * Signs out on this device, with or without a network; queued changes drain all the same.
   *
   * @param by signs out this driver alone: where another one is signed in by now, nothing happens
   * @returns whether the server has confirmed it; else it receives the sign-out later
   */
  async signOut(by?: Pick<Author, 'employee'>): Promise<boolean> {
    return this.#open.engine.leave(by?.employee);
  }

  /**
   * Whether the server has every change and every file of the signed-in driver. Signing out loses nothing in either
   * case. Changes with `status`.
   */
  canSignOut(): boolean {
    return canSignOut(this.status.current);
  }

  /** `canSignOut`, and the back office's tables contain all changes of stops. Changes with `status`. */
  dayComplete(): boolean {
    return dayComplete(this.status.current);
  }

  /**
   * Tries everything that waits at once: connections, files, the disk; ends undo windows. `status` shows the result.
   */
  syncNow(): void {
    const { journal, engine, uploads } = this.#deps;
    journal.retry();
    engine.release();
    engine.wake();
    uploads?.wake();
  }

  /** The state of this device, for support; contains no secret and no customer data. */
  async diagnostics(): Promise<Diagnostics> {
    const { takeDiagnostics } = await import('./engine/diagnostics.ts');
    return takeDiagnostics(this.#deps, { sdk: sdkName, protocol: currentProtocol });
  }

  /**
   * Exports the unsent changes of this device, to be imported on another phone (`@tailgate/client-sdk/rescue`). It ends
   * undo windows. The changes stay here, too; a change that arrives twice counts once.
   */
  async exportQueues(): Promise<readonly ExportedQueue[]> {
    const { engine, environment, outbox } = this.#deps;
    const { exportOf } = await import('./rescue/export-of.ts');
    engine.release();
    return exportOf(outbox.queues, environment.clock.now());
  }

  /** A route in the local view; without a key the driver's pending one. Undefined until it was synced once. */
  route(key?: RouteKey): Watch<LocalRoute | undefined> {
    const { replica, accounts } = this.#deps;
    if (key) return replica.route(routeScope(key));
    const pending = select(accounts.current, (account) => account?.routes[0]?.scope);
    return follow(pending, (scope) => (scope === undefined ? noRoute : replica.route(scope)));
  }

  /** A stop of a route, to watch and to record on; 999 is the warehouse. */
  stop(id: number, key?: RouteKey): StopHandle {
    return stopHandle(this, id, key);
  }

  /**
   * The driver's half-filled form for a whole route, such as a load condition report; without a key for the pending one.
   * No recorded change ends it.
   */
  routeDraft(key?: RouteKey): StopDraft {
    return routeDraft(this, key);
  }

  /** A reference code list, in the order of `sort`. */
  codes(type: ReferenceCode['type']): Watch<readonly ReferenceCode[]> {
    return select(this.#deps.replica.codes, (codes) => codes.filter((code) => code.type === type));
  }

  /**
   * Records an update of a stop (a stop object of PUT route/stop): shown at once, sent as soon as possible.
   *
   * @throws InvalidChange naming each invalid field; NotSignedIn; Closed
   */
  updateStop(route: RouteKey, stop: StopInput, by?: Author): Receipt {
    return this.record(this.#checkDraft(draftUpdate(route, stop), by), by);
  }

  /** Records that a stop was skipped or refused; without a status the reason code decides. Throws as `updateStop`. */
  skipStop(route: RouteKey, stopId: number, fields: SkipInput, by?: Author): Receipt {
    return this.record(this.#checkDraft(draftSkip(route, stopId, fields), by), by);
  }

  #checkDraft(draft: Draft, by?: Author): Draft {
    const { accounts, knownStops, replica } = this.#deps;
    const driver = by ? accounts.find(by.employee) : accounts.current.current;
    return checkKnown(draft, knownStops.of(driver), ({ scope, stop }) =>
      replica.route(scope).current?.stops.find(({ id }) => id === stop),
    );
  }

  /**
   * Stores a half-filled stop on this device, or without a stop a form of the route, for the driver who is signed in;
   * `undefined` deletes it. Views show it at once, in a page that does not lead a moment later. Resolves when it, or a later one, is on the disk. No server receives it.
   * Without a route it is the driver's memo.
   *
   * @throws InvalidChange above 65,536 characters of JSON; NotSignedIn; Closed
   */
  async setDraft(
    route: RouteKey | undefined,
    stop: number | undefined,
    draft: Json | undefined,
    by?: Pick<Author, 'employee'>,
  ): Promise<void> {
    const { drafts, accounts } = this.#open;
    await (route
      ? drafts.set({ scope: routeScope(route), stop }, draft, by?.employee)
      : accounts.setMemo(copyOf(draft)?.draft, by?.employee));
  }

  /**
   * Marks the office's edits of a stop as seen: its `unseen` is empty until the next edit. Resolves when that is on the
   * disk.
   */
  async markSeen(route: RouteKey, stop: number): Promise<void> {
    return this.#open.replica.seen({ scope: routeScope(route), stop });
  }

  /** Records a draft of another entry of this package, such as `recordLoadReport`. Throws `NotSignedIn` and `Closed`. */
  record(draft: Draft, by?: Author): Receipt {
    const { accounts, engine, outbox, replica } = this.#open;
    const employee = by?.employee ?? accounts.employee;
    if (employee === undefined) throw new NotSignedIn();
    const known = by && engine.receipt(by.id);
    if (known) return known;
    // The edit is later than the one that the driver saw, even if the clock has been set back.
    const after = replica.latestEdit(targetOf(draft.args)) + 1;
    const { item, saved } = outbox.record(employee, draft, after, by?.id);
    return engine.recorded(item, saved);
  }

  /**
   * Withdraws a change that no transport has taken; certain to work within `undoWindow`. The views drop it at once, and
   * its receipt becomes `withdrawn`. The result comes when it is off the disk. Merged taps are withdrawn together.
   */
  async withdraw(id: string): Promise<Withdrawal> {
    return this.#open.engine.withdraw(id);
  }

  /** The receipt of an earlier change, also of an earlier run; undefined after its retention has ended. */
  receipt(id: string): Receipt | undefined {
    return this.#deps.engine.receipt(id);
  }

  /**
   * The server's time, ms since 1970, independent of this device's clock; the device's own time until the first
   * measurement. For display and countdowns. Changes take a `Date` of the device, which the server corrects.
   */
  now(): number {
    return this.#deps.time.now;
  }

  /**
   * Marks the result of a change as seen: its conflicts, and a dismissed change, are shown no longer. A change under
   * review stays in `review`, as acknowledged. Resolves when that is on the disk.
   */
  async acknowledge(id: string): Promise<boolean> {
    return this.#open.engine.inbox.acknowledge(id);
  }

  on<Name extends keyof ClientEvents>(name: Name, listener: (event: ClientEvents[Name]) => void): () => void {
    return this.#deps.events.on(name, listener);
  }

  /**
   * Ends connections and closes the store, after recorded changes are on the disk. From its first step on, calls that
   * change something throw `Closed`.
   *
   * @throws Unreachable where the page that runs the client does not save this page's changes: this one stays open
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#deps.stopWakeUps();
    this.#deps.engine.close();
    await this.#deps.uploads?.stop();
    this.#deps.drafts.flush();
    await this.#deps.journal.close();
  }

  /** The parts, for a call that changes something. */
  get #open(): ClientDeps {
    if (this.#isClosed) throw new Closed();
    return this.#deps;
  }

  async #enter([result, session]: [SignInResult, Session?]): Promise<SignInResult> {
    if (session) await this.#open.engine.enter(session);
    return result;
  }
}

const noRoutes: readonly AssignedRoute[] = [];
const noRoute = new Signal<LocalRoute | undefined>(undefined);

function driverOf(account: Account | undefined): Driver | undefined {
  return (
    account && {
      employeeId: account.employee,
      name: account.name,
      signedIn: account.token !== null,
      sessionEndsAt: account.ends_at,
      routesKnown: account.routes_known === true,
      memo: account.memo,
    }
  );
}
