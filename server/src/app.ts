import { join } from 'node:path';
import { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { ObjectStore } from './object-store/object-store.ts';
import { openAssets, openStore, startObjects } from './app-files.ts';
import type { AuthDeps } from './auth/deps.ts';
import { OperatorSessions } from './auth/operators/sessions.ts';
import { openPasswords } from './auth/passwords.ts';
import { Sessions } from './auth/sessions.ts';
import { sweepAuth } from './auth/sweep.ts';
import { ServerClock } from './clock/server-clock.ts';
import { ClockWatch } from './clock/watch.ts';
import { CurrentCodes } from './codes/current-codes.ts';
import { isGuessable, OPS_TOKEN_LENGTH, type Config } from './config.ts';
import { prepareDataDir } from './runtime/data-dir.ts';
import { openDatabase, type Database } from './embedded-postgres/open-database.ts';
import { checkCell, checkCellAt, jobsSchema } from './db/cell.ts';
import { isDistributed } from './db/distributed.ts';
import { ensureEpoch, isJustRestored } from './db/epoch.ts';
import { watchEpoch } from './db/watch-epoch.ts';
import { startListener, type Listener } from './db/listen.ts';
import { hasSchema, migrate } from './db/migrate.ts';
import { createPool, openAhead } from './db/pool.ts';
import { SharedCounters } from './db/shared-counters.ts';
import { withTransaction } from './db/transaction.ts';
import type { Db } from './db/types.ts';
import { openDemoDay, startDemoDay, type DemoDay } from './demo/day/open-day.ts';
import { startDemoWitness } from './demo/witness.ts';
import { demoOperatorOf } from './demo/operator.ts';
import { LazyHostCatalog } from './replication/host-catalog.ts';
import { HostSide } from './replication/host-side.ts';
import { rescuerOf } from './wire/access.ts';
import { readableHeaders } from './http/server/browser-rules.ts';
import { buildHttp } from './http/build.ts';
import { mountLog } from './http/log/mount-log.ts';
import type { BuiltPages } from './http/pages/mount-pages.ts';
import { openPages } from './http/pages/mount-pages.ts';
import type { Probe } from './http/endpoints/health.ts';
import { buildMetrics, mountMetrics } from './http/endpoints/metrics.ts';
import { watchRequests } from './http/server/request-watch.ts';
import { storeSecret, type StoredSecret } from './runtime/kept-secret.ts';
import { listen } from './runtime/listening.ts';
import { startMail } from './mail/delivery-mails.ts';
import { previewSummary } from './mail/preview.ts';
import type { Pipeline } from './mutations/change.ts';
import { OpsFeed } from './ops/feed/ops-feed.ts';
import { loadExcuses } from './ops/shadow/load-excuses.ts';
import { openOidc } from './ops/oidc/open-oidc.ts';
import { startAlarms } from './alarms/alarms.ts';
import { applyRetention, isLimited } from './ops/retention/retention.ts';
import { clockRemarks } from './replication/from-host/facility-clocks.ts';
import { findLiveWorker } from './replication/control/heartbeat.ts';
import { openHost } from './host/connection/open.ts';
import { startClosing } from './mutations/jobs/closing-timers.ts';
import { openPipeline } from './mutations/intake/pipeline.ts';
import { requeueLost } from './mutations/jobs/owed.ts';
import { bossMail, bossMessages, bossRowsWakeup, bossWakeups, createQueues } from './mutations/jobs/wakeups.ts';
import type { CloseMode } from './routes/closing.ts';
import { Shutdown } from './runtime/shutdown.ts';
import { keepSweeping } from './runtime/interval.ts';
import { startTextMessages } from './sms/text-messages.ts';
import type { StartError } from './runtime/start-error.ts';
import { channelDocument } from './sync/asyncapi/document.ts';
import { mountSync, syncPath } from './sync/socket.ts';
import { mountUploads } from './sync/plain-http/uploads.ts';
import { openSealKey } from './ops/evidence/certificate/seal-key.ts';
import { stamper } from './ops/evidence/certificate/stamp.ts';
import { openKeys, type ReadKeys } from './tlog/keys.ts';
import { hostOf } from './tlog/log.ts';
import { startLog, type RunningLog } from './tlog/start-log.ts';
import { openTelemetry, type Telemetry } from './telemetry/open.ts';
import manifest from '../package.json' with { type: 'json' };

export interface App {
  /** The HTTP address of the REST interface and the sync channel; a worker has none. */
  url: string | undefined;
  /** Whether `/app/` and `/office/` have a page to show. */
  built: { readonly app: boolean; readonly office: boolean };
  place: string;
  opsToken: StoredSecret;
  /** The sign-in of the demo's operator. */
  demoOperator: { id: string; password: string } | undefined;
  demoDay: DemoDay | undefined;
  /** Resolves when this process must stop: the database is another one, or stays unreachable. */
  lostDatabase: Promise<StartError>;
  /** Refuses new requests, finishes those in progress and closes every part. */
  stop(): Promise<void>;
}

/** Dependencies of every part. */
interface Deps {
  config: Config;
  log: Logger;
  shutdown: Shutdown;
  database: Database;
  db: Db;
  boss: PgBoss;
  listener: Listener;
  /** Undefined: files are rows. */
  store: ObjectStore | undefined;
  auth: AuthDeps;
  lostDatabase: Promise<StartError>;
  telemetry: Telemetry;
  clock: () => Date;
  clockWatch: ClockWatch;
}

/** Two batches in flight, and one connection to spare where another one breaks. */
const COMMIT_CONNECTIONS = 3;
/** The output of `npm run build:web`. */
const pagesFolder = join(import.meta.dirname, '../web/dist');
/** The first hello of a storm needs it, so it is opened before phones wait. */
const MIN_CONNECTIONS = 2;

/**
 * Composes the parts in the order of their dependencies, and closes them in reverse. If a part fails to start,
 * or `stopping` fires, the earlier ones are closed and the error is rethrown.
 */
export async function startApp(config: Config, log: Logger, stopping: AbortSignal): Promise<App> {
  const shutdown = new Shutdown(log, stopping);
  try {
    await prepareDataDir(config.dataDir);
    const opsToken = await opsTokenOf(config, log);
    const deps = await openDeps(config, log, shutdown);
    const pipeline = await startPipeline(deps);
    const demoDay = config.demoDay ? await openDemoDay(config.dataDir, deps.clock) : undefined;
    const playedClock = demoDay?.clock.now ?? deps.clock;
    await startSideEffects(deps, pipeline, playedClock);
    const hostSide = config.role === 'api' ? undefined : await startHostSide({ ...deps, clock: playedClock }, pipeline);
    const factLog = config.role === 'api' ? undefined : await startSequencer({ ...deps, pipeline, clock: playedClock });
    if (config.role !== 'api') await startObjects(deps);
    const pages = openPages(pagesFolder, log);
    const url =
      config.role === 'worker'
        ? undefined
        : await serve(deps, { pipeline, hostSide, pages, opsToken: opsToken.secret });
    const isServed = url !== undefined;
    const built = { app: isServed && (await pages.app.isBuilt()), office: isServed && (await pages.office.isBuilt()) };
    if (config.metricsPort !== undefined) await serveFigures(deps, config.metricsPort, opsToken.secret);
    const { dataDir, demo } = config;
    const demoOperator = isServed && demo ? await demoOperatorOf(dataDir, deps.auth, deps.clock()) : undefined;
    if (demoDay && hostSide && factLog)
      await startDemoDay(demoDay, {
        ...deps,
        wakeups: bossWakeups(deps.boss, playedClock),
        hostSide,
        appendToLog: factLog.append,
      });
    const { database, lostDatabase } = deps;
    return {
      url,
      built,
      place: database.place,
      opsToken,
      demoOperator,
      demoDay,
      lostDatabase,
      stop: () => shutdown.run(),
    };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function openDeps(config: Config, log: Logger, shutdown: Shutdown): Promise<Deps> {
  const node = { version: manifest.version, role: config.role, cell: config.cell };
  const telemetry = await openTelemetry({ ...config, node, log });
  shutdown.add('telemetry', () => telemetry.stop());
  const { figures } = telemetry;
  const { promise: lostDatabase, resolve: outlive } = Promise.withResolvers<StartError>();
  const database = await openDatabase(config, log, shutdown, outlive);
  await checkCellAt(database.listenUrl, config.cell);
  // Over the direct session: a transaction pooler would leak its advisory lock.
  await migrate(database.listenUrl, log);

  const db = createPool({ url: database.url, name: `tailgate ${config.role}`, log, keep: MIN_CONNECTIONS });
  shutdown.add('database pool', () => db.end());
  figures.addPool('requests', db);
  await checkCell(db, config.cell);
  figures.followMirror({ db, log });
  const epoch = await ensureEpoch(db);
  const store = await openStore({ config, db, log, shutdown });
  const serverClock = new ServerClock();
  const clock = serverClock.now;
  const clockWatch = new ClockWatch({ clock: serverClock, db, log });
  await clockWatch.start();
  shutdown.add('comparison of clocks', () => clockWatch.stop());

  const schema = jobsSchema(config.cell);
  const createSchema = !(await hasSchema(db, schema));
  const boss = new PgBoss({ connectionString: database.url, schema, useListenNotify: true, createSchema });
  boss.on('error', (err) => log.warn({ err }, 'pg-boss has trouble with the database and tries again'));
  await boss.start();
  // Jobs are wake-ups (I8), so an interrupted job loses nothing.
  shutdown.add('pg-boss', () => boss.stop({ graceful: false }));
  await createQueues(boss);

  const listener = await startListener({ url: database.listenUrl, log });
  shutdown.add('LISTEN session', () => listener.stop());
  const stopWatching = await watchEpoch({ db, listener, log }, epoch, outlive);
  shutdown.add('watch over the epoch', async () => stopWatching());
  const auth: AuthDeps = {
    db,
    inTransaction: (work) => withTransaction(db, work),
    passwords: await openPasswords(),
    now: clock,
    wakeReplication: bossRowsWakeup(boss),
    queueMessage: bossMessages(boss),
  };
  return {
    config,
    log,
    shutdown,
    database,
    db,
    boss,
    listener,
    store,
    auth,
    lostDatabase,
    telemetry,
    clock,
    clockWatch,
  };
}

async function startPipeline(deps: Deps): Promise<Pipeline> {
  const { config, log, shutdown, database, db, boss, listener, telemetry, clock } = deps;
  const commits = createPool({
    url: database.url,
    name: `tailgate ${config.role} commits`,
    log,
    size: COMMIT_CONNECTIONS,
    keep: COMMIT_CONNECTIONS,
    pipelined: true,
    plans: (await isDistributed(db)) ? 'auto' : 'once',
  });
  await openAhead(commits, COMMIT_CONNECTIONS);
  shutdown.add('commit pool', () => commits.end());
  telemetry.figures.addPool('commits', commits);
  const codes = new CurrentCodes(db, log);
  await codes.follow(listener);
  const { autocloseSeconds } = config;
  const rules = () => ({ codes: codes.book, closeMode: closeModeOf(config), timerMs: autocloseSeconds * 1_000 });
  const watch = telemetry.changes;
  const pipeline = openPipeline({ db: commits, wakeups: bossWakeups(boss), rules, clock, log, watch });
  shutdown.add('pipeline', () => pipeline.close());
  return pipeline;
}

/** Contract §4: a route closes by its arrival where the service works on the development library. */
function closeModeOf({ routeCloseMode, legacyLibrary, legacyDevLibrary }: Config): CloseMode {
  if (routeCloseMode !== 'auto') return routeCloseMode;
  return legacyLibrary === legacyDevLibrary ? 'arrival' : 'legacy';
}

/** The timed work of every node: it closes routes and sends mails and text messages. The mails of a demo day have its clock. */
async function startSideEffects(deps: Deps, pipeline: Pipeline, mailClock: () => Date): Promise<void> {
  const { config, log, shutdown, db, store, boss, auth, telemetry, clock } = deps;
  const { deliveries } = telemetry.figures;
  const closing = await startClosing({ db, boss, submit: (change) => pipeline.submit(change), clock, log });
  shutdown.add('closing timers', () => closing.stop());
  const mails = await startMail({ db, store, boss, config, clock: mailClock, log, watch: deliveries.mail });
  shutdown.add('delivery mails', () => mails.stop());
  const messages = await startTextMessages({ auth, boss, config, clock, log, watch: deliveries.textMessage });
  shutdown.add('text messages', () => messages.stop());
  const counters = new SharedCounters(db, clock);
  keepSweeping(deps, 'old counters', () => sweepAuth({ db, counters, clock }));
  keepSweeping(deps, 'lost deliveries', () => requeueLost({ db, boss, log }));
  startRetention(deps);
  const alarms = startAlarms({ db, config, clock, log });
  if (alarms) shutdown.add('alarms', () => alarms.stop());
}

/** Runs on every node, like all sweeps: no node waits for another one. */
function startRetention(deps: Deps): void {
  const { db, log, clock } = deps;
  const { retention } = deps.config;
  if (isLimited(retention)) keepSweeping(deps, 'expired records', () => applyRetention({ db, retention, clock, log }));
}

async function startHostSide(deps: Deps, pipeline: Pipeline): Promise<HostSide> {
  const { config, log, shutdown, database, db, store, boss, listener, telemetry, clock } = deps;
  const isRestored = await isJustRestored(db);
  const hostSide = new HostSide({
    config,
    db,
    store,
    databaseUrl: database.url,
    listener,
    boss,
    pipeline,
    log,
    clock,
    watch: telemetry.host,
    isRestored,
    stopping: shutdown.stopping,
  });
  telemetry.figures.followHost(() => hostSide.status);
  shutdown.add('host side', () => hostSide.stop());
  await hostSide.start();
  return hostSide;
}

/** Behind the host side: it closes first, and the last confirmed facts are in the log at the next start. */
async function startSequencer(deps: Deps & { readonly pipeline: Pipeline }): Promise<RunningLog> {
  const { config, log, shutdown } = deps;
  const isDemo = config.demo && config.databaseUrl === undefined && config.witnesses.length === 0;
  const witness = isDemo ? await startDemoWitness(config, log) : undefined;
  if (witness) shutdown.add('witness of the demo', () => witness.stop());
  const witnesses = witness ? [witness.setting] : config.witnesses;
  const lane = await startLog({ ...deps, config: { ...config, witnesses }, watch: deps.telemetry.figures.cosigned });
  shutdown.add('transparency log', () => lane.stop());
  return lane;
}

/** A node without the log seals no pack, unless LOG_KEY_FILE gives it the keys. */
const logKeysOf = async (config: Config): Promise<ReadKeys> =>
  config.role === 'api' && config.logKeyFile === undefined ? async () => [] : openKeys(config);

interface Served {
  pipeline: Pipeline;
  hostSide: HostSide | undefined;
  pages: BuiltPages;
  opsToken: string;
}

async function serve(deps: Deps, { pipeline, hostSide, pages, opsToken }: Served): Promise<string> {
  const { config, log, shutdown, db, store, listener, auth, telemetry, clock, clockWatch } = deps;
  const { figures, requests } = telemetry;
  const sessions = new Sessions(db, clock);
  await sessions.follow(listener);
  const probes: Probe[] = [
    { name: 'database', required: true, check: () => db.query('select 1') },
    { name: 'worker', required: false, check: () => findLiveWorker(db) },
  ];
  if (hostSide) probes.push({ name: 'host', required: false, check: () => hostSide.ping() });

  const { version } = manifest;
  const hostCatalog = new LazyHostCatalog(() => openHost(config, deps.database.url, log));
  shutdown.add('host catalog', () => hostCatalog.close());
  const assets = await openAssets(deps);
  const opsFeed = new OpsFeed({ db, listener, clock, log });
  await opsFeed.start();
  const http = await buildHttp({
    ...config,
    socketPath: syncPath,
    assets,
    db,
    auth,
    pipeline,
    sessions,
    clock,
    probes,
    remarks: async () => [...clockWatch.remarks, ...(await clockRemarks(db))],
    hostCatalog,
    opsFeed,
    pages,
    oidc: await openOidc(config.oidc),
    previewMail: (key, stop) => previewSummary({ db, store }, config.access, key, stop),
    queueMail: bossMail(deps.boss),
    logKeys: await logKeysOf(config),
    stamp: config.tsaUrl === undefined ? undefined : stamper(config.tsaUrl, log),
    sealKey: await openSealKey({ ...config, host: hostOf(config.publicUrl) }),
    excuses: await loadExcuses(config.shadowRules),
    channelDocument: () => channelDocument(version),
    version,
    opsToken,
    log,
  });
  shutdown.add('http and sockets', () => http.close());
  if (requests) watchRequests(http, requests);
  const operators = new OperatorSessions({ db, now: clock, limits: config.operators });
  const rescues = rescuerOf({ operators, opsToken });
  const hub = await mountSync(http, { db, listener, pipeline, sessions, clock, log, rescuerOf: rescues });
  figures.followSockets(() => hub.connectionsOf());
  await mountUploads(http, { assets, sessions, epoch: hub.serverEpoch, readableHeaders, log });
  mountLog(http, { db });
  if (config.metricsPort === undefined)
    mountMetrics(http, { read: figures.read, opsToken, access: config.metricsAccess });
  const url = await listen(http, config);
  return config.publicUrl ?? url;
}

/** A server for metrics alone: for a worker, or where the public port must not show them. */
async function serveFigures({ config, log, shutdown, telemetry }: Deps, port: number, opsToken: string): Promise<void> {
  const http = buildMetrics({ read: telemetry.figures.read, opsToken, access: config.metricsAccess }, log);
  shutdown.add('figures’ own port', () => http.close());
  await listen(http, { port, listenHost: config.listenHost }, 'METRICS_PORT');
}

async function opsTokenOf({ opsToken, dataDir }: Config, log: Logger): Promise<StoredSecret> {
  if (opsToken !== undefined && isGuessable(opsToken))
    log.warn(
      { characters: opsToken.length },
      `OPS_TOKEN can be guessed: take ${OPS_TOKEN_LENGTH} random characters or more`,
    );
  return opsToken === undefined ? storeSecret(join(dataDir, 'ops-token')) : { secret: opsToken, fresh: false };
}
