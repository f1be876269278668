import { once } from 'node:events';
import Fastify, { type FastifyInstance } from 'fastify';
import { WebSocket } from 'ws';
import { uploadLimits } from '../../server/src/assets/limits.ts';
import { shareCommits } from '../../server/src/assets/shared-commit.ts';
import { BufferPool } from '../../server/src/assets/chunk-buffer.ts';
import { Sessions } from '../../server/src/auth/sessions.ts';
import { codeBook } from '../../server/src/codes/code-book.ts';
import { withTransaction } from '../../server/src/db/transaction.ts';
import type { Db } from '../../server/src/db/types.ts';
import type { Log } from '../../server/src/runtime/log.ts';
import type { Pipeline } from '../../server/src/mutations/change.ts';
import { openPipeline, type Pauses } from '../../server/src/mutations/intake/pipeline.ts';
import type { Wakeups } from '../../server/src/mutations/jobs/wakeups.ts';
import { readableHeaders } from '../../server/src/http/server/browser-rules.ts';
import { mountSync } from '../../server/src/sync/socket.ts';
import { answerErrors } from '../../server/src/wire/errors.ts';
import { mountUploads } from '../../server/src/sync/plain-http/uploads.ts';
import type { Chance } from './chance.ts';
import { type KillPoint, KillableDatabase } from './killable-database.ts';
import type { Machine } from './machine.ts';
import type { Quiescence } from './quiescence.ts';
import { asyncDuplexPair } from './async-duplex.ts';
import { sweepDueRoute } from './closing-sweep.ts';
import { closingOf, routeOf } from './model/fixture.ts';
import type { WorldTime } from './world-time.ts';

export interface NodeDeps {
  readonly db: Db;
  readonly wakeups: Wakeups;
  readonly quiescence: Quiescence;
  readonly time: WorldTime;
  readonly chance: Chance;
  readonly log: Log;
  readonly seed: number;
  readonly machine: Machine;
}

/** The parts of a running process. */
interface Parts {
  readonly app: FastifyInstance;
  readonly db: KillableDatabase;
  readonly pipeline: Pipeline;
  readonly listener: NodeListener;
  readonly pauses: WorldPauses;
  readonly sweep: () => Promise<void>;
  readonly machine: Machine;
  readonly clock: () => Date;
}

/** The hub sweeps every second by its own timer. Here the scheduler starts each sweep. */
const NEVER_MS = 2 ** 31 - 1;

/** A server process: the real sync edge over the real pipeline, without a port. The simulation may kill it. */
export class ServerNode {
  readonly app: FastifyInstance;
  readonly machine: Machine;
  /** The server's time. */
  readonly clock: () => Date;
  readonly submit: Pipeline['submit'];
  readonly #db: KillableDatabase;
  readonly #pipeline: Pipeline;
  readonly #listener: NodeListener;
  readonly #pauses: WorldPauses;

  readonly #sweep: () => Promise<void>;

  private constructor({ app, db, pipeline, listener, pauses, sweep, machine, clock }: Parts) {
    this.machine = machine;
    this.clock = clock;
    this.app = app;
    this.#db = db;
    this.#pipeline = pipeline;
    this.submit = (change) => pipeline.submit(change);
    this.#listener = listener;
    this.#pauses = pauses;
    this.#sweep = sweep;
  }

