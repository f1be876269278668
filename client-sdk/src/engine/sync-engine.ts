import type { Cursor, Scope, ReceivedFrame, WaitingFiles } from '@tailgate/sync-protocol';
import { clientScope, codesScope } from '@tailgate/sync-protocol';
import type { QueueConnectionDeps, Credentials, EngineApi } from './queue-connection.ts';
import { QueueConnection } from './queue-connection.ts';
import type { EventHub } from './events.ts';
import { Inbox } from './inbox.ts';
import type { OfflineSince } from './offline-since.ts';
import type { QueueItem } from '../queue/item.ts';
import { byEdit } from '../queue/item.ts';
import type { Outbox } from '../queue/outbox.ts';
import type { Queue } from '../queue/queue.ts';
import { Receipt } from '../queue/receipt.ts';
import type { Replica } from '../replica/replica.ts';
import type { Account, Accounts } from '../session/accounts.ts';
import type { Session } from '../session/auth-calls.ts';
import type { LoadAuth } from '../session/sign-in.ts';
import type { Status, Trouble } from './status.ts';
import { connectionStatus, pendingOf } from './status.ts';
import { Signal } from '../platform/watch.ts';

export interface SyncEngineDeps extends Omit<QueueConnectionDeps, 'engine'> {
  readonly accounts: Accounts;
  readonly loadAuth: LoadAuth;
  readonly events: EventHub;
  readonly offlineSince: OfflineSince;
  readonly outbox: Outbox;
  readonly replica: Replica;
}

/**
 * The result of a withdrawal. `sent`: a transport has taken the change, or an earlier run of the app may have sent it;
 * an undo is then a correction, recorded like any change. `unknown`: this device does not have it.
 */
export type Withdrawal = 'withdrawn' | 'sent' | 'unknown';

/** A server lets a connection follow 50 scopes; more routes may come. */
const maxScopes = 40;
/** Enough to see cause and effect. */
const maxTroubles = 20;
/** The same fault again within this time counts once. */
const sameTroubleMs = 60_000;

/**
 * Composes the parts: a connection for each queue, the feed of the signed-in driver, receipts, status and events.
 * Decides which credentials each queue uses.
 */
export class SyncEngine implements EngineApi {
  readonly status: Signal<Status>;
  readonly inbox: Inbox;
  /** The latest faults, the latest last. */
  readonly troubles: Trouble[] = [];
  /** The faults among them that may still last. */
  #ongoingTroubles: Trouble[] = [];
  readonly #deps: SyncEngineDeps;
  /** One for each queue. */
  readonly queueConnections: QueueConnection[] = [];
  readonly #receipts = new Map<string, Receipt>();
  /** Queues whose key the server rejected in this run: while a token exists, they use it instead of the next key. */
  readonly #keyRefused = new Set<Queue>();
  /** The epoch of the server's database, from the latest welcome. Undefined where it may have changed since. */
  epoch: string | undefined;
  #files: Status['uploading'] = {};
  /** Set by uploads, for hello and ping. */
  declare files?: (employee: string) => WaitingFiles;
  #storage: Status['storage'] = 'ok';
  #bytesPass = false;
  #clockAheadMs: number | undefined;
  #closed = false;

