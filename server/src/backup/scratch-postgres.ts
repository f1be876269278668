import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { choosePort, dataFolder, logTail, start, stop, type Cluster } from '../embedded-postgres/cluster.ts';
import { placeCluster } from '../embedded-postgres/placement.ts';
import { StartError } from '../runtime/start-error.ts';
import { ARCHIVE, MANIFEST, type Backup } from './backups.ts';
import { findSuperuser } from './scratch-sql.ts';
import { findDamage, readManifest, type Manifest } from './manifest.ts';

const run = promisify(execFile);

/** A recovery replays the log of the time of the backup. */
const RECOVERY_S = 3_600;

export interface ScratchOptions {
  /** A folder for the unpacked copy, as large as the database. */
  readonly place: string;
  /** PostgreSQL's folder with `bin/`; by default the package's. */
  readonly programs: string | undefined;
}

/** A restored backup: readable, off the network, and gone at the end. */
export interface Scratch {
  readonly manifest: Manifest;
  /** Files that differ from the manifest; PostgreSQL runs only where there are none. */
  readonly damage: readonly string[];
  /** As PostgreSQL's superuser. @param user a role of the database @throws StartError where the copy lacks either */
  connect(user: string, database: string): Promise<pg.Client>;
}

/**
 * Unpacks a backup, compares its files with the manifest, has a PostgreSQL of its own recover it, and deletes all of it
 * afterwards. That PostgreSQL has no port: a socket in a private folder is its only door.
 *
 * @throws StartError where the backup cannot be unpacked or recovered
 */
export async function withRestored<Result>(
  backup: Backup,
  { place, programs }: ScratchOptions,
  work: (scratch: Scratch) => Promise<Result>,
): Promise<Result> {
  const manifest = await readManifest(join(backup.folder, MANIFEST));
  await mkdir(place, { recursive: true });
  const folder = await mkdtemp(join(place, 'restore-drill-'));
  const door = await mkdtemp(join(tmpdir(), 'tailgate-drill-'));
  const cluster = await placeCluster(folder, 'postgres', programs);
  try {
    await unpack(backup, cluster);
    const damage = await findDamage(manifest, dataFolder(cluster));
    const port = await choosePort();
    const connect = (user: string, database: string) => openAsSuperuser({ host: door, port, database }, user);
    if (damage.length > 0) return await work({ manifest, damage, connect });
    await recover(cluster, door, port);
    return await work({ manifest, damage, connect });
  } finally {
    await stop(cluster);
    for (const path of [cluster.folder, folder, door]) await rm(path, { recursive: true, force: true });
  }
}

async function unpack({ folder }: Backup, cluster: Cluster): Promise<void> {
  const data = dataFolder(cluster);
  await mkdir(data, { recursive: true });
  const archive = join(folder, ARCHIVE);
  await run('tar', ['-xzf', archive, '-C', data, '--no-same-owner']).catch((cause: unknown) => {
    const why =
      cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim().split('\n')[0] : String(cause);
    throw new StartError(`${archive} cannot be unpacked: ${why}`, { cause });
  });
}

/** The settings of the original stay out: its archive, its standbys, its libraries, its addresses. */
async function recover(cluster: Cluster, door: string, port: number): Promise<void> {
  const data = dataFolder(cluster);
  for (const name of ['standby.signal', 'recovery.signal', 'postmaster.pid'])
    await rm(join(data, name), { force: true });
  const files = {
    'postgresql.conf': '',
    'postgresql.auto.conf': '',
    'pg_hba.conf': 'local all all trust\n',
    'pg_ident.conf': '',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(data, name), text, { mode: 0o600 });
  const { owner } = cluster;
  if (owner) {
    await run('chown', ['-R', `${owner.uid}:${owner.gid}`, cluster.folder]);
    await chown(door, owner.uid, owner.gid);
  }
  for (const path of [cluster.folder, data, door]) await chmod(path, 0o700);
  const settings = {
    listen_addresses: '',
    unix_socket_directories: door,
    shared_buffers: '64MB',
    max_connections: 20,
    // It is deleted afterwards.
    fsync: 'off',
    archive_mode: 'off',
  };
  await start(cluster, port, settings, RECOVERY_S).catch(async (cause: unknown) => {
    throw new StartError(`PostgreSQL cannot recover this backup: ${await logTail(cluster)}`, { cause });
  });
}

async function openAsSuperuser(config: pg.ClientConfig, user: string): Promise<pg.Client> {
  const client = await open({ ...config, user });
  try {
    const { rows } = await client.query<{ name: string }>(findSuperuser);
    return await open({ ...config, user: rows[0]?.name ?? user });
  } finally {
    await client.end();
  }
}

async function open(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({ ...config, application_name: 'tailgate drill' });
  client.on('error', () => undefined);
  await client.connect().catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StartError(`the copy cannot be used: ${why}`, { cause });
  });
  return client;
}
