import type { Cursor, Scope, ReceivedFrame } from '@tailgate/sync-protocol';
import { clientScope, codesScope } from '@tailgate/sync-protocol';
import type { QueueConnectionDeps, Credentials, EngineApi } from './queue-connection.ts';
import { QueueConnection } from './queue-connection.ts';
import type { EventHub } from './events.ts';
import { Inbox } from './inbox.ts';
import type { QueueItem } from '../queue/item.ts';
import type { Outbox } from '../queue/outbox.ts';
import type { Queue } from '../queue/queue.ts';
import { Receipt } from '../queue/receipt.ts';
import type { Replica } from '../replica/replica.ts';
import type { Account, Accounts } from '../session/accounts.ts';
import type { Session } from '../session/auth-calls.ts';
import type { Auth } from '../session/sign-in.ts';
import type { Status, Trouble } from './status.ts';
import { connectionStatus, pendingOf } from './status.ts';
import { Signal } from '../platform/watch.ts';

export interface SyncEngineDeps extends Omit<QueueConnectionDeps, 'engine'> {
  readonly accounts: Accounts;
  readonly auth: Auth;
  readonly events: EventHub;
  readonly outbox: Outbox;
  readonly replica: Replica;
}

/**
 * What became of a wish to take a change back. `sent`: a transport has taken it, or an earlier run of the app may have sent it:
 * undoing it is a correction, recorded like any change. `unknown`: this device does not know it.
 */
export type Withdrawal = 'withdrawn' | 'sent' | 'unknown';

/** Enough to see what led to what. */
const troublesKept = 20;
/** The same again within so long is the same one. */
const sameTroubleMs = 60_000;

/**
 * Brings the parts together: a channel for each queue, the feed of the driver who works with the device, receipts,
 * status and events. Decides who may speak with which credentials.
 */
export class SyncEngine implements EngineApi {
  readonly status: Signal<Status>;
  readonly inbox: Inbox;
  /** The last things that went wrong, the latest last. */
  readonly troubles: Trouble[] = [];
  /** Of these, what nothing has said to be over. */
  #lasting: Trouble[] = [];
  readonly #deps: SyncEngineDeps;
  /** One for each queue. */
  readonly queueConnections: QueueConnection[] = [];
  readonly #receipts = new Map<string, Receipt>();
  /** Queues of which this run has shown a key in vain: while there is a token, they do not try the next one. */
  readonly #keyRefused = new Set<Queue>();
  /** The life of the server's database, as the latest welcome told it. */
  epoch: string | undefined;
  #files: Status['uploading'] = {};
  #storage: Status['storage'] = 'ok';
  #bytesPass = false;
  #clockAheadMs: number | undefined;
  #closed = false;

