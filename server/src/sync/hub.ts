import { headerDocument, routeScope, type AssignedRoute } from '@tailgate/sync-protocol';
import type { EndReason } from '../auth/rules.ts';
import { readSessionState, readSessionStates, type Sessions } from '../auth/sessions.ts';
import type { Listener } from '../db/listen.ts';
import { assignmentsChannel, routesChannel, sessionsChannel } from '../db/notify-sql.ts';
import type { Queryable } from '../db/types.ts';
import type { Log } from '../runtime/log.ts';
import type { Pipeline, RouteCommit } from '../mutations/change.ts';
import { listAssignedRoutes } from '../routes/queries.ts';
import { findOpenClients, openClients, type ClientAnswer, type ClientRequest, type FoundClient } from './clients.ts';
import { Feed, type Reader } from './feed.ts';
import { gather } from '../db/gather.ts';
import { DeviceStatus } from './device-status.ts';
import type { SyncLimits } from './limits.ts';
import type { SessionEvent } from './session-types.ts';
import { Slots } from './slots.ts';
import { findRevoked, readEpoch, skipLostItems } from './sql.ts';

/** One timer serves all sockets (`sweep_ms`). */
const SWEEPS_A_CHECK = 5;
const SWEEPS_A_REPORT = 60;
/** A phone receives the warning of a session's end a day ahead. */
const WARN_BEFORE_MS = 24 * 60 * 60 * 1_000;

export interface HubOptions {
  readonly db: Queryable;
  readonly listener: Pick<Listener, 'onNotify' | 'onReconnect'>;
  readonly pipeline: Pick<Pipeline, 'push' | 'waitForCapacity' | 'onCommit'>;
  readonly sessions: Pick<Sessions, 'authenticate'>;
  readonly clock: () => Date;
  readonly log: Log;
  readonly limits: SyncLimits;
}

/** A phone's connection, with its events from outside. */
export interface Connected extends Reader {
  /** The hash of the hello's token; null for a queue key, or once the session has ended. */
  readonly tokenHash: Buffer | null;
  handle(event: SessionEvent): void;
  tick(now: number): void;
  setRoutes(routes: readonly AssignedRoute[]): void;
  sessionEnds(inSeconds: number): void;
  sessionEnded(reason: string): void;
}

/** The shared state of all connections of this node, and their events from outside: commits, notifications, time. */
export class Hub {
  readonly limits: SyncLimits;
  readonly clock: () => Date;
  readonly log: Log;
  readonly pipeline: HubOptions['pipeline'];
  readonly sessions: HubOptions['sessions'];
  readonly serverEpoch: number;
  readonly feed: Feed;
  readonly deviceStatus: DeviceStatus;
  readonly openClient: (request: ClientRequest) => Promise<ClientAnswer>;
  readonly findClient: (request: ClientRequest) => Promise<FoundClient>;
  readonly routesOf: (employee: string) => Promise<{ readonly routes: readonly AssignedRoute[] }>;
  readonly #db: Queryable;
  readonly #connections = new Set<Connected>();
  readonly #byEmployee = new Map<string, Set<Connected>>();
  readonly #endings: (() => void)[] = [];
  readonly #slots: Slots;
  /** Hellos in progress. */
  hellosInProgress = 0;
  #sweeps = 0;
  #stopping = false;

  constructor({ db, clock, log, limits, pipeline, sessions }: HubOptions, serverEpoch: number) {
    this.#db = db;
    this.clock = clock;
    this.log = log;
    this.limits = limits;
    this.pipeline = pipeline;
    this.sessions = sessions;
    this.serverEpoch = serverEpoch;
    this.#slots = new Slots(limits.slot_ms, limits.slots_ms);
    this.feed = new Feed({ db, log, serverEpoch, now: () => performance.now() });
    this.deviceStatus = new DeviceStatus(db, log);
    this.openClient = gather((requests: readonly ClientRequest[]) => openClients(db, requests, clock()), { atOnce: 1 });
    this.findClient = gather((requests: readonly ClientRequest[]) => findOpenClients(db, requests), { atOnce: 1 });
    this.routesOf = gather(
      async (employees: readonly string[]) => {
        const routes = await listAssignedRoutes(db, [...new Set(employees)], clock());
        return employees.map((employee) => ({ routes: routes.get(employee) ?? [] }));
      },
      { atOnce: 1 },
    );
  }

