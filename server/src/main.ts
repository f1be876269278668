import { startApp, type App } from './app.ts';
import { banner, startHelp } from './runtime/banner.ts';
import { runProgram } from './runtime/command-line.ts';
import { loadConfig, settings } from './config.ts';
import { operations } from './http/operations.ts';
import { openAreas, openPaths } from './http/endpoints/open-paths.ts';
import type { Log } from './runtime/log.ts';
import { openLogger, standardError } from './runtime/logger.ts';
import { warmUp } from './sync/warm-up/warm-up.ts';

/** A clean stop that takes longer hangs; most supervisors wait no longer either. */
const STOP_TIMEOUT_MS = 20_000;
/** One Ctrl-C can arrive twice, from the terminal and through npm. Only a later one means "now". */
const SAME_SIGNAL_MS = 1_000;

// Uploads, mails and secrets are below DATA_DIR, and other users of the machine must not read them.
process.umask(0o077);

await runProgram(startHelp(settings), start, 'Tailgate cannot start.');

async function start(argv: readonly string[]): Promise<void> {
  const config = loadConfig(process.env, argv);
  const log = openLogger(config.logLevel, standardError(process.stderr.isTTY), config.cell);
  const stopping = new AbortController();
  const starting = startApp(config, log, stopping.signal);
  stopOnSignal(starting, stopping);
  const warmingUp = config.warmsUp && config.role !== 'worker' ? warmedUp(log, stopping.signal) : undefined;
  // Both run at once, because most of the start waits for PostgreSQL.
  const app = await Promise.all([starting, warmingUp]).then(
    ([started]) => started,
    (error: unknown) => {
      if (error !== stopping.signal.reason) throw error;
    },
  );
  // The process stopped before it had started, and its parts are closed again.
  if (!app) return;
  console.log(banner(config, { ...app, open: openAreas(config.access, operations) }));
  // This line is long, so it comes after the friendly ones.
  if (app.url !== undefined)
    log.info(
      { access: config.access, signup: config.signup, open: openPaths(config.access, operations) },
      'these endpoints need no credentials',
    );
  void stopWithDatabase(app);
}

/** A failure here never fails the start. */
async function warmedUp(log: Log, stopping: AbortSignal): Promise<void> {
  try {
    await warmUp(stopping);
  } catch (err) {
    log.warn({ err }, 'the warm-up failed: the first changes take longer');
  }
}

/**
 * A server must not continue on another database than the one it started on. The exit code and the log give its
 * supervisor the reason (I9).
 */
async function stopWithDatabase({ lostDatabase }: App): Promise<void> {
  const { message } = await lostDatabase;
  console.error(`Tailgate cannot go on. ${message}`);
  process.exitCode = 1;
  process.kill(process.pid, 'SIGTERM');
}

/** The first signal stops cleanly, also during the start. A second one ends the process at once. */
function stopOnSignal(starting: Promise<App>, stopping: AbortController): void {
  let stoppingSince: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    console.log(`Stopping (${signal}) …`);
    setTimeout(() => {
      console.error(
        `Not stopped after ${STOP_TIMEOUT_MS / 1_000} s, ending anyway; open: ${process.getActiveResourcesInfo().join(', ')}`,
      );
      process.exit(1);
    }, STOP_TIMEOUT_MS).unref();
    stopping.abort();
    starting.then(
      (app) => app.stop(),
      // The caller that awaits it reports the error.
      () => undefined,
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // A closed terminal: Node would end at once and leave the embedded PostgreSQL running.
  process.on('SIGHUP', stop);
}