  constructor(deps: SyncEngineDeps) {
    this.#deps = deps;
    this.status = new Signal(this.#computeStatus());
    this.inbox = new Inbox(deps);
    deps.outbox.onRelease = () => this.#update();
    deps.outbox.onChange = (items) => this.#changed(items);
    for (const damaged of deps.outbox.damaged) this.trouble('DAMAGED', `cannot read ${damaged}; it is kept`);
    this.#update();
  }

  // ── What the client asks ─────────────────────────────────────────────────────────────────────────────────────────

  async enter({ employee, name, token }: Session): Promise<void> {
    await this.#deps.accounts.enter(employee, name, token);
    this.#update();
  }

  async leave(): Promise<boolean> {
    const { accounts } = this.#deps;
    const employee = accounts.employee;
    if (employee === undefined) return true;
    await accounts.leave();
    this.#update();
    await this.#tellSignOuts();
    return accounts.find(employee)?.leaving !== true;
  }

  recorded(item: QueueItem, saved: Promise<void>): Receipt {
    const receipt = this.#receiptOf(item);
    receipt.saving(saved);
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
    const forgotten = this.#deps.outbox.withdraw(id);
    if (!forgotten) return 'sent';
    receipt.shows({ at: 'withdrawn' });
    await forgotten;
    return 'withdrawn';
  }

  /** Undo windows end. */
  release(): void {
    this.#deps.outbox.release();
    this.#update();
  }

  wake(): void {
    this.#deps.transport.woken();
    for (const queueConnection of this.queueConnections) queueConnection.wake();
    void this.#tellSignOuts();
  }

  filesWait(files: Status['uploading']): void {
    this.#files = files;
    this.showStatus();
  }

  /** Files pass, or pass no longer: where they do, a socket that waits tries at once. */
  bytesPass(pass: boolean): void {
    if (pass === this.#bytesPass) return;
    this.#bytesPass = pass;
    if (pass) for (const queueConnection of this.queueConnections) queueConnection.knock();
    this.showStatus();
  }

  storageTrouble(why?: string): void {
    this.#storage = why ? 'failing' : 'ok';
    if (why) this.trouble('STORAGE', `cannot store yet: ${why}`);
    // What waited for the disk may go now.
    else this.#update();
  }

  close(): void {
    this.#closed = true;
    this.#deps.outbox.release();
    for (const queueConnection of this.queueConnections) queueConnection.close();
  }

  // ── What channels ask and tell ───────────────────────────────────────────────────────────────────────────────────

  credentials(queue: Queue): Credentials | undefined {
    const { employee, queue_key, epoch } = queue.head;
    const api_token = this.#deps.accounts.find(employee)?.token;
    const session = api_token ? { api_token } : undefined;
    if (this.followerOf(queue)) return session;
    // A server of another epoch may have lost what it had of this queue: it has to be asked.
    const isUnsure = queue.items.length > 0 && this.epoch && epoch !== this.epoch;
    if (queue.waiting.size === 0 && !isUnsure) return undefined;
    return queue_key === null || (session && this.#keyRefused.has(queue)) ? session : { queue_key };
  }

  /** The driver at work, where this is their queue and they may read. */
  followerOf({ head }: Queue): Account | undefined {
    const account = this.#deps.accounts.current.current;
    return account?.token && account.employee === head.employee && !head.retired ? account : undefined;
  }

  /** A driver's connection follows their routes, their queue's answers, the code lists, and what still drains. */
  cursors(queue: Queue): Record<Scope, Cursor | null> {
    const account = this.followerOf(queue);
    if (!account) return {};
    const { replica, outbox } = this.#deps;
    const routes = account.routes.map(({ scope }) => scope);
    const scopes = [...routes, ...outbox.unfinished.scopes, codesScope, clientScope(queue.head.client_id)];
    return Object.fromEntries(scopes.map((scope) => [scope, replica.cursor(scope)]));
  }

  welcomed(queue: Queue, epoch: string): void {
    const { outbox, replica } = this.#deps;
    this.epoch = epoch;
    replica.enterEpoch(epoch);
    if (this.followerOf(queue)) {
      // What belongs to nobody at work here is taken off the device, once nothing of it has to drain.
      const followed = this.cursors(queue);
      for (const scope of replica.scopes.keys()) if (!(scope in followed)) replica.forget(scope);
    }
    outbox.purge();
    // An app that was killed between the office's word and this one.
    for (const { answered } of outbox.queues) replica.review(answered);
    void this.#tellSignOuts();
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

  rejected(queueConnection: QueueConnection, code: string, message: string): void {
    const { queue } = queueConnection;
    const credentials = this.credentials(queue);
    // Never a reason to drop anything: the queue key drains what there is, the rest waits for the driver.
    if (code === 'INVALID_TOKEN' && credentials) {
      if ('api_token' in credentials) this.#endSession(queue.head.employee, message);
      else {
        // A hello that was long under way has had another key made, and its answer was lost: this one opens nothing more.
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
    events.emit({ name: 'session', event: { employee, reason } });
    this.#update();
  }

  /** The server has answered changes: the same trouble again is another one. A disk that fails goes on failing meanwhile. */
  relieved(): void {
    if (this.#storage === 'ok') this.#lasting = [];
  }

  trouble(code: string, message: string): void {
    const at = this.#deps.environment.clock.now();
    // Several may last at a time, and take turns.
    for (const last of this.#lasting)
      if (last.code === code && last.message === message && Math.abs(at - last.at) < sameTroubleMs) return;
    for (const list of [this.troubles, this.#lasting])
      if (list.push({ code, message, at }) > troublesKept) list.shift();
    this.showStatus();
  }

  // ── How it hangs together ────────────────────────────────────────────────────────────────────────────────────────

  #changed(items: readonly QueueItem[]): void {
    for (const item of items) this.#receipts.get(item.mutation.id)?.moved(item);
    this.#deps.replica.changed(items);
    this.inbox.look();
    this.#update();
  }

  /** Lets every channel look again at what it has to do. */
  #update(): void {
    if (this.#closed) return;
    const { outbox, accounts } = this.#deps;
    // The driver at work follows the feed with an empty queue, too.
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

  async #tellSignOuts(): Promise<void> {
    // What could not be loaded is tried again with the next welcome and every wake-up.
    const auth = await this.#deps.auth().catch(() => undefined);
    await auth?.tellSignOuts();
  }

  showStatus(): void {
    this.status.renew(this.#computeStatus());
  }

  /** A new figure only where it is another one for a person. */
  #clockAhead(): number | undefined {
    const { environment, time } = this.#deps;
    const { clock } = environment;
    const ahead = time.best && clock.now() - clock.monotonic() - time.best.ms;
    if (ahead !== undefined && Math.abs(ahead - (this.#clockAheadMs ?? Infinity)) > 500)
      this.#clockAheadMs = Math.round(ahead);
    return this.#clockAheadMs;
  }

  #computeStatus(): Status {
    const account = this.#deps.accounts.current.current;
    const queueConnection = this.queueConnections.find(({ queue }) => this.followerOf(queue));
    return {
      connection: connectionStatus(account?.token, queueConnection?.state, this.#bytesPass),
      employeeId: account?.employee,
      ...pendingOf(this.#deps.outbox, (queue) => this.credentials(queue)),
      uploading: this.#files,
      clockAheadMs: this.#clockAhead(),
      lastError: this.troubles.at(-1),
      storage: this.#storage,
    };
  }
}
