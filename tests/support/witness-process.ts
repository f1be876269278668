import { spawn, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { atFileEnd } from './file-end.ts';
import { reservePort } from './reserved-port.ts';
import { temporaryFolder } from './temporary-folder.ts';

const program = join(import.meta.dirname, '../../server/bin/witness.ts');

/** The real witness as `npm run witness` starts it: a process of its own, with a folder and a port of its own. */
export class WitnessProcess {
  readonly folder: string;
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #output = '';

  private constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.#env = env;
  }

  /** @param logs the lines of WITNESS_LOGS */
  static async create(logs: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<WitnessProcess> {
    const folder = await temporaryFolder();
    const witness = new WitnessProcess(join(folder, 'witness'), {
      WITNESS_NAME: 'witness.example.org/w1',
      WITNESS_DIR: join(folder, 'witness'),
      WITNESS_LOGS: join(folder, 'logs.txt'),
      WITNESS_PORT: String(await reservePort()),
      ...env,
    });
    await witness.knowLogs(logs);
    atFileEnd(async () => void (await witness.stop()));
    return witness;
  }

  /** Writes the list of logs, also while it runs. */
  async knowLogs(lines: readonly string[]): Promise<void> {
    await writeFile(join(this.folder, '../logs.txt'), `# logs\n\n${lines.join('\n')}\n`);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#env['WITNESS_PORT']}`;
  }

  /** The value of WITNESSES that it prints. */
  get setting(): string {
    return /WITNESSES=(\S+)/.exec(this.#output)?.[1] ?? '';
  }

  get output(): string {
    return this.#output;
  }

  /** Rejects with its output if it ends before it is ready. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, ['--conditions=source', program], { env: { ...this.#env }, stdio: 'pipe' });
    this.#child = child;
    let ofStart = '';
    await new Promise<void>((resolve, reject) => {
      const collect = (text: string) => {
        this.#output += text;
        ofStart += text;
        if (ofStart.includes('The witness is ready')) resolve();
      };
      child.stdout.setEncoding('utf8').on('data', collect);
      child.stderr.setEncoding('utf8').on('data', collect);
      child.once('error', reject);
      child.once('close', (code) => reject(new Error(`the witness ended (${code}): ${this.#output.trim()}`)));
    });
  }

  stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  /** As a power cut. */
  kill9(): Promise<number | null> {
    return this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return child?.exitCode ?? null;
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    child.kill(signal);
    return closed;
  }
}