  constructor(deps: SyncEngineDeps) {
    this.#deps = deps;
    this.status = new Signal(this.#computeStatus());
    this.inbox = new Inbox(deps);
    deps.outbox.onRelease = () => this.#update();
    deps.outbox.onSaved = () => this.showStatus();
    deps.outbox.onChange = (items) => this.#changed(items);
    for (const damaged of deps.outbox.damaged) this.trouble('DAMAGED', `cannot read ${damaged}; it is kept`);
    this.#update();
  }

  // ── For the client ────────────────────────────────────────────────────────────────────────────────────────────────

  async enter({ employee, name, token }: Session): Promise<void> {
    await this.#deps.accounts.enter(employee, name, token);
    this.#update();
  }

  async leave(employee = this.#deps.accounts.employee): Promise<boolean> {
    const { accounts } = this.#deps;
    if (employee === undefined) return true;
    if (employee === accounts.employee) await accounts.leave();
    this.#update();
    await this.#reportSignOuts();
    return !accounts.find(employee)?.leaving;
  }

  recorded(item: QueueItem, saved: Promise<void>): Receipt {
    const receipt = this.#receiptOf(item);
    receipt.saving(saved, item.edit_time);
    return receipt;
  }

  receipt(id: string): Receipt | undefined {
    const item = this.#deps.outbox.find(id);
    if (item) return this.#receiptOf(item);
    const known = this.#receipts.get(id);
    return known?.current.at === 'withdrawn' ? known : undefined;
  }

  async withdraw(id: string): Promise<Withdrawal> {
    const receipt = this.receipt(id);
    if (!receipt) return 'unknown';
    if (receipt.current.at === 'withdrawn') return 'withdrawn';
    const deleted = this.#deps.outbox.withdraw(id);
    if (!deleted) return 'sent';
    receipt.shows({ at: 'withdrawn' });
    await deleted;
    return 'withdrawn';
  }

  /** Undo windows end: their changes may be sent. */
  release(): void {
    this.#deps.outbox.release();
    this.#update();
  }

  wake(): void {
    this.#deps.transport.networkMayBeBack();
    if (!this.#deps.accounts.current.current?.token) this.epoch = undefined;
    this.#update();
    for (const queueConnection of this.queueConnections) queueConnection.wake();
    void this.#reportSignOuts();
  }

  filesWait(files: Status['uploading']): void {
    this.#files = files;
    this.showStatus();
  }

  /** File uploads make progress, or have stopped. With progress, a waiting connection tries at once. */
  bytesPass(pass: boolean): void {
    if (pass === this.#bytesPass) return;
    this.#bytesPass = pass;
    if (pass) for (const queueConnection of this.queueConnections) queueConnection.retryIfWaiting();
    this.showStatus();
  }

  storageTrouble(why?: string): void {
    this.#storage = why ? 'failing' : 'ok';
    if (why) this.trouble('STORAGE', `cannot store yet: ${why}`);
    // Changes that waited for the disk may go now.
    else this.#update();
  }

  close(): void {
    this.#closed = true;
    this.#deps.outbox.release();
    for (const queueConnection of this.queueConnections) queueConnection.close();
  }

  // ── EngineApi ─────────────────────────────────────────────────────────────────────────────────────────────────────

  credentials(queue: Queue): Credentials | undefined {
    const { employee, queue_key, epoch } = queue.head;
    const api_token = this.#deps.accounts.find(employee)?.token;
    const session = api_token ? { api_token } : undefined;
    if (this.followerOf(queue)) return session;
    // A server of another epoch may have lost changes of this queue: the queue has to connect and ask. A signed-in
    // driver's connection asks for all queues.
    const isUnsure = this.epoch ? epoch !== this.epoch : !this.#deps.accounts.current.current?.token;
    if (queue.waiting.size === 0 && !(isUnsure && queue.items[0])) return undefined;
    return queue_key === null || (session && this.#keyRefused.has(queue)) ? session : { queue_key };
  }

  /** The signed-in driver, where this is their queue and they may read. */
  followerOf({ head }: Queue): Account | undefined {
    const account = this.#deps.accounts.current.current;
    return account?.token && account.employee === head.employee && !head.retired ? account : undefined;
  }

  /**
   * A driver's connection follows the code lists, their queue's answers, their routes, and the scopes of unfinished
   * changes, as far as a server lets it: their own first, and the latest.
   */
  cursors(queue: Queue): Record<Scope, Cursor | null> {
    const account = this.followerOf(queue);
    if (!account) return {};
    const { replica, outbox } = this.#deps;
    const isOwn = (item: QueueItem): number => Number(item.employee === account.employee);
    const changes = [...outbox.unfinished.all()].sort((a, b) => isOwn(b) - isOwn(a) || byEdit(b, a));
    const scopes = new Set([codesScope, clientScope(queue.head.client_id)]);
    for (const each of [...account.routes, ...changes.map(({ target }) => target)]) if (each) scopes.add(each.scope);
    return Object.fromEntries([...scopes].slice(0, maxScopes).map((scope) => [scope, replica.cursor(scope)]));
  }

  welcomed(queue: Queue, epoch: string): void {
    const { outbox, replica, time } = this.#deps;
    this.epoch = epoch;
    replica.enterEpoch(epoch);
    if (this.followerOf(queue)) {
      // Removes scopes that the signed-in driver does not follow, once none of their changes have to drain.
      const kept = new Set([...Object.keys(this.cursors(queue)), ...outbox.unfinished.scopes]);
      for (const scope of replica.scopes.keys()) if (!kept.has(scope)) replica.forget(scope);
    }
    // Ages count by the server's time: a phone's clock may jump by weeks.
    if (time.isSure) {
      outbox.purge();
      replica.purge();
    }
    // Completes a review where the app was killed between the office's answer and its effect on the replica.
    for (const { answered } of outbox.queues) replica.review(answered);
    void this.#reportSignOuts();
    this.#update();
  }

  session({ head: { employee } }: Queue, frame: Extract<ReceivedFrame, { type: 'session' }>): void {
    const { accounts, events, environment } = this.#deps;
    const { state, reason = state, expires_in_s } = frame;
    if (state === 'revoked') return this.#endSession(employee, reason);
    if (expires_in_s === undefined) return;
    const at = environment.clock.now() + expires_in_s * 1_000;
    if (accounts.setEnd(employee, at)) events.emit({ name: 'expires', event: { employee, at } });
  }

  rejected(queueConnection: QueueConnection, code: string, message: string, reason = message): void {
    const { queue } = queueConnection;
    const credentials = this.credentials(queue);
    // A rejection never drops a change: the queue key drains the queue, the rest waits for the driver to sign in.
    if (code === 'INVALID_TOKEN' && credentials) {
      if ('api_token' in credentials) this.#endSession(queue.head.employee, reason);
      else {
        // A delayed hello has created another key, and its answer was lost: this key has become invalid.
        this.#deps.outbox.setQueueKey(queue, null);
        this.#keyRefused.add(queue);
        this.#update();
      }
    } else if (code === 'CLIENT_OF_OTHER_EMPLOYEE') queueConnection.fork();
    this.trouble(code, message);
  }

  #endSession(employee: string, reason: string): void {
    const { accounts, events } = this.#deps;
    accounts.dropToken(employee);
    // A restored server may have refused it.
    this.epoch = undefined;
    events.emit({ name: 'session', event: { employee, reason } });
    this.#update();
  }

  /** The server has answered changes: the same fault again is a new one. A failing disk may continue to fail meanwhile. */
  changesAnswered(): void {
    if (this.#storage === 'ok') this.#ongoingTroubles = [];
  }

  trouble(code: string, message: string): void {
    const at = this.#deps.environment.clock.now();
    // Several faults may last at the same time and alternate.
    for (const last of this.#ongoingTroubles)
      if (last.code === code && last.message === message && Math.abs(at - last.at) < sameTroubleMs) return;
    for (const list of [this.troubles, this.#ongoingTroubles])
      if (list.push({ code, message, at }) > maxTroubles) list.shift();
    this.showStatus();
  }

  // ── Internal flow ─────────────────────────────────────────────────────────────────────────────────────────────────

  #changed(items: readonly QueueItem[]): void {
    for (const item of items) this.#receipts.get(item.mutation.id)?.moved(item);
    this.#deps.replica.changed(items);
    this.inbox.refresh();
    this.#update();
  }

  /** Creates missing connections, and updates each one. */
  #update(): void {
    if (this.#closed) return;
    const { outbox, accounts } = this.#deps;
    // The signed-in driver follows the feed with an empty queue, too.
    const employee = accounts.employee;
    if (employee !== undefined) outbox.queueOf(employee);
    for (const queue of outbox.queues) {
      if (this.queueConnections.some((queueConnection) => queueConnection.queue === queue)) continue;
      this.queueConnections.push(new QueueConnection(queue, { ...this.#deps, engine: this }));
    }
    for (const queueConnection of this.queueConnections) queueConnection.update();
    this.showStatus();
  }

  #receiptOf(item: QueueItem): Receipt {
    const { id } = item.mutation;
    const receipt = this.#receipts.get(id) ?? new Receipt(id, item);
    this.#receipts.set(id, receipt);
    return receipt;
  }

  async #reportSignOuts(): Promise<void> {
    // After a failed import, each welcome and each wake-up tries again.
    const auth = await this.#deps.loadAuth().catch(() => undefined);
    await auth?.reportSignOuts();
  }

  showStatus(): void {
    this.status.renew(this.#computeStatus());
  }

  /** Changes the figure only by steps that matter to a person. */
  #clockAhead(): number | undefined {
    const { environment, time } = this.#deps;
    const ahead = time.best && environment.clock.now() - time.now;
    if (ahead !== undefined && Math.abs(ahead - (this.#clockAheadMs ?? Infinity)) > 500)
      this.#clockAheadMs = Math.round(ahead);
    return this.#clockAheadMs;
  }

  #computeStatus(): Status {
    const { accounts, outbox, offlineSince } = this.#deps;
    const account = accounts.current.current;
    const queueConnection = this.queueConnections.find(({ queue }) => this.followerOf(queue));
    const connection = connectionStatus(account?.token, queueConnection?.state, this.#bytesPass);
    return {
      connection,
      // The store is closing.
      offlineSince: this.#closed ? this.status.current.offlineSince : offlineSince.at(connection === 'online'),
      employeeId: account?.employee,
      names: Object.fromEntries([...accounts.all].map(({ employee, name }) => [employee, name])),
      unsaved: outbox.unsaved,
      ...pendingOf(this.queueConnections, (queue) => this.credentials(queue)),
      uploading: this.#files,
      clockAheadMs: this.#clockAhead(),
      lastError: this.troubles.at(-1),
      storage: this.#storage,
    };
  }
}
