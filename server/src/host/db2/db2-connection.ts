import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { HostError, type HostRow, type HostTransaction } from '../host.ts';
import type { HostValue } from '../files/columns.ts';
import type { DriverName } from './driver.ts';
import { hostErrorOf, isLost } from './db2-errors.ts';
import type { Answer, AnswerMessage, RequestMessage, Db2Request } from './process-messages.ts';
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
  readonly kind: Db2Request['kind'];
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
  #lastId = 0;
  /** The deadline of the first waiting request. */
  #deadline: NodeJS.Timeout | undefined;
  #lost: HostError | undefined;
  #database = '';
  /** Time of the last use, by the process's own clock. */
  usedAt = performance.now();

  private constructor(unjournaled: Unjournaled) {
    this.#unjournaled = unjournaled;
    this.#process = fork(PROGRAM, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#process.on('message', (message: AnswerMessage) => this.#receive(message));
    this.#process.on('error', (error) => this.#fail(error.message));
    this.#process.on('exit', () => {
      this.#fail('the process that held the connection ended');
      this.#ended.resolve();
    });
  }

  /** @throws HostError */
  static async open(
    connection: string,
    unjournaled = new Unjournaled(),
    driver: DriverName = 'ibm_db',
  ): Promise<Db2Connection> {
    const opened = new Db2Connection(unjournaled);
    try {
      const answer = await opened.#request({ kind: 'open', driver, connection, statementSeconds: STATEMENT_SECONDS });
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
    await this.#request({ kind: 'begin' });
  }

  /** @throws HostError; 08007 where its outcome is unknown */
  async commit(): Promise<void> {
    await this.#request({ kind: 'commit' });
  }

  /** A connection that cannot roll back is closed, which rolls back. */
  async rollback(): Promise<void> {
    await this.#request({ kind: 'rollback' }).catch(() => this.#fail('the connection could not roll back'));
  }

  /** Ends the process and with it the connection; Db2 rolls back what was open. */
  async end(): Promise<void> {
    this.#fail('the connection was closed');
    await this.#ended.promise;
  }

  async #statement(kind: 'query' | 'execute', sql: string, parameters: readonly HostValue[]): Promise<Answer> {
    try {
      return await this.#request({ kind, sql: this.#unjournaled.withoutCommitment(sql), parameters });
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

  #request(body: Db2Request): Promise<Answer> {
    if (this.#lost) return Promise.reject(this.#lost);
    this.usedAt = performance.now();
    this.#lastId += 1;
    const request: RequestMessage = { ...body, id: this.#lastId };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { kind: request.kind, resolve, reject });
      if (this.#waiting.size === 1) this.#awaitAnswer();
      this.#process.send(request, (error) => {
        if (error) this.#fail(error.message);
      });
    });
  }

  #receive(message: AnswerMessage): void {
    const awaited = this.#waiting.get(message.id);
    if (!awaited) return;
    this.#waiting.delete(message.id);
    this.#awaitAnswer();
    this.usedAt = performance.now();
    if ('answer' in message) return awaited.resolve(message.answer);
    const error = hostErrorOf(message.failure, awaited.kind === 'open' ? '08001' : '08003');
    const lost = isLost(error);
    awaited.reject(lost && awaited.kind === 'commit' ? uncertainCommit(error) : error);
    if (lost && awaited.kind !== 'open') this.#fail(error.message);
  }

  /** Requests are answered one after the other: the time of each begins with the answer before it. */
  #awaitAnswer(): void {
    clearTimeout(this.#deadline);
    const [first] = this.#waiting.values();
    if (!first) return;
    // A statement without an answer closes this connection, and indicates nothing about the host's other ones.
    const state = first.kind === 'query' || first.kind === 'execute' ? '57014' : '08003';
    this.#deadline = setTimeout(() => this.#fail(`no answer within ${ANSWER_MS} ms`, state), ANSWER_MS);
  }

  #fail(message: string, sqlstate = '08003'): void {
    this.#process.kill('SIGKILL');
    if (this.#lost) return;
    const error = new HostError(sqlstate, message);
    this.#lost = error;
    clearTimeout(this.#deadline);
    for (const awaited of this.#waiting.values())
      awaited.reject(awaited.kind === 'commit' ? uncertainCommit(error) : error);
    this.#waiting.clear();
  }
}

/** After a commit without an answer its outcome is unknown. */
function uncertainCommit(cause: HostError): HostError {
  return new HostError('08007', 'the connection broke during the commit', { sqlcode: cause.sqlcode, cause });
}
