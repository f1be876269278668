import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { prepareDataDir } from '../runtime/data-dir.ts';
import { storeSecret } from '../runtime/kept-secret.ts';
import type { Log } from '../runtime/log.ts';
import { StartError } from '../runtime/start-error.ts';
import {
  choosePort,
  findRunning,
  initialise,
  logTail,
  start,
  stop,
  SUPERUSER,
  type Cluster,
  type Settings,
} from './cluster.ts';
import { describePlace, placeCluster, rememberFolder } from './placement.ts';
import { ensureDatabase, acquire, release, takeParts, type PostgresUser } from './shared-postgres.ts';

export interface EmbeddedOptions {
  log: Log;
  /** Describes this process to others, e.g. `npm start (process 12)`. */
  name: string;
  /** Roles that only one process may have on this data folder: `api`, `worker`. A second one gets a `StartError`. */
  parts?: readonly string[];
  settings?: Settings;
  /** Aborts the start: it ends its own processes and throws the reason. */
  stopping?: AbortSignal;
  /** Called once when PostgreSQL is gone and does not come back at `url`: this process cannot continue. */
  onLost?: (why: StartError) => void;
  recovery?: Recovery;
  random?: () => number;
}

/** Restarts of a lost PostgreSQL: the wait between two tries doubles up to a limit. */
export interface Recovery {
  firstWaitMs: number;
  longestWaitMs: number;
  /** A try that fails after this time is the last one. */
  giveUpAfterMs: number;
}

export interface Embedded {
  url: string;
  /** Describes the place of the data for people. */
  place: string;
  /** False: another process had started PostgreSQL already. */
  owned: boolean;
  /** Leaves; the last process to leave stops PostgreSQL. */
  stop(): Promise<void>;
}

const DATABASE = 'tailgate';
const MOVE_IN_TIMEOUT_MS = 60_000;
const START_ATTEMPTS = 3;
const RETRY_MS = 100;
/** A full disk needs a person or a clean-up job: the server waits for either, and then ends for its supervisor. */
const RECOVERY: Recovery = { firstWaitMs: 250, longestWaitMs: 10_000, giveUpAfterMs: 300_000 };

/** The content of `DATA_DIR/postgres.json`, which keeps addresses stable across starts. */
const memory = z.object({ folder: z.string(), port: z.number().int() }).partial();
type Memory = z.infer<typeof memory>;

/**
 * Provides the PostgreSQL of `dataDir`: joins a running one, or starts it, with a new data folder where there is none.
 * It outlives a crash of this process, and the next start joins it. While a process uses it, it restarts it after a
 * crash, with more tries after failed ones; `onLost` reports the last failure.
 */
export async function openEmbedded(dataDir: string, options: EmbeddedOptions): Promise<Embedded> {
  await prepareDataDir(dataDir);
  const remembered = await readMemory(dataDir);
  const cluster = await placeCluster(dataDir, remembered.folder);
  const { secret: password } = await storeSecret(join(dataDir, 'postgres.password'));
  // While the folder is empty: a start that is cut off here continues in the same folder the next time.
  const folder = rememberFolder(dataDir, cluster);
  if (folder !== remembered.folder) await writeMemory(dataDir, { ...remembered, folder });
  await initialise(cluster, password, { stopping: options.stopping }).catch((cause: unknown) => {
    options.stopping?.throwIfAborted();
    throw new StartError(`PostgreSQL could not be set up in ${cluster.folder}: ${lastLine(cause)}`, { cause });
  });
  const house: SharedPostgres = { dataDir, cluster, password, options };
  const { user, port, started } = await enter(house, remembered.port);
  const database = new AcquiredPostgres(house, user, port);
  try {
    if (port !== remembered.port) await writeMemory(dataDir, { folder, port });
    await ensureDatabase(user, DATABASE);
  } catch (error) {
    await database.stop();
    throw error;
  }
  const url = addressOf(house, port, DATABASE);
  return { url, place: describePlace(dataDir, cluster), owned: started, stop: () => database.stop() };
}

interface SharedPostgres {
  dataDir: string;
  cluster: Cluster;
  password: string;
  options: EmbeddedOptions;
}

interface ServerAccess {
  user: PostgresUser;
  port: number;
  started: boolean;
}

/**
 * Joins or starts until one of them works. Other processes may start or stop the same PostgreSQL meanwhile, and no
 * event reports it across processes: the loop tries again shortly after.
 */
