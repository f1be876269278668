import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../runtime/start-error.ts';
import { readCheckpoint, type Checkpoint } from './format/checkpoint.ts';

/** The newest checkpoint of a log that this server has seen, with its generation. */
export interface Seen {
  readonly generation: number;
  /** The epoch of the server in which the generation began; undefined where a witness has shown the checkpoint. */
  readonly epoch: number | undefined;
  readonly note: string;
  readonly checkpoint: Checkpoint;
}

/**
 * The newest checkpoint of each log, in a file under DATA_DIR. A database that is behind it was put back to an earlier
 * state. The file is written after each signing; a crash in between leaves an older checkpoint, which is no harm.
 */
export class NewestCheckpoints {
  readonly #file: string;
  readonly #seen = new Map<string, Seen>();

  private constructor(file: string) {
    this.#file = file;
  }

  /** @throws StartError for a file that cannot be read: without it a restored database would not be noticed */
  static async open(dataDir: string): Promise<NewestCheckpoints> {
    const newest = new NewestCheckpoints(join(dataDir, 'log-checkpoints.json'));
    await newest.#read();
    return newest;
  }

  of(facility: string): Seen | undefined {
    return this.#seen.get(facility);
  }

  /** Other processes of the same DATA_DIR write the file, too: the later checkpoint of each log stays. */
  async keep(facility: string, seen: Seen): Promise<void> {
    await this.#read();
    this.#take(facility, seen);
    await this.#write();
  }

  /** A witness has signed another history of the generation: its checkpoint counts, whatever its size. */
  async replace(facility: string, seen: Seen): Promise<void> {
    await this.#read();
    if (seen.generation < (this.#seen.get(facility)?.generation ?? 0)) return;
    this.#seen.set(facility, seen);
    await this.#write();
  }

  async #write(): Promise<void> {
    const stored: Stored = Object.fromEntries(
      [...this.#seen].map(([name, { generation, epoch, note }]) => [name, { generation, epoch, note }]),
    );
    const draft = `${this.#file}.${randomBytes(4).toString('hex')}`;
    await writeFile(draft, JSON.stringify(stored), { mode: 0o600, flush: true });
    await rename(draft, this.#file);
  }

  async #read(): Promise<void> {
    const text = await readFile(this.#file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}';
      throw new StartError(`${this.#file} cannot be read: ${error.message}`, { cause: error });
    });
    try {
      for (const [facility, { generation, epoch, note }] of Object.entries(parseStored(text)))
        this.#take(facility, { generation, epoch, note, checkpoint: readCheckpoint(note).checkpoint });
    } catch (cause) {
      const way = 'put it back from a copy, or move it away and read docs/evidence.md';
      throw new StartError(`${this.#file} is damaged: ${way}`, { cause });
    }
  }

  #take(facility: string, seen: Seen): void {
    const known = this.#seen.get(facility);
    if (!known || isLater(seen, known)) this.#seen.set(facility, seen);
  }
}

type Stored = Record<string, { generation: number; epoch?: number | undefined; note: string }>;
const parseStored: (text: string) => Stored = JSON.parse;

const isLater = (one: Seen, other: Seen): boolean =>
  one.generation > other.generation ||
  (one.generation === other.generation && one.checkpoint.size > other.checkpoint.size);
