import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { shareCommits } from '../../assets/shared-commit.ts';
import type { AuthDeps } from '../../auth/deps.ts';
import { CurrentCodes } from '../../codes/current-codes.ts';
import type { Config } from '../../config.ts';
import type { Listener } from '../../db/listen.ts';
import { createPool } from '../../db/pool.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db } from '../../db/types.ts';
import { openHost } from '../../host/connection/open.ts';
import type { Host } from '../../host/host.ts';
import { readFile } from '../../host/reads/reads.ts';
import { openPipeline } from '../../mutations/intake/pipeline.ts';
import type { Wakeups } from '../../mutations/jobs/wakeups.ts';
import type { HostSide } from '../../replication/host-side.ts';
import { storeSecret } from '../../runtime/kept-secret.ts';
import type { Log } from '../../runtime/log.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { StartError } from '../../runtime/start-error.ts';
import { employees, facility } from './depot.ts';
import { readDay, saveDay } from './kept-day.ts';
import { PlayedClock } from './played-clock.ts';
import { DayPlayer } from './player.ts';

/** The demo day of a server. */
export interface DemoDay {
  /** The clock of the host side, of the mails, of the player's pipeline and of its uploads. */
  readonly clock: PlayedClock;
  /** The drivers, and the one password of all of them. */
  readonly drivers: readonly string[];
  readonly password: string;
}

/** The parts of the server that the day runs on. */
export interface DayParts {
  readonly config: Pick<Config, 'dataDir' | 'legacyUrl' | 'legacyLibrary' | 'smtpUrl'>;
  readonly log: Log;
  readonly shutdown: Shutdown;
  readonly database: { readonly url: string };
  readonly db: Db;
  readonly wakeups: Wakeups;
  readonly listener: Listener;
  readonly auth: AuthDeps;
  readonly hostSide: HostSide;
  /** Appends the committed facts to their logs. */
  readonly appendToLog: () => Promise<void>;
}

/** The day of this data folder; its clock shows the real time until the day is played. */
export async function openDemoDay(dataDir: string, clock: () => Date): Promise<DemoDay> {
  const { secret: password } = await storeSecret(join(dataDir, 'demo-drivers'));
  return { clock: new PlayedClock(clock), drivers: employees.map(({ id }) => id), password };
}

/**
 * Plays the day in the background, or what an interrupted start has left of it. A finished day stays as it is.
 * @throws StartError where the host has other data than the demo's
 */
export async function startDemoDay(day: DemoDay, parts: DayParts): Promise<void> {
  const { config, log, shutdown, database, db, listener } = parts;
  const openDesk = (program: string, user: string) => openHost(config, database.url, log, program, user);
  await checkHost(openDesk);
  const kept = await readDay(config.dataDir);
  if (kept?.finished) return;
  const start = kept?.start ?? day.clock.now();
  await saveDay(config.dataDir, { start, finished: false });
  // It follows the listener for the life of the server, so it reads through the server's own pool.
  const codes = new CurrentCodes(db, log);
  await codes.follow(listener);
  const playing = play(day, parts, { start, openDesk, codes }).catch((err: unknown) => {
    if (!shutdown.stopping.aborted) log.error({ err }, 'the demo day is incomplete; the next start continues it');
  });
  shutdown.add('demo day', () => playing);
}

/** The facility of `npm start`'s own demo. */
const demoFacility = 'F01';

async function checkHost(openDesk: (program: string, user: string) => Promise<Host>): Promise<void> {
  const host = await openDesk('DISPATCH', 'DEMODAY');
  try {
    const [facilities, routes] = await Promise.all([readFile(host, 'FACMSTP'), readFile(host, 'RTHDRP')]);
    const names = [...facilities.map(({ FAFAC }) => FAFAC), ...routes.map(({ RHFAC }) => RHFAC)];
    const other = names.find((name) => name !== demoFacility && name !== facility);
    if (other !== undefined)
      throw new StartError(
        `DEMO=day: the host has data of facility ${other}, and the demo day is not mixed with other data; choose an empty DATA_DIR, or start without DEMO=day`,
      );
  } finally {
    await host.close();
  }
}

interface Begun {
  readonly start: Date;
  readonly openDesk: (program: string, user: string) => Promise<Host>;
  readonly codes: Pick<CurrentCodes, 'book'>;
}

async function play(
  { clock, password }: DemoDay,
  { config, log, shutdown, database, wakeups, auth, hostSide, appendToLog }: DayParts,
  { start, openDesk, codes }: Begun,
): Promise<void> {
  const begun = performance.now();
  const { now } = clock;
  const db = createPool({ url: database.url, name: 'tailgate demo day', log, pipelined: true });
  const rules = () => ({ codes: codes.book, closeMode: 'legacy', timerMs: 0 }) as const;
  const pipeline = openPipeline({ db, wakeups, rules, clock: now, log });
  const commit = shareCommits({ inTransaction: (work) => withTransaction(db, work), wake: wakeups.replicateRows });
  const { stopping } = shutdown;
  const playOnce = () =>
    new DayPlayer({
      db,
      log,
      clock,
      pipeline,
      auth: { ...auth, now },
      uploads: { db, commit, clock: now },
      importNow: () => hostSide.importNow(),
      appendToLog,
      holdInForce: () => hostSide.status?.hold,
      openDesk,
      hasMailServer: config.smtpUrl !== undefined,
      password,
      start,
      stopping,
    }).play();
  try {
    await repeated(playOnce, { log, stopping });
  } finally {
    clock.end();
    await pipeline.close();
    await db.end();
  }
  await saveDay(config.dataDir, { start, finished: true });
  log.info({ facility, ms: Math.round(performance.now() - begun) }, 'the demo day is complete');
}

/** Pauses before the repetitions of an interrupted day. Most locks and lost connections pass within seconds. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 16_000];

/** Plays the day until it ends. A repetition continues it, since all steps are idempotent. @throws the last failure */
async function repeated(
  playOnce: () => Promise<void>,
  { log, stopping }: { readonly log: Log; readonly stopping: AbortSignal },
): Promise<void> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await playOnce();
    } catch (err) {
      stopping.throwIfAborted();
      log.warn({ err, pauseMs }, 'the demo day is interrupted and continues in a moment');
      await delay(pauseMs, undefined, { signal: stopping });
    }
  }
  await playOnce();
}
