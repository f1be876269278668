import type { FastifyInstance } from 'fastify';
import { PgBoss } from 'pg-boss';
import type { UploadLimits } from '../../server/src/assets/limits.ts';
import { uploadLimits } from '../../server/src/assets/limits.ts';
import type { AuthDeps } from '../../server/src/auth/deps.ts';
import type { HashCost } from '../../server/src/auth/passwords.ts';
import { openPasswords } from '../../server/src/auth/passwords.ts';
import { shareCommits } from '../../server/src/assets/shared-commit.ts';
import { BufferPool } from '../../server/src/assets/chunk-buffer.ts';
import type { UploadDeps } from '../../server/src/assets/upload.ts';
import { Sessions } from '../../server/src/auth/sessions.ts';
import { codeBook } from '../../server/src/codes/code-book.ts';
import type { Listener } from '../../server/src/db/listen.ts';
import { startListener } from '../../server/src/db/listen.ts';
import { createPool } from '../../server/src/db/pool.ts';
import { withTransaction } from '../../server/src/db/transaction.ts';
import type { Db } from '../../server/src/db/types.ts';
import type { HttpDeps } from '../../server/src/http/build.ts';
import { buildHttp } from '../../server/src/http/build.ts';
import type { Log } from '../../server/src/runtime/log.ts';
import { openPages } from '../../server/src/http/pages/mount-pages.ts';
import { openLogger } from '../../server/src/runtime/logger.ts';
import { OpsFeed, type OpsFeedOptions } from '../../server/src/ops/feed/ops-feed.ts';
import { ensureEpoch } from '../../server/src/db/epoch.ts';
import { DirectObjects } from '../../server/src/assets/objects/direct.ts';
import type { ObjectStore } from '../../server/src/object-store/object-store.ts';
import { readPlace } from '../../server/src/assets/objects/owner.ts';
import { previewSummary } from '../../server/src/mail/preview.ts';
import type { Change, Pipeline } from '../../server/src/mutations/change.ts';
import { startClosing } from '../../server/src/mutations/jobs/closing-timers.ts';
import { openPipeline } from '../../server/src/mutations/intake/pipeline.ts';
import {
  bossMail,
  bossMessages,
  bossRowsWakeup,
  bossWakeups,
  createQueues,
  queues,
} from '../../server/src/mutations/jobs/wakeups.ts';
import type { CloseMode } from '../../server/src/routes/closing.ts';
import { startTextMessages } from '../../server/src/sms/text-messages.ts';
import { channelDocument } from '../../server/src/sync/asyncapi/document.ts';
import { syncPath } from '../../server/src/sync/socket.ts';
import { atFileEnd } from './file-end.ts';
import type { TestDatabase } from './postgres.ts';
import { createDatabase } from './postgres.ts';
import { recordedLog } from './recorded-log.ts';
import { RestClient } from './rest-client.ts';
import { watchAnswers } from './watched-answers.ts';

/** The one clock of a server under test; the test sets it. */
export interface TestClock {
  now: Date;
}

export interface RestServer {
  readonly database: TestDatabase;
  readonly app: FastifyInstance;
  readonly pipeline: Pipeline;
  readonly sessions: Sessions;
  readonly listener: Listener;
  readonly clock: TestClock;
  readonly client: RestClient;
  /** The log, by lines. */
  readonly logged: string[];
  /** The log of all parts but the HTTP edge. */
  readonly log: ReturnType<typeof recordedLog>;
}

type HttpOptions =
  | 'access'
  | 'cells'
  | 'signup'
  | 'admissionLimits'
  | 'hostCatalog'
  | 'linger'
  | 'probes'
  | 'remarks'
  | 'unauthenticatedBytes'
  | 'trustProxy'
  | 'publicUrl'
  | 'maxJsonMb'
  | 'reportQuotaMb'
  | 'corsOrigins'
  | 'oidc'
  | 'operators'
  | 'timeouts'
  | 'logKeys'
  | 'sealKey'
  | 'stamp'
  | 'legacyMap';

