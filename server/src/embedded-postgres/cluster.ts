import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** One PostgreSQL data folder, its programs and, for root, the user that they run as. */
export interface Cluster {
  /** Contains `data/` and `log`; belongs to `owner`. */
  folder: string;
  /** The folder with `bin/`, `lib/` and `share/` of PostgreSQL. */
  native: string;
  /** PostgreSQL refuses to run as root. */
  owner: Owner | undefined;
}

export interface Owner {
  uid: number;
  gid: number;
}

export interface RunningCluster {
  pid: number;
  port: number;
}

export type Settings = Readonly<Record<string, string | number>>;

export const SUPERUSER = 'tailgate';

/**
 * For some thousand phones on one machine. All settings of durability (fsync, full_page_writes, synchronous_commit)
 * keep PostgreSQL's default: on. WAL files are not filled with zeros first, since an evening's photos are mostly WAL.
 * PostgreSQL recycles up to a gigabyte of them.
 */
const SETTINGS: Settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 100,
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  min_wal_size: '1GB',
  wal_init_zero: 'off',
  checkpoint_timeout: '15min',
  wal_compression: 'pglz',
  jit: 'off',
  tcp_keepalives_idle: 30,
  log_checkpoints: 'off',
};

const START_TIMEOUT_S = 60;
const STOP_TIMEOUT_MS = 60_000;
const STOP_POLL_MS = 20;
/**
 * In the longest range that IANA assigns to no service (29170–29998), and below 29900, which games use. Kubernetes' node
 * ports (30000–32767) and the ephemeral ports of Linux (32768–60999) and of other systems (49152–65535) lie above.
 */
const PORTS = { first: 29_200, last: 29_899 };
/** The beginning of the name of a data folder in preparation; the preparing process's id follows. */
const DRAFT = 'new-';
const LOG_LIMIT_BYTES = 8 * 1024 * 1024;

const run = promisify(execFile);

export interface Making {
  /** For initdb. */
  readonly flags?: readonly string[];
  /** Aborts the start. */
  readonly stopping?: AbortSignal | undefined;
}