async function enter(house: SharedPostgres, preferredPort: number | undefined): Promise<ServerAccess> {
  const { cluster, dataDir, options } = house;
  const deadline = Date.now() + MOVE_IN_TIMEOUT_MS;
  let started = false;
  let failedStarts = 0;
  let lastError: unknown;
  while (Date.now() < deadline) {
    const running = await findRunning(cluster);
    if (running === undefined) {
      // Join a running PostgreSQL first: only a session shows whether other processes need it.
      options.stopping?.throwIfAborted();
      try {
        await start(cluster, await choosePort(preferredPort), options.settings);
        started = true;
        continue;
      } catch (error) {
        lastError = error;
        if (await findRunning(cluster)) continue;
        if (++failedStarts === START_ATTEMPTS) break;
      }
    } else if (running.port > 0) {
      try {
        const user = await acquire(addressOf(house, running.port, 'postgres'), options.name);
        await takeParts(user, options.parts ?? [], dataDir).catch(async (error: unknown) => {
          await leave(cluster, user);
          throw error;
        });
        return { user, port: running.port, started };
      } catch (error) {
        if (error instanceof StartError) throw error;
        if (isRefused(error)) {
          if (started) await stop(cluster);
          throw new StartError(
            `PostgreSQL of ${dataDir} does not accept the password in postgres.password: put that file back`,
            { cause: error },
          );
        }
        lastError = error;
      }
    }
    await delay(RETRY_MS);
  }
  throw new StartError(`PostgreSQL did not start in ${cluster.folder}: ${await logTail(cluster)}`, {
    cause: lastError,
  });
}

async function leave(cluster: Cluster, user: PostgresUser): Promise<void> {
  try {
    if (await release(user)) await stop(cluster);
  } finally {
    await user.end().catch(() => undefined);
  }
}

/**
 * Keeps a session in a running PostgreSQL, and opens it again (with a new PostgreSQL if need be) when it breaks.
 *
 *   joined ──session ends──► away ──a try succeeds──► joined
 *                            │ ▲
 *                            └─┘ a try fails: wait, longer each time
 *                            └───────► lost: the last try failed, or the port is another one
 */
class AcquiredPostgres {
  readonly #house: SharedPostgres;
  readonly #port: number;
  readonly #leaving = new AbortController();
  /** Aborts further tries. */
  readonly #stopping: AbortSignal;
  /** Undefined while PostgreSQL is away. */
  #user: PostgresUser | undefined;
  #recovery = Promise.resolve();

  constructor(house: SharedPostgres, user: PostgresUser, port: number) {
    const { stopping } = house.options;
    this.#stopping = AbortSignal.any([this.#leaving.signal, ...(stopping ? [stopping] : [])]);
    this.#house = { ...house, options: { ...house.options, stopping: this.#stopping } };
    this.#port = port;
    this.#hold(user);
  }

  async stop(): Promise<void> {
    if (this.#leaving.signal.aborted) return;
    this.#leaving.abort();
    await this.#recovery;
    if (this.#user) await leave(this.#house.cluster, this.#user);
  }

  #hold(user: PostgresUser): void {
    this.#user = user;
    user.once('end', () => {
      if (this.#leaving.signal.aborted) return;
      this.#user = undefined;
      this.#recovery = this.#recover();
    });
  }

  async #recover(): Promise<void> {
    const { log, onLost, recovery = RECOVERY, random = Math.random } = this.#house.options;
    log.warn({}, 'the embedded PostgreSQL has gone away; bringing it back');
    const lostAt = performance.now();
    for (let waitMs = recovery.firstWaitMs; ; waitMs = Math.min(2 * waitMs, recovery.longestWaitMs)) {
      try {
        const { user, port } = await enter(this.#house, this.#port);
        this.#hold(user);
        if (port === this.#port) return log.info({ port }, 'the embedded PostgreSQL is back');
        // All connections of this process use the old port; its next start takes the new one.
        const moved = `the embedded PostgreSQL came back on port ${port}, and this server uses port ${this.#port}`;
        return onLost?.(new StartError(moved));
      } catch (err) {
        if (this.#stopping.aborted) return;
        const awayMs = Math.round(performance.now() - lostAt);
        if (awayMs >= recovery.giveUpAfterMs) {
          log.error({ err, awayMs }, 'the embedded PostgreSQL does not come back');
          const reason = err instanceof Error ? err.message : String(err);
          const lost = `the embedded PostgreSQL has been away for ${Math.round(awayMs / 1_000)} s: ${reason}`;
          return onLost?.(new StartError(lost, { cause: err }));
        }
        const retryMs = Math.ceil(waitMs * (0.5 + random() / 2));
        log.error({ err, awayMs, retryMs }, 'the embedded PostgreSQL does not come back; it is tried again');
        await delay(retryMs, undefined, { signal: this.#stopping }).catch(() => undefined);
        if (this.#stopping.aborted) return;
      }
    }
  }
}

function addressOf({ password }: SharedPostgres, port: number, database: string): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
}

async function readMemory(dataDir: string): Promise<Memory> {
  const text = await readFile(join(dataDir, 'postgres.json'), 'utf8').catch(() => '{}');
  return memory.parse(JSON.parse(text));
}

/** Written whole or not at all: no start could continue with half of it. */
async function writeMemory(dataDir: string, remembered: Memory): Promise<void> {
  const file = join(dataDir, 'postgres.json');
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${JSON.stringify(remembered)}\n`, { mode: 0o600, flush: true });
  await rename(draft, file);
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('28');
}

function lastLine(error: unknown): string {
  const output =
    error instanceof Error ? ('stderr' in error && String(error.stderr).trim()) || error.message : String(error);
  return output.split('\n').at(-1) ?? output;
}
