import type { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { BufferPool } from './assets/chunk-buffer.ts';
import { uploadLimits } from './assets/limits.ts';
import { DirectObjects } from './assets/objects/direct.ts';
import { moveToObjects } from './assets/objects/move.ts';
import { ownPlace, readPlace } from './assets/objects/owner.ts';
import { findAnyObject } from './assets/objects/sql.ts';
import { sweepObjects } from './assets/objects/sweep.ts';
import { ResumableUploads } from './assets/resumable.ts';
import { shareCommits } from './assets/shared-commit.ts';
import { sweepAssets } from './assets/sweep.ts';
import type { UploadDeps } from './assets/upload.ts';
import type { Config } from './config.ts';
import { createPool } from './db/pool.ts';
import { withTransaction } from './db/transaction.ts';
import type { Db, Queryable, Tx } from './db/types.ts';
import type { Database } from './embedded-postgres/open-database.ts';
import { bossRowsWakeup } from './mutations/jobs/wakeups.ts';
import type { ObjectStore } from './object-store/object-store.ts';
import { openObjectStore } from './object-store/open.ts';
import { keepSweeping } from './runtime/interval.ts';
import type { Shutdown } from './runtime/shutdown.ts';
import { StartError } from './runtime/start-error.ts';
import type { Telemetry } from './telemetry/open.ts';

// The part of `app.ts` that composes files: rows, and objects where `S3_URL` is set.

interface FileDeps {
  readonly config: Config;
  readonly log: Logger;
  readonly shutdown: Shutdown;
  readonly database: Database;
  readonly db: Db;
  readonly boss: PgBoss;
  /** Undefined: files are rows. */
  readonly store: ObjectStore | undefined;
  readonly telemetry: Telemetry;
  readonly clock: () => Date;
}

/** A separate pool keeps a storm of photos away from requests and stops. */
const FILE_CONNECTIONS = 4;

/** @throws StartError where the store refuses its bucket, or files are objects and there is no store */
export async function openStore({
  config,
  db,
  log,
  shutdown,
}: Pick<FileDeps, 'config' | 'db' | 'log' | 'shutdown'>): Promise<ObjectStore | undefined> {
  const store = await openObjectStore(config.objectStore, log);
  if (store) shutdown.add('object store', async () => store.close());
  await requireStore(db, store);
  return store;
}

/** @throws StartError where files are objects, and no store is set */
export async function requireStore(db: Queryable, store: ObjectStore | undefined): Promise<void> {
  if (store || (await db.query(findAnyObject)).rowCount === 0) return;
  throw new StartError(
    'files of this database are objects of a store: set S3_URL, or move them back first (npm run ops -- files to-rows)',
  );
}

export async function openAssets({
  config,
  log,
  shutdown,
  database,
  store,
  boss,
  telemetry,
  clock,
}: FileDeps): Promise<UploadDeps> {
  const { addPool, deliveries } = telemetry.figures;
  const name = `tailgate ${config.role} files`;
  const db = createPool({ url: database.url, name, log, size: FILE_CONNECTIONS, pipelined: true });
  shutdown.add('file pool', () => db.end());
  addPool('files', db);
  const objects =
    store && config.filesIn === 'objects'
      ? new DirectObjects({ store, prefix: (await readPlace(db)).prefix, clock, log })
      : undefined;
  const assets: UploadDeps = {
    db,
    store,
    objects,
    commit: shareCommits({ inTransaction: (work) => withTransaction(db, work), wake: bossRowsWakeup(boss) }),
    clock,
    limits: uploadLimits(config),
    buffers: new BufferPool(),
    arrived: deliveries.fileArrived,
  };
  const finishComplete = () => new ResumableUploads(assets).finishComplete();
  // First finish complete uploads of a killed process, then delete the rest.
  keepSweeping({ log, shutdown }, 'what uploads left behind', () =>
    finishComplete().then(() => sweepAssets(db, clock())),
  );
  return assets;
}

/** Beside the worker: moves files that are rows, and deletes objects that no file names. */
export async function startObjects(deps: FileDeps): Promise<void> {
  const { config, log, db, store, clock } = deps;
  if (!store) return;
  const place = await readPlace(db);
  await ownPlace(db, place);
  const inTransaction = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => withTransaction(db, work);
  keepSweeping(deps, 'the object store', async () => {
    if (config.filesIn === 'objects')
      await moveToObjects({ db, inTransaction, store, prefix: place.prefix, clock, log });
    await sweepObjects({ db, store, place, clock, log });
  });
}