/** Makes the data folder unless it exists. Deletes unfinished ones of starts that were killed. */
export async function initialise(
  cluster: Cluster,
  password: string,
  { flags = [], stopping }: Making = {},
): Promise<void> {
  await dropDrafts(cluster);
  if (await exists(join(dataFolder(cluster), 'PG_VERSION'))) return;
  stopping?.throwIfAborted();
  await makeOwned(cluster.folder, cluster.owner);
  const draft = await mkdtemp(join(cluster.folder, `${DRAFT}${process.pid}-`));
  const passwordFile = join(draft, 'password');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  for (const path of [draft, passwordFile]) await give(path, cluster.owner);
  try {
    const making = runAsOwner(cluster, 'initdb', [
      `--pgdata=${join(draft, 'data')}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Byte order and Unicode case rules from PostgreSQL itself: no locale of the machine can change an index.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      ...flags,
    ]);
    const giveUp = (): void => void making.child.kill();
    stopping?.addEventListener('abort', giveUp);
    // It settles after its programs have ended: no process writes to the draft any more.
    await making.finally(() => stopping?.removeEventListener('abort', giveUp));
    stopping?.throwIfAborted();
    await rename(join(draft, 'data'), dataFolder(cluster)).catch(async (error: unknown) => {
      // Another process was faster; its folder is equivalent.
      if (!(await exists(join(dataFolder(cluster), 'PG_VERSION')))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Drafts of starts that were killed. The drafts of other live processes stay. */
async function dropDrafts({ folder }: Cluster): Promise<void> {
  const drafts = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(DRAFT));
  const abandoned = drafts.filter((name) => !isAlive(Number.parseInt(name.slice(DRAFT.length))));
  // If its initdb still writes there, the next start deletes it.
  for (const name of abandoned) await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
}

/**
 * Starts PostgreSQL outside of our process group, so that Ctrl-C reaches only this process. Returns when it takes
 * connections.
 */
export async function start(
  cluster: Cluster,
  port: number,
  settings: Settings = {},
  timeoutS = START_TIMEOUT_S,
): Promise<void> {
  await rotateLog(cluster);
  const options = Object.entries({ ...SETTINGS, port, ...settings }).map(([name, value]) => `-c ${name}=${value}`);
  const args = ['start', '--wait', `--timeout=${timeoutS}`, `--log=${logFile(cluster)}`];
  await runAsOwner(cluster, 'pg_ctl', [...args, `--pgdata=${dataFolder(cluster)}`, `--options=${options.join(' ')}`]);
}

/**
 * Ends all sessions, writes a checkpoint and returns when this PostgreSQL is gone. `pg_ctl stop` waits until the lock
 * file is gone: where another process starts PostgreSQL at once, it would wait a minute for that one to end.
 */
export async function stop(cluster: Cluster): Promise<void> {
  const running = await findRunning(cluster);
  if (running === undefined) return;
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  try {
    process.kill(running.pid, 'SIGINT'); // PostgreSQL's "fast" shutdown
  } catch (error) {
    // It has ended by itself meanwhile; other errors are thrown.
    if (await isPostgresOf(cluster, running.pid)) throw error;
  }
  while (await isPostgresOf(cluster, running.pid)) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL (process ${running.pid}) does not stop`);
    await delay(STOP_POLL_MS);
  }
}

/**
 * The PostgreSQL that runs (or is just starting) on this folder. Removes a `postmaster.pid` whose process is another
 * program, as after `kill -9` and a reboot: PostgreSQL would refuse to start.
 */
export async function findRunning(cluster: Cluster): Promise<RunningCluster | undefined> {
  const lockFile = join(dataFolder(cluster), 'postmaster.pid');
  const [pid, , , port] = (await readText(lockFile)).split('\n').map(Number);
  if (!pid) return undefined;
  if (!(await isPostgresOf(cluster, pid))) {
    await rm(lockFile, { force: true });
    return undefined;
  }
  return { pid, port: port ?? 0 };
}

/** PostgreSQL's last log lines, for the message of a failed start. */
export async function logTail(cluster: Cluster, lines = 3): Promise<string> {
  return (await readText(logFile(cluster))).trimEnd().split('\n').slice(-lines).join(' | ');
}

/**
 * `preferred` if it is free and outside of the reserved ranges, else a free port of ours. Earlier versions chose ports
 * above ours; a person has chosen a port below.
 */
export async function choosePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && preferred <= PORTS.last && (await isFree(preferred))) return preferred;
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(PORTS.first, PORTS.last + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${PORTS.first} and ${PORTS.last} on 127.0.0.1`);
}

async function makeOwned(folder: string, owner: Owner | undefined): Promise<void> {
  await mkdir(folder, { recursive: true });
  await give(folder, owner);
  await chmod(folder, 0o700);
}

export function dataFolder({ folder }: Cluster): string {
  return join(folder, 'data');
}

function logFile({ folder }: Cluster): string {
  return join(folder, 'log');
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function give(path: string, owner: Owner | undefined): Promise<void> {
  if (owner) await chown(path, owner.uid, owner.gid);
}

function runAsOwner(cluster: Cluster, program: string, args: string[]) {
  // PostgreSQL inherits no environment: ours contains secrets, and PG… variables would change its programs.
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  return run(join(cluster.native, 'bin', program), args, { cwd: cluster.folder, env, ...cluster.owner });
}

async function rotateLog(cluster: Cluster): Promise<void> {
  const { size } = await stat(logFile(cluster)).catch(() => ({ size: 0 }));
  if (size > LOG_LIMIT_BYTES) await rename(logFile(cluster), `${logFile(cluster)}.old`);
}

async function isPostgresOf(cluster: Cluster, pid: number): Promise<boolean> {
  const commandLine = (await exists('/proc/self/cmdline'))
    ? await readText(`/proc/${pid}/cmdline`)
    : await run('ps', ['-p', String(pid), '-o', 'args=']).then(
        ({ stdout }) => stdout,
        () => '',
      );
  return commandLine.includes(dataFolder(cluster));
}

/** A process of another user counts: it cannot be signalled, but it is alive. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