export interface RestServerOptions extends Partial<Pick<HttpDeps, HttpOptions>> {
  /** The feed of the office, where it differs from the product’s. */
  readonly feed?: Pick<OpsFeedOptions, 'tickMs' | 'mostStreams'>;
  /** The level of `logged`; `debug` by default. */
  readonly logLevel?: string;
  /** The folder of the built pages; by default there is none. */
  readonly pagesFolder?: string;
  /** Limits that differ from the operator's defaults. */
  readonly uploadLimits?: Partial<UploadLimits>;
  /** The cost of its passwords; nearly nothing by default. */
  readonly passwordCost?: HashCost;
  /** The destination of text messages, and how many an hour; without it they stay in their queue. */
  readonly sms?: { readonly url: string; readonly perHour?: number; readonly shadowTo?: string };
  /** How its routes close; `legacy` by default. */
  readonly closeMode?: CloseMode;
  /** Whether routes with an expired timer close. */
  readonly timersRing?: boolean;
  /** The store of its files; rows by default. */
  readonly store?: ObjectStore;
  /** Another node on the same database. */
  readonly database?: TestDatabase;
  /** The address of the database, such as through a proxy. */
  readonly databaseUrl?: string;
  /** The address of the database for its LISTEN session. */
  readonly listenUrl?: string;
  /** Adds another edge to the same server before it listens. */
  readonly mount?: (app: FastifyInstance, deps: EdgeDeps) => Promise<void>;
}

/** The shared parts of one node's edges. */
export interface EdgeDeps {
  readonly access: HttpDeps['access'];
  readonly assets: UploadDeps;
  readonly db: Db;
  readonly pipeline: Pipeline;
  readonly sessions: Sessions;
  readonly listener: Listener;
  readonly clock: () => Date;
  readonly log: Log;
}

/** The minimum of argon2: 0.3 ms of CPU a password. No test needs the cost of a safe one (23 ms). */
const quickCost: HashCost = { memoryCost: 8, timeCost: 1, parallelism: 1 };

export const opsToken = 'operators-only-4711';