  async start({ listener, pipeline }: HubOptions): Promise<void> {
    this.#endings.push(pipeline.onCommit((commits) => this.#committed(commits)));
    listener.onReconnect(() => this.#notificationsLost());
    await listener.onNotify(routesChannel, (payload) => this.feed.hint(payload));
    await listener.onNotify(assignmentsChannel, (payload) => this.#assignmentsChanged(this.#of(payload.split(' '))));
    await listener.onNotify(sessionsChannel, (payload) => this.#checkSessions(this.#of(payload.split(' '))));
    const timer = setInterval(() => this.#sweep(), this.limits.sweep_ms);
    this.#endings.push(() => clearInterval(timer));
  }

  /** The number of connections, of all clients or of one queue. */
  connectionsOf(clientId?: string): number {
    if (clientId === undefined) return this.#connections.size;
    return [...this.#connections].filter((connection) => connection.clientId === clientId).length;
  }

  add(connection: Connected): void {
    this.#connections.add(connection);
    if (this.#stopping) this.#dismiss(connection);
  }

  /** Its hello has named the employee. */
  register(connection: Connected): void {
    const { employee } = connection;
    const others = this.#byEmployee.get(employee);
    if (others) others.add(connection);
    else this.#byEmployee.set(employee, new Set([connection]));
  }

  remove(connection: Connected): void {
    this.#connections.delete(connection);
    const others = this.#byEmployee.get(connection.employee);
    others?.delete(connection);
    if (others?.size === 0) this.#byEmployee.delete(connection.employee);
  }

  /** @returns the last sequence that may be declared lost, where this range ends beyond it; nothing has moved then */
  async skipLost(lost: {
    clientId: string;
    employee: string;
    from: number;
    to: number;
    reason: string;
  }): Promise<{ readonly max: number } | undefined> {
    const { clientId, employee, from, to, reason } = lost;
    const max = this.serverEpoch > 1 ? this.limits.forgotten_items : this.limits.lost_items;
    const values = [clientId, employee, from, to, JSON.stringify(reason), max];
    const { rows } = await this.#db.query<{ max: number }>(skipLostItems, values);
    return rows[0] && to > rows[0].max ? rows[0] : undefined;
  }

  /** Closes all connections; pushes in flight are answered first. */
  closeConnections(): void {
    this.#stopping = true;
    for (const connection of this.#connections) this.#dismiss(connection);
  }

  /** The wait of a refused phone, in ms. Each phone gets a time of its own. */
  retryAfterMs(): number {
    return this.#slots.next(this.clock().getTime());
  }

  #dismiss(connection: Connected): void {
    connection.handle({ type: 'stopping', retryAfterMs: this.retryAfterMs() });
  }

  async stop(): Promise<void> {
    for (const end of this.#endings) end();
    this.feed.close();
    await this.deviceStatus.save();
  }

  #committed(commits: readonly RouteCommit[]): void {
    this.feed.committed(commits);
    // A route that opens or closes changes the routes of its drivers.
    for (const { key, documents } of commits) {
      if (documents.some((document) => document.key === headerDocument))
        this.#sendRoutes(this.#of(this.feed.driversOf(routeScope(key))));
    }
  }

  /** Notifications of some time may be lost, so everything is checked. */
  #notificationsLost(): void {
    this.feed.checkAll();
    this.#checkSessions(this.#connections);
    this.#sendRoutes(this.#connections);
  }

  #assignmentsChanged(connections: readonly Connected[]): void {
    this.feed.assignmentsChanged(connections);
    this.#sendRoutes(connections);
  }

  #sendRoutes(connections: Iterable<Connected>): void {
    for (const connection of connections) {
      if (connection.tokenHash === null) continue;
      this.routesOf(connection.employee).then(
        ({ routes }) => connection.setRoutes(routes),
        (err: unknown) => this.log.warn({ err }, 'the routes of a driver could not be read'),
      );
    }
  }

  /** Repeated each minute, and as soon as notifications are back. */
  #checkSessions(connections: Iterable<Connected>): void {
    this.#endEnded(connections).catch((err: unknown) =>
      this.log.warn({ err }, 'sessions of phones could not be checked'),
    );
  }

  /** Why the session of this token has ended; undefined where this employee never had it. */
  async endOf(employee: string, token: string): Promise<EndReason | undefined> {
    const state = await readSessionState(this.#db, employee, token, this.clock());
    return state?.kind === 'ended' ? state.reason : undefined;
  }

  async #endEnded(connections: Iterable<Connected>): Promise<void> {
    const signedIn = [...connections].flatMap((connection) => {
      const { tokenHash } = connection;
      return tokenHash ? [{ connection, tokenHash }] : [];
    });
    if (signedIn.length === 0) return;
    const now = this.clock();
    const hashes = signedIn.map(({ tokenHash }) => tokenHash);
    const states = await readSessionStates(this.#db, hashes, now);
    for (const [i, { connection }] of signedIn.entries()) {
      const state = states[i];
      if (state?.kind !== 'live') connection.sessionEnded(state?.reason ?? 'signed_out');
      else if (state.until.getTime() - now.getTime() < WARN_BEFORE_MS)
        connection.sessionEnds(Math.round((state.until.getTime() - now.getTime()) / 1_000));
    }
  }

  #sweep(): void {
    const now = this.clock().getTime();
    for (const connection of this.#connections) connection.tick(now);
    this.#sweeps++;
    if (this.#sweeps % SWEEPS_A_CHECK === 0) {
      this.feed.checkAll();
      void this.deviceStatus.saveWork();
    }
    if (this.#sweeps % SWEEPS_A_REPORT === 0) {
      void this.deviceStatus.save();
      this.#checkSessions(this.#connections);
      this.#endRevoked().catch((err: unknown) => this.log.warn({ err }, 'revoked queues could not be read'));
    }
  }

  /**
   * A push finds a revoked queue at once. This check is for queues that only read. A phone gets the reason for the end of its
   * session before the connection closes, also where the notification has not arrived yet.
   */
  async #endRevoked(): Promise<void> {
    const known = [...this.#byEmployee.values()].flatMap((connections) => [...connections]);
    if (known.length === 0) return;
    const { rows } = await this.#db.query<{ client_id: string }>(findRevoked, [known.map(({ clientId }) => clientId)]);
    const ids = new Set(rows.map((row) => row.client_id));
    const revoked = known.filter(({ clientId }) => ids.has(clientId));
    await this.#endEnded(revoked);
    for (const connection of revoked) connection.handle({ type: 'unbound' });
  }

  #of(employees: Iterable<string>): Connected[] {
    return [...employees].flatMap((employee) => [...(this.#byEmployee.get(employee) ?? [])]);
  }
}

export async function openHub(options: HubOptions): Promise<Hub> {
  const hub = new Hub(options, await currentEpoch(options.db));
  await hub.start(options);
  return hub;
}

async function currentEpoch(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ epoch: number }>(readEpoch);
  return rows[0]?.epoch ?? 1;
}
