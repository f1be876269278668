import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { findRunning, type RunningCluster } from '../../server/src/embedded-postgres/cluster.ts';
import { openEmbedded, type EmbeddedOptions } from '../../server/src/embedded-postgres/embedded.ts';
import { placeCluster } from '../../server/src/embedded-postgres/placement.ts';
import { StartError } from '../../server/src/runtime/start-error.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { startServer } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const DISK_BYTES = 192 * 1024 * 1024;
const patient = { firstWaitMs: 20, longestWaitMs: 100, giveUpAfterMs: 600_000 };

/** A data folder after a first start: initdb takes a second of CPU. */
let used: string;

beforeAll(async () => {
  used = await temporaryFolder();
  await (await openEmbedded(used, { log: recordedLog(), name: 'first start' })).stop();
});

async function open(dataDir: string, options: Pick<EmbeddedOptions, 'recovery' | 'onLost'>) {
  await run('cp', ['-a', `${used}/.`, dataDir]);
  const log = recordedLog();
  const embedded = await openEmbedded(dataDir, { log, name: 'Tailgate (test)', ...options });
  atFileEnd(() => embedded.stop());
  const lines = (ending: string) => log.lines.filter(({ message }) => message.endsWith(ending));
  return { ...embedded, log, lines };
}

async function running(dataDir: string): Promise<RunningCluster> {
  const found = await findRunning(await placeCluster(dataDir));
  if (!found) throw new Error('PostgreSQL does not run');
  return found;
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query('select 1')).rowCount === 1;
  } finally {
    await client.end();
  }
}

/** False while another program listens there. */
async function listens(server: Server, port: number): Promise<boolean> {
  server.listen(port, '127.0.0.1');
  return once(server, 'listening').then(
    () => true,
    () => false,
  );
}

interface Hindrance {
  readonly name: string;
  readonly folder: () => Promise<string>;
  /** Kills PostgreSQL and keeps it from starting again, in one turn of the event loop. @returns how to allow the start */
  readonly kill: (dataDir: string, pid: number) => () => void;
}

const missingFolder: Hindrance = {
  name: 'its data folder is not there',
  folder: temporaryFolder,
  kill: (dataDir, pid) => {
    const data = join(dataDir, 'postgres/data');
    renameSync(data, `${data}.away`);
    process.kill(pid, 'SIGKILL');
    return () => renameSync(`${data}.away`, data);
  },
};

const fullDisk = (disk: string): Hindrance => ({
  name: 'its disk is full',
  folder: async () => disk,
  kill: (dataDir, pid) => {
    process.kill(pid, 'SIGKILL');
    // A start deletes this lock file and needs its page.
    rmSync(join(dataDir, 'postgres/data/postmaster.pid'));
    const filler = join(dataDir, 'filler');
    fill(filler);
    return () => rmSync(filler);
  },
});

/** A disk in memory of its own. @throws where this user may not mount one */
async function smallDisk(): Promise<string> {
  const folder = await temporaryFolder();
  await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder]);
  atFileEnd(async () => void (await run('umount', ['--lazy', folder])));
  await chmod(folder, 0o711);
  return folder;
}

function fill(file: string): void {
  const descriptor = openSync(file, 'w');
  chmodSync(file, 0o600);
  try {
    for (let piece = Buffer.alloc(1 << 20); piece.length > 0;) {
      try {
        writeSync(descriptor, piece);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
        piece = piece.subarray(0, piece.length >> 1);
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Only root may mount one, and not in every container. */
const disk = await smallDisk().catch(() => undefined);
const hindrances = disk === undefined ? [missingFolder] : [missingFolder, fullDisk(disk)];

test.for(hindrances)(
  'the server retries the start of a PostgreSQL that cannot start because $name',
  async ({ folder, kill }) => {
    const dataDir = await folder();
    const lost: StartError[] = [];
    const embedded = await open(dataDir, { recovery: patient, onLost: (why) => lost.push(why) });
    const before = await running(dataDir);
    const allow = kill(dataDir, before.pid);
    await expect.poll(() => embedded.lines('it is tried again').length).toBeGreaterThanOrEqual(3);
    allow();
    await expect.poll(() => embedded.lines('is back').length).toBe(1);
    expect(await answers(embedded.url)).toBe(true);
    expect((await running(dataDir)).port).toBe(before.port);
    expect(lost).toEqual([]);
    const waits = embedded.lines('it is tried again').map(({ fields }) => ('retryMs' in fields ? fields.retryMs : NaN));
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(patient.longestWaitMs);
    await embedded.stop();
    expect(await findRunning(await placeCluster(dataDir))).toBeUndefined();
  },
);

test('the server gives up a PostgreSQL that does not come back in time, and the rest closes cleanly', async () => {
  const dataDir = await temporaryFolder();
  const { promise: lost, resolve: onLost } = Promise.withResolvers<StartError>();
  const embedded = await open(dataDir, { recovery: { ...patient, giveUpAfterMs: 1_500 }, onLost });
  missingFolder.kill(dataDir, (await running(dataDir)).pid);
  const why = await lost;
  expect(why).toBeInstanceOf(StartError);
  expect(why.message).toMatch(/^the embedded PostgreSQL has been away for \d+ s: PostgreSQL did not start in /);
  expect(embedded.lines('it is tried again').length).toBeGreaterThanOrEqual(1);
  expect(embedded.lines('PostgreSQL does not come back')).toHaveLength(1);
  await embedded.stop();
});

test('a stop does not wait for the next retry', async () => {
  const dataDir = await temporaryFolder();
  const hour = 3_600_000;
  const recovery = { firstWaitMs: hour, longestWaitMs: hour, giveUpAfterMs: hour };
  const embedded = await open(dataDir, { recovery });
  missingFolder.kill(dataDir, (await running(dataDir)).pid);
  await expect.poll(() => embedded.lines('it is tried again').length).toBe(1);
  await embedded.stop();
});

test('a server whose PostgreSQL comes back on another port ends with status 1, and the next start serves', async () => {
  const dataDir = await temporaryFolder();
  const server = await startServer({ DATA_DIR: dataDir, DEMO: '0' });
  const before = await running(dataDir);
  // The port is taken before the server checks again.
  process.kill(server.pid ?? 0, 'SIGSTOP');
  process.kill(before.pid, 'SIGKILL');
  const occupant = createServer((socket) => socket.destroy());
  await expect.poll(() => listens(occupant, before.port)).toBe(true);
  const ended = server.ended();
  process.kill(server.pid ?? 0, 'SIGCONT');
  expect(await ended).toBe(1);
  expect(server.output).toMatch(/Tailgate cannot go on\. the embedded PostgreSQL came back on port \d+/);
  await server.start();
  expect((await fetch(`${server.url}/api/health/ready`)).status).toBe(200);
  await server.stop();
  occupant.close();
  await once(occupant, 'close');
});
