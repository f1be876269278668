import type { FastifyInstance } from 'fastify';
import { BufferPool } from '../../server/src/assets/chunk-buffer.ts';
import { uploadLimits } from '../../server/src/assets/limits.ts';
import { shareCommits } from '../../server/src/assets/shared-commit.ts';
import { openPasswords } from '../../server/src/auth/passwords.ts';
import { Sessions } from '../../server/src/auth/sessions.ts';
import { codeBook } from '../../server/src/codes/code-book.ts';
import { withTransaction } from '../../server/src/db/transaction.ts';
import { buildHttp } from '../../server/src/http/build.ts';
import { openPages } from '../../server/src/http/pages/mount-pages.ts';
import type { Pipeline } from '../../server/src/mutations/change.ts';
import { openPipeline } from '../../server/src/mutations/intake/pipeline.ts';
import { OpsFeed } from '../../server/src/ops/feed/ops-feed.ts';
import { openLogger } from '../../server/src/runtime/logger.ts';
import type { Depot } from './depot.ts';
import { KillableDatabase } from './killable-database.ts';
import type { Quiescence } from './quiescence.ts';
import type { WorldTime } from './world-time.ts';

export interface RestNodeDeps {
  readonly depot: Pick<Depot, 'db' | 'wakeups' | 'log'>;
  readonly time: WorldTime;
  readonly quiescence: Quiescence;
}

/** An answer of the REST edge. */
export interface RestAnswer {
  readonly status: number;
  readonly data: unknown;
  readonly code: string | undefined;
}

const OPS_TOKEN = 'operators-of-all-worlds';
/** The minimum of argon2: a world needs no safe passwords. */
const QUICK = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** A server process with the whole REST edge, for operators and for sign-ins. Phones use other processes. */
export class RestNode {
  readonly #app: FastifyInstance;
  readonly #pipeline: Pipeline;
  readonly #quiescence: Quiescence;

  private constructor(app: FastifyInstance, pipeline: Pipeline, quiescence: Quiescence) {
    this.#app = app;
    this.#pipeline = pipeline;
    this.#quiescence = quiescence;
  }

  static async start({ depot, time, quiescence }: RestNodeDeps): Promise<RestNode> {
    const { wakeups, log } = depot;
    const db = new KillableDatabase(depot.db, quiescence, () => undefined);
    const clock = (): Date => new Date(time.now);
    const rules = () => ({ codes: codeBook([]), closeMode: 'legacy' as const, timerMs: 600_000 });
    const pipeline = openPipeline({ db, wakeups, rules, clock, log });
    const sessions = new Sessions(db, clock);
    const { replicateRows: wake } = wakeups;
    const inTransaction = <Result>(work: Parameters<typeof withTransaction<Result>>[1]): Promise<Result> =>
      withTransaction(db, work);
    const auth = {
      db,
      inTransaction,
      passwords: await openPasswords(QUICK),
      now: clock,
      wakeReplication: wake,
      queueMessage: () => Promise.resolve(),
    };
    const noHost = () => Promise.reject(new Error('this process has no host'));
    const listener = { onNotify: () => Promise.resolve(), onReconnect: () => undefined };
    const app = await buildHttp({
      db,
      auth,
      pipeline,
      sessions,
      clock,
      access: 'documented',
      cells: undefined,
      signup: 'documented',
      oidc: undefined,
      operators: { idleMinutes: 30, sessionHours: 12 },
      trustProxy: false,
      publicUrl: undefined,
      maxJsonMb: 5,
      reportQuotaMb: 64,
      corsOrigins: [],
      assets: {
        db,
        commit: shareCommits({ inTransaction, wake }),
        clock,
        limits: uploadLimits({ maxFileMb: 1, maxFiles: 10, uploadQuotaMb: 1_000 }),
        buffers: new BufferPool(),
      },
      probes: [],
      remarks: async () => [],
      hostCatalog: { job: noHost, describe: noHost, readStop: noHost },
      opsFeed: new OpsFeed({ db, listener, clock, log }),
      previewMail: noHost,
      queueMail: noHost,
      logKeys: async () => [],
      sealKey: undefined,
      stamp: undefined,
      channelDocument: () => ({}),
      pages: openPages('/nowhere', log),
      version: '0.0.0-simulated',
      socketPath: '/api/sync',
      opsToken: OPS_TOKEN,
      log: openLogger('silent', { write: () => undefined }),
    });
    await app.ready();
    return new RestNode(app, pipeline, quiescence);
  }

  /** A request of an operator's program. */
  asOperator(method: 'GET' | 'POST', path: string, body?: object): Promise<RestAnswer> {
    return this.send(method, `/api/ops${path}`, { authorization: `Bearer ${OPS_TOKEN}` }, body);
  }

  async send(
    method: 'GET' | 'POST',
    url: string,
    headers: Readonly<Record<string, string>> = {},
    body?: object,
  ): Promise<RestAnswer> {
    const payload = body === undefined ? {} : { payload: body };
    const answer = await this.#quiescence.during(this.#app.inject({ method, url, headers, ...payload }));
    const { data, error }: { data: unknown; error?: { code?: string } } = answer.json();
    return { status: answer.statusCode, data, code: error?.code };
  }

  async close(): Promise<void> {
    await this.#app.close();
    await this.#pipeline.close();
  }
}
