import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect } from 'vitest';
import { SUPERUSER, type Cluster } from '../../server/src/embedded-postgres/cluster.ts';
import { placeCluster } from '../../server/src/embedded-postgres/placement.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openOwnPostgres, PASSWORD, runCluster, type OwnPostgres } from './own-postgres.ts';

const run = promisify(execFile);
const STANDBY = 'standby';

/** A durable PostgreSQL and a standby that receives every commit before the answer (synchronous replication). */
export interface ReplicatedPostgres {
  readonly primary: OwnPostgres;
  readonly standby: OwnPostgres;
  /** Promotes the standby, on a new timeline. */
  promoteStandby(): Promise<void>;
}

export async function openReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const primary = await openOwnPostgres();
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
    promoteStandby: () =>
      asSuperuser(standby, async (admin) => {
        await admin.query('select pg_promote()');
      }),
  };
}

/** A copy as `pg_basebackup` makes it, which the embedded build lacks. */
async function openStandby(primary: OwnPostgres): Promise<OwnPostgres> {
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
  // The log comes over the connection, from the start of the backup on.
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
  return runCluster(cluster);
}

async function own({ owner }: Cluster, path: string): Promise<void> {
  if (owner) await chown(path, owner.uid, owner.gid);
}

async function asSuperuser<Result>({ url }: OwnPostgres, work: (admin: pg.Client) => Promise<Result>): Promise<Result> {
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
