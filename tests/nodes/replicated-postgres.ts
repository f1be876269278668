import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect } from 'vitest';
import { findRunning, initialise, start, stop, SUPERUSER, type Cluster } from '../../server/src/db/cluster.ts';
import { placeCluster } from '../../server/src/db/placement.ts';
import { atFileEnd } from '../support/file-end.ts';
import { reservePort } from '../support/reserved-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const PASSWORD = 'test';
const STANDBY = 'standby';

interface Running {
  readonly cluster: Cluster;
  readonly port: number;
  /** Of the database `postgres`. */
  readonly url: string;
}

/** A durable PostgreSQL and a standby that has every commit before it is answered (synchronous replication). */
export interface ReplicatedPostgres {
  readonly primary: Running;
  readonly standby: Running;
  /** The primary is gone as it stood: nothing is finished, nobody is told. */
  killPrimary(): Promise<void>;
  /** The standby takes writes, on a new timeline. */
  promoteStandby(): Promise<void>;
}

export async function openReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const primary = await openPrimary();
  const standby = await openStandby(primary);
  await asSuperuser(primary, async (admin) => {
    await admin.query(`alter system set synchronous_standby_names = '${STANDBY}'`);
    await admin.query('select pg_reload_conf()');
    const state = async () =>
      (await admin.query<{ state: string }>('select sync_state as state from pg_stat_replication')).rows;
    await expect.poll(state).toEqual([{ state: 'sync' }]);
  });
  return {
    primary,
    standby,
    async killPrimary() {
      const running = await findRunning(primary.cluster);
      if (!running) throw new Error('the primary does not run');
      // Its "immediate" shutdown: as a crash, but no process of it stays behind.
      process.kill(running.pid, 'SIGQUIT');
      await expect.poll(() => findRunning(primary.cluster)).toBeUndefined();
    },
    promoteStandby: () =>
      asSuperuser(standby, async (admin) => {
        await admin.query('select pg_promote()');
      }),
  };
}

async function openPrimary(): Promise<Running> {
  const cluster = await placeCluster(await temporaryFolder());
  await initialise(cluster, PASSWORD, ['--no-sync', '--no-data-checksums']);
  return startCluster(cluster);
}

/** As `pg_basebackup` would make it, which the embedded build does not bring. */
async function openStandby(primary: Running): Promise<Running> {
  const cluster = await placeCluster(await temporaryFolder());
  const data = join(cluster.folder, 'data');
  await mkdir(cluster.folder, { recursive: true });
  await chmod(cluster.folder, 0o700);
  await own(cluster, cluster.folder);
  const label = await asSuperuser(primary, async (admin) => {
    await admin.query(`select pg_backup_start('${STANDBY}', true)`);
    await run('cp', ['-a', join(primary.cluster.folder, 'data'), data]);
    const { rows } = await admin.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    return rows[0]?.labelfile ?? '';
  });
  // The log comes over the wire, from the start of the backup on.
  for (const left of ['postmaster.pid', 'postmaster.opts', 'pg_wal'])
    await rm(join(data, left), { recursive: true, force: true });
  await mkdir(join(data, 'pg_wal'), { mode: 0o700 });
  await own(cluster, join(data, 'pg_wal'));
  const { port } = primary;
  const link = `host=127.0.0.1 port=${port} user=${SUPERUSER} password=${PASSWORD} application_name=${STANDBY}`;
  const files = {
    backup_label: label,
    'standby.signal': '',
    'postgresql.auto.conf': `primary_conninfo = '${link}'\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(data, name), text, { mode: 0o600 });
    await own(cluster, join(data, name));
  }
  return startCluster(cluster);
}

async function startCluster(cluster: Cluster): Promise<Running> {
  const port = await reservePort();
  await start(cluster, port);
  atFileEnd(() => stop(cluster));
  return { cluster, port, url: `postgres://${SUPERUSER}:${PASSWORD}@127.0.0.1:${port}/postgres` };
}

async function own({ owner }: Cluster, path: string): Promise<void> {
  if (owner) await chown(path, owner.uid, owner.gid);
}

async function asSuperuser<Result>({ url }: Running, work: (admin: pg.Client) => Promise<Result>): Promise<Result> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const ended = once(admin, 'end');
  try {
    return await work(admin);
  } finally {
    await admin.end();
    await ended;
  }
}
