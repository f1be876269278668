import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import mime from 'mime';
import { z } from 'zod';
import { SingleFlight } from '../../runtime/single-flight.ts';
import type { Log } from '../../runtime/log.ts';
import { EncodedBytes } from '../answers/encoded-bytes.ts';

/** A file of a built page, in memory. */
export interface BuiltFile {
  readonly content: EncodedBytes;
  readonly type: string;
  /** Whether its name changes with its content. */
  readonly hashed: boolean;
}

/** `FOLDER.json`, as `server/web/build` writes it. */
const listing = z.object({
  files: z.record(
    z.string().regex(/^\w[\w.-]*$/, 'expected the name of a file, without a folder'),
    z.object({
      integrity: z.string(),
      hashed: z.boolean(),
      encodings: z.object({ br: z.string(), gz: z.string() }).partial(),
    }),
  ),
});

/** The bound of a page's files in memory; the driver app has 3 MiB. */
const maxBytes = 64 * 1024 * 1024;
/** The time between two readings of a folder that cannot be read. */
const againMs = 1_000;

/**
 * The output of one build. The files are in memory and requests never name a path on the disk. A later build replaces
 * them as a whole: the folder is read again when its listing has changed.
 */
export class BuiltFolder {
  readonly #folder: string;
  readonly #log: Log;
  readonly #reading = new SingleFlight<void>();
  /** The listing's time of change at the last reading; 0: there was none. */
  #readAt: number | undefined;
  /** After a failure: the earliest time of the next reading. */
  #notBefore = 0;
  #files: ReadonlyMap<string, BuiltFile> = new Map();
  /** Files of the build before: a page that opened then may still load parts. */
  #earlier: ReadonlyMap<string, BuiltFile> = new Map();

  /** @param folder with `FOLDER.json` beside it */
  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Whether there is a page to serve. */
  async isBuilt(): Promise<boolean> {
    await this.#reading.ask(() => this.#readIfChanged());
    return this.#files.size > 0;
  }

  /** Hashed names are found without a look at the disk. */
  async find(name: string): Promise<BuiltFile | undefined> {
    const known = this.#files.get(name);
    if (known?.hashed) return known;
    await this.#reading.ask(() => this.#readIfChanged());
    const earlier = this.#earlier.get(name);
    return this.#files.get(name) ?? (earlier?.hashed ? earlier : undefined);
  }

  async #readIfChanged(): Promise<void> {
    const changedAt = await stat(`${this.#folder}.json`).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    if (changedAt === this.#readAt || performance.now() < this.#notBefore) return;
    try {
      const files = await this.#read();
      this.#earlier = this.#files;
      this.#files = files;
      this.#readAt = changedAt;
    } catch (err) {
      // The files in memory stay. A build that is being written is whole a moment later.
      if (changedAt === 0) this.#readAt = changedAt;
      else this.#notBefore = performance.now() + againMs;
      const remark = 'cannot read the built pages; `npm run build:web` builds them';
      this.#log.warn({ err, folder: this.#folder, kept: this.#files.size }, remark);
    }
  }

  /** @throws Error where a file differs from the listing */
  async #read(): Promise<Map<string, BuiltFile>> {
    const { files } = listing.parse(JSON.parse(await readFile(`${this.#folder}.json`, 'utf8')));
    let total = 0;
    const readListed = async (name: string, integrity: string): Promise<Buffer> => {
      const bytes = await readFile(join(this.#folder, name));
      total += bytes.length;
      if (total > maxBytes) throw new Error(`the files are larger than ${maxBytes} bytes`);
      if (`sha256-${hash('sha256', bytes, 'base64')}` !== integrity)
        throw new Error(`${name} differs from the listing: a build is under way, or the file was changed after it`);
      return bytes;
    };
    const read = new Map<string, BuiltFile>();
    for (const [name, { integrity, hashed, encodings }] of Object.entries(files)) {
      const bytes = await readListed(name, integrity);
      const copies = {
        ...(encodings.br !== undefined && { br: await readListed(`${name}.br`, encodings.br) }),
        ...(encodings.gz !== undefined && { gzip: await readListed(`${name}.gz`, encodings.gz) }),
      };
      read.set(name, { content: new EncodedBytes(bytes, copies), type: typeOf(name), hashed });
    }
    return read;
  }
}

function typeOf(name: string): string {
  const type = mime.getType(name) ?? 'application/octet-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}