/** The REST edge on a database of its own, with the real pipeline and a real LISTEN session. It ends with the file. */
export async function startRestServer(options: RestServerOptions = {}): Promise<RestServer> {
  const database = options.database ?? (await createDatabase());
  const log = recordedLog();
  const db = createPool({ url: options.databaseUrl ?? database.url, name: 'rest under test', log, pipelined: true });
  const clock: TestClock = { now: new Date() };
  const boss = await startBoss(database.url, log, options.sms !== undefined);
  const listener = await startListener({ url: options.listenUrl ?? database.url, log });
  const pipeline = openPipeline({
    db,
    wakeups: bossWakeups(boss),
    rules: () => ({ codes: codeBook(codes), closeMode: options.closeMode ?? 'legacy', timerMs: 600_000 }),
    clock: () => clock.now,
    log,
  });
  const sessions = new Sessions(db, () => clock.now);
  await sessions.follow(listener);
  const logged: string[] = [];
  const auth: AuthDeps = {
    db,
    inTransaction: (work) => withTransaction(db, work),
    passwords: await openPasswords(options.passwordCost ?? quickCost),
    now: () => clock.now,
    wakeReplication: bossRowsWakeup(boss),
    queueMessage: bossMessages(boss),
  };
  if (options.sms) {
    // As in production, but for the wait between two tries.
    await boss.updateQueue(queues.sms, { retryDelay: 1, retryBackoff: false });
    const { url: smsUrl, perHour: smsPerHour = 500, shadowTo: shadowSmsTo } = options.sms;
    const config = { smsUrl, smsPerHour, shadowSmsTo, dataDir: '' };
    const messages = await startTextMessages({ auth, boss, config, clock: () => clock.now, log });
    atFileEnd(() => messages.stop());
  }
  const access = options.access ?? 'documented';
  if (options.store) await ensureEpoch(db);
  const assets: UploadDeps = {
    db,
    store: options.store,
    objects:
      options.store &&
      new DirectObjects({ store: options.store, ...(await readPlace(db)), clock: () => clock.now, log }),
    commit: shareCommits({ inTransaction: (work) => withTransaction(db, work), wake: bossRowsWakeup(boss) }),
    clock: () => clock.now,
    limits: { ...uploadLimits({ maxFileMb: 25, maxFiles: 20, uploadQuotaMb: 10_240 }), ...options.uploadLimits },
    buffers: new BufferPool(),
  };
  const opsFeed = new OpsFeed({ db, listener, clock: () => clock.now, log, ...options.feed });
  await opsFeed.start();
  const app = await buildHttp({
    db,
    auth,
    pipeline,
    sessions,
    clock: () => clock.now,
    ...(options.admissionLimits && { admissionLimits: options.admissionLimits }),
    ...(options.unauthenticatedBytes !== undefined && { unauthenticatedBytes: options.unauthenticatedBytes }),
    access,
    cells: options.cells,
    signup: options.signup ?? 'documented',
    oidc: options.oidc,
    operators: options.operators ?? { idleMinutes: 30, sessionHours: 12 },
    trustProxy: options.trustProxy ?? false,
    publicUrl: options.publicUrl,
    maxJsonMb: options.maxJsonMb ?? 5,
    reportQuotaMb: options.reportQuotaMb ?? 64,
    corsOrigins: options.corsOrigins ?? [],
    ...(options.linger && { linger: options.linger }),
    ...(options.timeouts && { timeouts: options.timeouts }),
    assets,
    probes: options.probes ?? [],
    remarks: options.remarks ?? (async () => []),
    hostCatalog: options.hostCatalog ?? noHost,
    opsFeed,
    previewMail: (key, stop) => previewSummary({ db, store: options.store }, access, key, stop),
    queueMail: bossMail(boss),
    logKeys: options.logKeys ?? (async () => []),
    sealKey: options.sealKey,
    stamp: options.stamp,
    legacyMap: options.legacyMap,
    channelDocument: () => channelDocument('0.0.0-test'),
    pages: openPages(options.pagesFolder ?? '/nowhere', log),
    version: '0.0.0-test',
    socketPath: syncPath,
    opsToken,
    log: openLogger(options.logLevel ?? 'debug', { write: (line: string) => void logged.push(line) }),
  });
  watchAnswers(app);
  await options.mount?.(app, { access, assets, db, pipeline, sessions, listener, clock: () => clock.now, log });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  atFileEnd(() => stopServer(app, pipeline, listener, boss, () => db.end()));
  if (options.timersRing) {
    // Their sweep reads the test's clock; the alarms of pg-boss use the real one.
    const deps = { db, boss, submit: (change: Change) => pipeline.submit(change), clock: () => clock.now, log };
    const timers = await startClosing({ ...deps, sweepMs: 20 });
    atFileEnd(() => timers.stop());
  }
  return { database, app, pipeline, sessions, listener, clock, client: new RestClient(url), logged, log };
}

/** For tests without a host. */
const noHost = {
  job: () => Promise.reject(new Error('this server has no host')),
  describe: () => Promise.reject(new Error('this server has no host')),
  readStop: () => Promise.reject(new Error('this server has no host')),
};

const codes = [
  ...['10', '20', '85', '86'].map((code) => ({ type: 'credit-reason', code, stop_type: '' })),
  { type: 'stop-exception', code: '01', stop_type: 'S' },
  { type: 'stop-exception', code: '10', stop_type: 'R' },
];

async function startBoss(connectionString: string, log: Log, useListenNotify: boolean): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString, useListenNotify, supervise: false, schedule: false });
  // The database may be dropped while its pool closes.
  boss.on('error', (err) => log.warn({ err }, 'pg-boss lost its connection'));
  await boss.start();
  await createQueues(boss);
  return boss;
}

async function stopServer(
  app: FastifyInstance,
  pipeline: Pipeline,
  listener: Listener,
  boss: PgBoss,
  endPool: () => Promise<void>,
): Promise<void> {
  await app.close();
  await pipeline.close();
  await listener.stop();
  await boss.stop({ graceful: false });
  await endPool();
}
