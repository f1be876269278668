import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { HostError, type HostRow, type HostTransaction } from '../host.ts';
import type { HostValue } from '../files/columns.ts';
import { hostErrorOf, isLost } from './db2-errors.ts';
import type { Answer, Answered, Asked, Db2Request } from './process-messages.ts';
import { Unjournaled } from './unjournaled.ts';

/** Longer than any statement of the service needs; a host that takes this long is in trouble, and its rows can wait. */
const STATEMENT_SECONDS = 10;
/**
 * The driver has a little longer for each request before its process is ended. Db2 for i may not break off a wait for a
 * lock.
 */
const ANSWER_MS = 15_000;
const PROGRAM = fileURLToPath(new URL('connection-process.ts', import.meta.url));

interface Awaited {
  readonly ask: Db2Request['ask'];
  resolve(answer: Answer): void;
  reject(error: HostError): void;
}

/**
 * One connection to Db2 in a process of its own (docs/decisions/0024). Any failure of the connection ends that process:
 * no connection is in an unclear state.
 */
export class Db2Connection implements HostTransaction {
  readonly #process: ChildProcess;
  readonly #unjournaled: Unjournaled;
  readonly #waiting = new Map<number, Awaited>();
  readonly #ended = Promise.withResolvers<void>();
  #asked = 0;
  /** The deadline of the first waiting request. */
  #deadline: NodeJS.Timeout | undefined;
  #lost: HostError | undefined;
  #database = '';
  /** Time of the last use, by the process's own clock. */
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
    const opened = new Db2Connection(unjournaled);
    try {
      const answer = await opened.#ask({ ask: 'open', connection, statementSeconds: STATEMENT_SECONDS });
      opened.#database = typeof answer === 'string' ? answer : '';
      return opened;
    } catch (error) {
      await opened.end();
      throw error;
    }
  }

  /** The database's own name: `AS` is Db2 for i, `DB2/…` the others. */
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

  /** @throws HostError; 08007 where its outcome is unknown */
  async commit(): Promise<void> {
    await this.#ask({ ask: 'commit' });
  }

  /** A connection that cannot roll back is closed, which rolls back. */
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
      return await this.#ask({ ask, sql: this.#unjournaled.withoutCommitment(sql), parameters });
    } catch (error) {
      if (!(error instanceof HostError) || error.kind !== 'not_journaled' || !this.#unjournaled.add(sql)) throw error;
      // The statements behind this one have run before it could be repeated: repeat the whole transaction, in its
      // order.
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

  /** Requests are answered one after the other: the time of each begins with the answer before it. */
  #awaitAnswer(): void {
    clearTimeout(this.#deadline);
    const [first] = this.#waiting.values();
    if (!first) return;
    // A statement without an answer costs this connection, and is no sign of the host's other connections.
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

/** After a commit without an answer its outcome is unknown. */
function doubtful(cause: HostError): HostError {
  return new HostError('08007', 'the connection broke during the commit', { sqlcode: cause.sqlcode, cause });
}
