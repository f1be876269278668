import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { atFileEnd } from './file-end.ts';
import { reservePort } from './reserved-port.ts';

const main = join(import.meta.dirname, '../../server/src/main.ts');

/** The first line of a server that serves; see `banner.ts`. */
const READY = /^Tailgate is ready\b/m;

/**
 * Starts the real server as `npm start` does, in a process of its own, and returns once it serves. It gets only the
 * given environment and the place of compiled modules. It does not warm up, since no test measures it. It ends with the
 * test file; `DATABASE_URL` and `DATA_DIR` choose its data.
 */
export async function startServer(env: Record<string, string>, args: string[] = []): Promise<ServerProcess> {
  const server = new ServerProcess(
    { PORT: String(await reservePort()), LOG_LEVEL: 'warn', WARM_UP: '0', IMPORT_FROM: '20200101', ...env },
    args,
  );
  atFileEnd(() => server.stop());
  await server.start();
  return server;
}

/** The server as the operating system sees it: started, stopped by a signal, killed, started again on the same port. */
export class ServerProcess {
  readonly #env: Record<string, string>;
  readonly #args: string[];
  readonly #program: string;
  #child: ChildProcess | undefined;
  #output = '';

  /** @param program the entry of another tree, such as that of a release */
  constructor(env: Record<string, string>, args: string[] = [], program = main) {
    this.#env = env;
    this.#args = args;
    this.#program = program;
  }

  get port(): number {
    return Number(this.#env['PORT']);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** All of its output since its first start. */
  get output(): string {
    return this.#output;
  }

  /** Rejects with its output if it ends before it is ready. */
  async start(): Promise<void> {
    if (this.#child) throw new Error('the server runs already');
    const node = ['--conditions=source', this.#program, ...this.#args];
    const { NODE_COMPILE_CACHE: compiled } = process.env;
    const env = compiled === undefined ? this.#env : { NODE_COMPILE_CACHE: compiled, ...this.#env };
    const child = spawn(process.execPath, node, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    let outputOfStart = '';
    await new Promise<void>((resolve, reject) => {
      const collect = (text: string) => {
        this.#output += text;
        outputOfStart += text;
        if (READY.test(outputOfStart)) resolve();
      };
      child.stdout.setEncoding('utf8').on('data', collect);
      child.stderr.setEncoding('utf8').on('data', collect);
      child.once('error', reject);
      child.once('close', (code, signal) => {
        this.#child = undefined;
        reject(new Error(`the server ended (${signal ?? code}) before it was ready: ${outputOfStart.trim()}`));
      });
    });
  }

  /** As `kill -9` or a power cut: nothing is finished or written. */
  async kill9(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** As a supervisor, Ctrl-C or a closed terminal does; rejects where the server does not end cleanly. */
  async stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP' = 'SIGTERM'): Promise<void> {
    const ended = await this.#end(signal);
    if (ended !== 0) throw new Error(`the server did not stop cleanly (${ended}): ${this.#output}`);
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Resolves with the status of a process that ends by itself. */
  async ended(): Promise<number | null> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return child?.exitCode ?? null;
    return new Promise((resolve) => child.once('close', (code) => resolve(code)));
  }

  async #end(signal: NodeJS.Signals): Promise<number | string | null> {
    const child = this.#child;
    if (!child) return 0;
    const closed = new Promise<number | string | null>((resolve) => {
      child.once('close', (code, endedBy) => resolve(endedBy ?? code));
    });
    child.kill(signal);
    return closed;
  }
}
