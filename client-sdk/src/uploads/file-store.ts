import type { Read } from '../platform/reading.ts';
import type { Row } from '../store/store.ts';
import { either, exactly, fields, flag, number, nullable, optional, text } from '../platform/reading.ts';

/** The progress of a file. */
const fileState = either(
  /** On this device; it will be sent. */
  fields({ at: exactly('saved') }),
  /** On the server. `epoch` is that of its database. */
  fields({ at: exactly('here'), epoch: nullable(text), since: number }),
  /** It cannot be sent: its bytes are gone from this device, or the server rejects them. Earlier versions kept no time. */
  fields({ at: exactly('failed'), code: exactly('VANISHED', 'REFUSED'), reason: text, since: optional(number) }),
);
/** The progress of a file. */
export type FileState = Read<typeof fileState>;

/** Signatures go before photos: a stop can be completed without photos, but lacks its proof without the signature. */
export const fileKinds = ['signature', 'document', 'photo'] as const;
/** The kind of a file for the office; signatures are sent before photos. */
export type FileKind = (typeof fileKinds)[number];

/** The stored record of a file, without its bytes. */
export const isKeptFile = fields({
  /** The id of the later asset; it commits to the bytes (docs/protocol.md, Files). */
  id: text,
  employee: text,
  kind: exactly(...fileKinds),
  name: text,
  /** Bytes. */
  size: number,
  pieces: number,
  /** Lower-case hexadecimal. */
  sha256: text,
  salt: text,
  /** ms since 1970, by this device's clock. */
  added: number,
  /** Some of its bytes have left this device; absent in records of earlier SDK versions. */
  begun: optional(flag),
  state: fileState,
});
/** A file that this device stores until the server has it. */
export type KeptFile = Read<typeof isKeptFile>;

/**
 * The store of files: a record of each, and its bytes in pieces, since platforms limit the size of a record (field case
 * 7). It is separate from the client's `Store`, which is read as a whole at the start.
 */
export interface FileStore {
  /** Pages with a store of the same name show each other's files. Default: `tailgate-files`. */
  readonly name?: string | undefined;
  /** The record of every file, under its id; in no order. */
  files(): Promise<Row[]>;
  /** Stores the record (JSON) and the given bytes, all or nothing; durable when it resolves. */
  put(id: string, facts: unknown, pieces?: readonly Uint8Array<ArrayBuffer>[]): Promise<void>;
  /** Undefined where it is gone: platforms evict data, and people clear it. */
  piece(id: string, index: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Deletes the record and the bytes. */
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}

/** Well below the record limits of Android's SQLite (2 MB) and old WebKits. */
export const pieceBytes = 256 * 1024;

/** The keys of a file's pieces sort in the order of its bytes; an empty `index` gives their common prefix. */
export const pieceKey = (id: string, index: number | ''): string =>
  `${id}/${index === '' ? '' : String(index).padStart(6, '0')}`;

/** Files in memory, for tests and for platforms without storage. */
export class MemoryFiles implements FileStore {
  readonly #files = new Map<string, string>();
  readonly #pieces = new Map<string, Uint8Array<ArrayBuffer>>();

  async files(): Promise<Row[]> {
    return [...this.#files].map(([key, facts]): Row => ({ key, value: JSON.parse(facts) }));
  }

  async put(id: string, facts: unknown, pieces: readonly Uint8Array<ArrayBuffer>[] = []): Promise<void> {
    this.#files.set(id, JSON.stringify(facts));
    for (const [i, piece] of pieces.entries()) this.#pieces.set(pieceKey(id, i), piece.slice());
  }

  async piece(id: string, index: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.#pieces.get(pieceKey(id, index))?.slice();
  }

  async remove(id: string): Promise<void> {
    this.#files.delete(id);
    for (const key of this.#pieces.keys()) if (key.startsWith(pieceKey(id, ''))) this.#pieces.delete(key);
  }

  async close(): Promise<void> {
    // The files stay: the same object opened again acts as the same device after a restart.
  }
}
