import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { HostError, type HostRow, type HostTransaction } from '../host.ts';
import type { HostValue } from '../files/columns.ts';
import { hostErrorOf, isLost } from './db2-errors.ts';
import type { Answer, Answered, Asked, Db2Request } from './process-messages.ts';
import { Unjournaled } from './unjournaled.ts';

/** Longer than any statement of ours needs; a host that takes this long is in trouble, and its rows can wait. */
const STATEMENT_SECONDS = 10;
/**
 * The driver itself is given a little longer to answer each question, before the process that holds it is ended. Db2 for
 * i may not break off a wait for a lock.
 */
const ANSWER_MS = 15_000;
const PROGRAM = fileURLToPath(new URL('connection-process.ts', import.meta.url));

interface Awaited {
  readonly ask: Db2Request['ask'];
  resolve(answer: Answer): void;
  reject(error: HostError): void;
}

/**
 * One connection to Db2, held by a process of its own (docs/decisions/0024). Whatever goes wrong with it ends that
 * process: there is no connection in a doubtful state.
 */
export class Db2Connection implements HostTransaction {
  readonly #process: ChildProcess;
  readonly #unjournaled: Unjournaled;
  readonly #waiting = new Map<number, Awaited>();
  readonly #ended = Promise.withResolvers<void>();
  #asked = 0;
  /** When the first of those that wait is given up. */
  #deadline: NodeJS.Timeout | undefined;
  #lost: HostError | undefined;
  #database = '';
  /** When it was last used, by the process's own clock. */
  usedAt = performance.now();

  private constructor(unjournaled: Unjournaled) {
    this.#unjournaled = unjournaled;
    this.#process = fork(PROGRAM, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#process.on('message', (answered: Answered) => this.#settle(answered));
    this.#process.on('error', (error) => this.#lose(error.message));
    this.#process.on('exit', () => {
      this.#lose('the process that held the connection ended');
      this.#ended.resolve();
    });
  }

  /** @throws HostError */
  static async open(connection: string, unjournaled = new Unjournaled()): Promise<Db2Connection> {
    const line = new Db2Connection(unjournaled);
    try {
      const answer = await line.#ask({ ask: 'open', connection, statementSeconds: STATEMENT_SECONDS });
      line.#database = typeof answer === 'string' ? answer : '';
      return line;
    } catch (error) {
      await line.end();
      throw error;
    }
  }

  /** What the database calls itself: `AS` is Db2 for i, `DB2/…` the others. */
  get database(): string {
    return this.#database;
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  async query(sql: string, parameters: readonly HostValue[] = []): Promise<HostRow[]> {
    const answer = await this.#statement('query', sql, parameters);
    return Array.isArray(answer) ? answer : [];
  }

  async execute(sql: string, parameters: readonly HostValue[] = []): Promise<number> {
    return Number(await this.#statement('execute', sql, parameters));
  }

  async begin(): Promise<void> {
    await this.#ask({ ask: 'begin' });
  }

  /** @throws HostError; 08007 where nobody knows whether it happened */
  async commit(): Promise<void> {
    await this.#ask({ ask: 'commit' });
  }

  /** A connection that cannot even roll back is given up, which rolls back. */
  async rollback(): Promise<void> {
    await this.#ask({ ask: 'rollback' }).catch(() => this.#lose('the connection could not roll back'));
  }

  /** Ends the process and with it the connection; Db2 rolls back what was open. */
  async end(): Promise<void> {
    this.#lose('the connection was closed');
    await this.#ended.promise;
  }

  async #statement(ask: 'query' | 'execute', sql: string, parameters: readonly HostValue[]): Promise<Answer> {
    try {
      return await this.#ask({ ask, sql: this.#unjournaled.suited(sql), parameters });
    } catch (error) {
      if (!(error instanceof HostError) || error.kind !== 'not_journaled' || !this.#unjournaled.learn(sql)) throw error;
      // What was handed over behind this statement has run before it could be repeated: the whole again, in its order.
      throw new HostError('40000', `${error.message} (from now on without commitment control)`, {
        sqlcode: error.sqlcode,
        cause: error,
      });
    }
  }

  #ask(question: Db2Request): Promise<Answer> {
    if (this.#lost) return Promise.reject(this.#lost);
    this.usedAt = performance.now();
    this.#asked += 1;
    const asked: Asked = { ...question, id: this.#asked };
    return new Promise((resolve, reject) => {
      this.#waiting.set(asked.id, { ask: asked.ask, resolve, reject });
      if (this.#waiting.size === 1) this.#awaitAnswer();
      this.#process.send(asked, (error) => {
        if (error) this.#lose(error.message);
      });
    });
  }

  #settle(answered: Answered): void {
    const awaited = this.#waiting.get(answered.id);
    if (!awaited) return;
    this.#waiting.delete(answered.id);
    this.#awaitAnswer();
    this.usedAt = performance.now();
    if ('answer' in answered) return awaited.resolve(answered.answer);
    const error = hostErrorOf(answered.failure, awaited.ask === 'open' ? '08001' : '08003');
    const lost = isLost(error);
    awaited.reject(lost && awaited.ask === 'commit' ? doubtful(error) : error);
    if (lost && awaited.ask !== 'open') this.#lose(error.message);
  }

  /** Questions are answered one after the other: the time of each begins when the one before has its answer. */
  #awaitAnswer(): void {
    clearTimeout(this.#deadline);
    const [first] = this.#waiting.values();
    if (!first) return;
    // A statement without an answer costs this connection, and says nothing about the host's others.
    const state = first.ask === 'query' || first.ask === 'execute' ? '57014' : '08003';
    this.#deadline = setTimeout(() => this.#lose(`no answer within ${ANSWER_MS} ms`, state), ANSWER_MS);
  }

  #lose(message: string, sqlstate = '08003'): void {
    this.#process.kill('SIGKILL');
    if (this.#lost) return;
    const error = new HostError(sqlstate, message);
    this.#lost = error;
    clearTimeout(this.#deadline);
    for (const awaited of this.#waiting.values()) awaited.reject(awaited.ask === 'commit' ? doubtful(error) : error);
    this.#waiting.clear();
  }
}

/** After a commit that got no answer nobody knows what the host holds. */
function doubtful(cause: HostError): HostError {
  return new HostError('08007', 'the connection broke during the commit', { sqlcode: cause.sqlcode, cause });
}
