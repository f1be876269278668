import { expect } from 'vitest';
import {
  findRunning,
  initialise,
  start,
  stop,
  SUPERUSER,
  type Cluster,
} from '../../server/src/embedded-postgres/cluster.ts';
import { placeCluster } from '../../server/src/embedded-postgres/placement.ts';
import { atFileEnd } from '../support/file-end.ts';
import { reservePort } from '../support/reserved-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export const PASSWORD = 'test';

/** A durable PostgreSQL of a test's own. It ends with the test file. */
export interface OwnPostgres {
  readonly cluster: Cluster;
  readonly port: number;
  /** Of the database `postgres`. */
  readonly url: string;
  start(): Promise<void>;
  /** As for maintenance: sessions end, committed data is written. */
  stop(): Promise<void>;
  /** Kills all processes at once: nothing is finished, no client is notified. */
  crash(): Promise<void>;
}

export async function openOwnPostgres(): Promise<OwnPostgres> {
  const cluster = await placeCluster(await temporaryFolder());
  await initialise(cluster, PASSWORD, { flags: ['--no-sync', '--no-data-checksums'] });
  return runCluster(cluster);
}

/** The PostgreSQL of an existing data folder. */
export async function runCluster(cluster: Cluster): Promise<OwnPostgres> {
  const port = await reservePort();
  const postgres: OwnPostgres = {
    cluster,
    port,
    url: `postgres://${SUPERUSER}:${PASSWORD}@127.0.0.1:${port}/postgres`,
    start: () => start(cluster, port),
    stop: () => stop(cluster),
    crash: async () => {
      const running = await findRunning(cluster);
      if (!running) throw new Error('this PostgreSQL does not run');
      // Its "immediate" shutdown.
      process.kill(running.pid, 'SIGQUIT');
      await expect.poll(() => findRunning(cluster)).toBeUndefined();
    },
  };
  await postgres.start();
  atFileEnd(() => postgres.stop());
  return postgres;
}
