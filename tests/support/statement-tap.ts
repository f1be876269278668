import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { atFileEnd } from './file-end.ts';
import { FrontendStatements, type ProtocolUnit } from './frontend-statements.ts';
import { reservePort } from './reserved-port.ts';

/** A statement on its way to PostgreSQL. */
export interface TappedStatement {
  /** All statements of one connection. */
  readonly connection: object;
  readonly database: string;
  /** In lower case, with single blanks. */
  readonly text: string;
}

interface Link {
  readonly client: Socket;
  readonly target: Socket;
  readonly statements: FrontendStatements;
  /** Statements that were not delivered yet. */
  readonly waiting: ProtocolUnit[];
}

/** Before the PostgreSQL of this address, for connections without TLS. It ends with the test file. */
export async function startStatementTap(address: string): Promise<StatementTap> {
  const tap = new StatementTap(Number(new URL(address).port), await reservePort());
  await tap.open();
  atFileEnd(() => tap.close());
  return tap;
}

/**
 * A proxy between programs and PostgreSQL that parses each statement and can stop all of them before any one: earlier
 * statements have been delivered, later ones have not. So a test can kill a program at a chosen step without its
 * cooperation.
 */
export class StatementTap {
  readonly #targetPort: number;
  readonly #port: number;
  readonly #links = new Set<Link>();
  readonly #server: Server;
  #mayPass: (statement: TappedStatement) => boolean = () => true;
  #isStopped = false;
  #stoppedAt = Promise.withResolvers<TappedStatement>();

  constructor(targetPort: number, port: number) {
    this.#targetPort = targetPort;
    this.#port = port;
    this.#server = createServer((client) => this.#link(client));
  }

  async open(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** `address` through this tap. */
  through(address: string): string {
    const url = new URL(address);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.href;
  }

  /** From now on all connections stop at the first statement that `matches`; resolves with it. */
  stopAt(matches: (statement: TappedStatement) => boolean): Promise<TappedStatement> {
    this.#stoppedAt = Promise.withResolvers();
    this.#passIf((statement) => !matches(statement));
    return this.#stoppedAt.promise;
  }

  /** Releases the waiting statements and passes later ones; `onStatement` is called with each statement. */
  pass(onStatement: (statement: TappedStatement) => void = () => undefined): void {
    this.#passIf((statement) => {
      onStatement(statement);
      return true;
    });
  }

  /** Ends all connections: undelivered statements are dropped, delivered ones are complete. */
  dropConnections(): void {
    for (const link of this.#links) end(link);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const { client, target } of this.#links) {
      client.destroy();
      target.destroy();
    }
    await closed;
  }

  #passIf(mayPass: (statement: TappedStatement) => boolean): void {
    this.#mayPass = mayPass;
    this.#isStopped = false;
    for (const link of this.#links) this.#flow(link);
  }

  #link(client: Socket): void {
    const target = connect({ host: '127.0.0.1', port: this.#targetPort });
    const link: Link = { client, target, statements: new FrontendStatements(), waiting: [] };
    this.#links.add(link);
    client.on('data', (bytes) => {
      link.waiting.push(...link.statements.take(bytes));
      this.#flow(link);
    });
    target.pipe(client);
    for (const socket of [client, target]) {
      socket.setNoDelay(true);
      // A killed client closes no connection in order.
      socket.on('error', () => undefined);
    }
    client.on('close', () => end(link));
    target.on('close', () => {
      client.destroy();
      this.#links.delete(link);
    });
  }

  #flow(connection: Link): void {
    const { statements, waiting, target } = connection;
    for (let unit = waiting[0]; unit && !this.#isStopped; unit = waiting[0]) {
      const { bytes, statement } = unit;
      if (statement !== undefined) {
        const tapped = {
          connection,
          database: statements.database,
          text: statement.toLowerCase().replaceAll(/\s+/g, ' ').trim(),
        };
        if (!this.#mayPass(tapped)) {
          this.#isStopped = true;
          this.#stoppedAt.resolve(tapped);
          return;
        }
      }
      waiting.shift();
      target.write(bytes);
    }
  }
}

/** Not by a reset, which would drop bytes that PostgreSQL has not read yet. */
function end({ client, waiting, target }: Link): void {
  waiting.length = 0;
  client.destroy();
  target.end();
  target.resume();
}
