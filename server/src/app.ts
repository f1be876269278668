import { join } from 'node:path';
import { fastify, LogController, type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { prepareDataDir } from './data-dir.ts';
import { openEmbedded } from './db/embedded.ts';
import { migrate } from './db/migrate.ts';
import { createPool } from './db/pool.ts';
import { keepSecret, type KeptSecret } from './kept-secret.ts';
import { Shutdown } from './shutdown.ts';
import { StartError } from './start-error.ts';

export interface App {
  /** Where people and phones reach it; a worker serves nobody. */
  url: string | undefined;
  place: string;
  opsToken: KeptSecret;
  /** Takes no more requests, finishes what is under way, closes everything. */
  stop(): Promise<void>;
}

interface Database {
  url: string;
  listenUrl: string;
  /** Where it lies, for people. */
  place: string;
}

/**
 * Puts the parts together by hand, in the order in which they lean on each other; they are closed in reverse.
 * Where one cannot start, those before it are closed again and its error passed on.
 */
export async function startApp(config: Config, log: Logger): Promise<App> {
  const shutdown = new Shutdown(log);
  try {
    await prepareDataDir(config.dataDir);
    const opsToken =
      config.opsToken === undefined ? await keepSecret(join(config.dataDir, 'ops-token')) : given(config.opsToken);
    const database = await openDatabase(config, log, shutdown);
    await migrate(database.url, log);
    const pool = createPool({ url: database.url, name: `tailgate ${config.role}`, log });
    shutdown.add('database pool', () => pool.end());

    // Two roles side by side on one machine need no second port: a worker has no door.
    const url = config.role === 'worker' ? undefined : await serve(config, log, shutdown);
    return { url, place: database.place, opsToken, stop: () => shutdown.run() };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function openDatabase(config: Config, log: Logger, shutdown: Shutdown): Promise<Database> {
  const { databaseUrl, databaseListenUrl, dataDir, role } = config;
  if (databaseUrl !== undefined) {
    return { url: databaseUrl, listenUrl: databaseListenUrl ?? databaseUrl, place: 'as DATABASE_URL says' };
  }
  const embedded = await openEmbedded(dataDir, {
    log,
    name: `Tailgate (process ${process.pid})`,
    parts: role === 'all' ? ['api', 'worker'] : [role],
  });
  shutdown.add('embedded PostgreSQL', () => embedded.stop());
  return { url: embedded.url, listenUrl: databaseListenUrl ?? embedded.url, place: embedded.place };
}

async function serve(config: Config, log: Logger, shutdown: Shutdown): Promise<string> {
  const { trustProxy, publicUrl } = config;
  const http = fastify({
    loggerInstance: log,
    // A line a request would be most of the log; what went wrong is logged where it is known why.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
  });
  shutdown.add('http', () => http.close());
  http.get('/api/health', () => ({ success: true, message: 'ok', data: { uptime_s: Math.floor(process.uptime()) } }));
  const url = await listen(http, config);
  return publicUrl ?? url;
}

async function listen(http: Pick<FastifyInstance, 'listen'>, { port, listenHost }: Config): Promise<string> {
  try {
    return await http.listen({ port, host: listenHost });
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const way = {
      EADDRINUSE: `another program listens there; stop it or choose another port: PORT=${port + 1} npm start`,
      EACCES: 'ports below 1024 need more rights; choose a higher one: PORT=3000 npm start',
      EADDRNOTAVAIL: 'this machine has no such address; set LISTEN_HOST to one of its own, e.g. 127.0.0.1',
    }[String(reason)];
    if (way === undefined) throw cause;
    throw new StartError(`cannot listen on ${listenHost} port ${port}: ${way}`, { cause });
  }
}

function given(secret: string): KeptSecret {
  return { secret, fresh: false };
}