  static async start(
    { db: pool, wakeups, quiescence, time, chance, log, seed, machine }: NodeDeps,
    onKill: () => void,
  ): Promise<ServerNode> {
    const app = Fastify();
    answerErrors(app);
    const db = new KillableDatabase(pool, quiescence, onKill);
    const clock = await machine.startClock(db, log);
    const { mode, timerMs } = closingOf(seed) ?? { mode: 'legacy' as const, timerMs: 600_000 };
    const rules = () => ({ codes: codeBook([]), closeMode: mode, timerMs });
    const pauses = new WorldPauses({ time, chance, quiescence });
    const pipeline = openPipeline({ db, wakeups, rules, clock, log, pauses: pauses });
    const sessions = new Sessions(db, clock);
    const listener = new NodeListener();
    await sessions.follow(listener);
    const limits = { sweep_ms: NEVER_MS, mutations_per_push: 3 };
    const hub = await mountSync(app, { db, listener, pipeline, sessions, clock, log, limits });
    const assets = {
      db,
      commit: shareCommits({ inTransaction: (work) => withTransaction(db, work), wake: wakeups.replicateRows }),
      clock,
      limits: uploadLimits({ maxFileMb: 1, maxFiles: 10, uploadQuotaMb: 1_000 }),
      buffers: new BufferPool(),
    };
    await mountUploads(app, { assets, sessions, epoch: hub.serverEpoch, readableHeaders, log });
    await app.ready();
    const submit: Pipeline['submit'] = (change) => pipeline.submit(change);
    const sweep = (): Promise<void> => sweepDueRoute({ db, submit, clock, log }, routeOf(seed).id);
    return new ServerNode({ app, db, pipeline, listener, pauses, sweep, machine, clock });
  }

  /**
   * The phone's end of a new connection. Fastify's `injectWS` does not fit: its paired streams close unreliably. The
   * server would then detect a close only by its timer, two seconds of real time later.
   */
  async accept(path: string): Promise<WebSocket> {
    const [near, far] = asyncDuplexPair();
    this.app.server.emit('connection', far);
    const socket = new WebSocket(`ws://simulated${path}`, { createConnection: () => near, perMessageDeflate: false });
    await once(socket, 'open');
    return socket;
  }

  setKillPoint(killPoint: KillPoint): void {
    this.#db.setKillPoint(killPoint);
  }

  clearKillPoint(): void {
    this.#db.clearKillPoint();
  }

  get isKilled(): boolean {
    return this.#db.isKilled;
  }

  kill(): void {
    this.#db.kill();
  }

  /** The periodic work of a node: it checks for changes that it has missed. */
  checkForMissed(): void {
    this.#listener.reconnect();
  }

  /** Closes the route where it is due. @param onDone called unless the process was killed meanwhile */
  async closeDue(onDone: () => void): Promise<void> {
    await this.#sweep();
    if (!this.isKilled) onDone();
  }

  /** Releases everything that ends with a process. */
  async dispose(): Promise<void> {
    this.#pauses.end();
    for (const line of this.app.websocketServer.clients) line.terminate();
    await this.app.close();
    await this.#pipeline.close();
  }
}

/** The node's LISTEN session. It receives a notification when the scheduler delivers it. */
class NodeListener {
  readonly #reconnects: (() => void)[] = [];

  onNotify(): Promise<void> {
    return Promise.resolve();
  }

  onReconnect(listener: () => void): void {
    this.#reconnects.push(listener);
  }

  reconnect(): void {
    for (const listener of this.#reconnects) listener();
  }
}

type WorldPausesDeps = Pick<NodeDeps, 'time' | 'chance' | 'quiescence'>;

/** Pauses of a process, in the time of its world. Without events no pause ends. */
class WorldPauses implements Pauses {
  readonly #deps: WorldPausesDeps;
  readonly #open = new Set<() => void>();

  constructor(deps: WorldPausesDeps) {
    this.#deps = deps;
  }

  now(): number {
    return this.#deps.time.now;
  }

  after(ms: number, work: () => void): () => void {
    const end = (): void => {
      cancel();
      work();
    };
    const endPause = this.#deps.quiescence.pause();
    const timer = this.#deps.time.after(ms, end);
    const cancel = (): void => {
      if (!this.#open.delete(end)) return;
      endPause();
      timer();
    };
    this.#open.add(end);
    return cancel;
  }

  random(): number {
    return this.#deps.chance.fraction();
  }

  /** The process is killed: pending calls in it fail now. */
  end(): void {
    for (const end of [...this.#open]) end();
  }
}
