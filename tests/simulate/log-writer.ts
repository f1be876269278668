import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from '../../server/src/db/types.ts';
import type { Log } from '../../server/src/runtime/log.ts';
import { openKeys } from '../../server/src/tlog/keys.ts';
import { NewestCheckpoints } from '../../server/src/tlog/newest-checkpoints.ts';
import { Sequencer } from '../../server/src/tlog/sequencer.ts';
import { KillableDatabase, type KillPoint } from './killable-database.ts';
import { LogAudit } from './model/log-audit.ts';
import type { Quiescence } from './quiescence.ts';

interface LogWriterDeps {
  readonly db: Db;
  readonly log: Log;
}

/**
 * The log’s workers of a depot, and an auditor who reads after each pass. The routes of all its worlds share the logs, so the
 * place of a pass depends on the worlds beside it.
 */
export class LogWriter {
  readonly audit = new LogAudit();
  readonly #deps: LogWriterDeps;
  readonly #dataDir: string;

  private constructor(deps: LogWriterDeps, dataDir: string) {
    this.#deps = deps;
    this.#dataDir = dataDir;
  }

  static async open(deps: LogWriterDeps): Promise<LogWriter> {
    return new LogWriter(deps, await mkdtemp(join(tmpdir(), 'tailgate-log-')));
  }

  /** A process starts, appends everything that is committed, and ends, or is killed. @returns what is wrong in the log */
  async pass(quiescence: Quiescence, killPoint?: KillPoint): Promise<string[]> {
    const db = new KillableDatabase(this.#deps.db, quiescence, () => undefined);
    if (killPoint) db.setKillPoint(killPoint);
    const [dataDir, { log }] = [this.#dataDir, this.#deps];
    const sequencer = new Sequencer({
      db,
      listener: { onNotify: () => Promise.resolve(), onReconnect: () => undefined },
      keys: await openKeys({ dataDir, logKeyFile: undefined }),
      newest: await NewestCheckpoints.open(dataDir),
      host: 'pod.example.com',
      clock: () => new Date(),
      log,
    });
    try {
      await sequencer.pass();
    } catch (error) {
      if (!db.isKilled) throw error;
    }
    // A log of a database that was put back ends with the first whole pass.
    if (db.isKilled) return [];
    return this.audit.read(this.#deps.db);
  }

  close(): Promise<void> {
    return rm(this.#dataDir, { recursive: true, force: true });
  }
}
