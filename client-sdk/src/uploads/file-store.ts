import type { Read } from '../platform/reading.ts';
import type { Row } from '../store/store.ts';
import { either, exactly, fields, flag, number, nullable, optional, text } from '../platform/reading.ts';

/** How far a file has come. */
const fileState = either(
  /** On this device; it will be sent. */
  fields({ at: exactly('saved') }),
  /** On the server. `epoch` is the life of its database. */
  fields({ at: exactly('here'), epoch: nullable(text), since: number }),
  /** It cannot be sent: its bytes are gone from this device, or the server does not take them. */
  fields({ at: exactly('failed'), code: exactly('VANISHED', 'REFUSED'), reason: text }),
);
/** How far a file has come. */
export type FileState = Read<typeof fileState>;

/** A signature goes before a photo: a stop is settled without the one, and looks unproven without the other. */
export const fileKinds = ['signature', 'document', 'photo'] as const;
/** What a file is to the office; signatures go before photos. */
export type FileKind = (typeof fileKinds)[number];

/** A file as it lies in storage, without its bytes. */
export const isKeptFile = fields({
  /** The id of the asset that it becomes; commits to the bytes (docs/protocol.md, Files). */
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
  /** Bytes of it have left this device; absent where an earlier version of the SDK has kept the file. */
  begun: optional(flag),
  state: fileState,
});
/** A file as this device keeps it until the server has it. */
export type KeptFile = Read<typeof isKeptFile>;

/**
 * Where files wait: what is known of each, and their bytes in pieces, for no platform takes records of any size (field
 * case 7). Apart from the `Store` of the client, which is read as a whole when it opens.
 */
export interface FileStore {
  /** What is known of every file, as it was put under its id; in no order. */
  files(): Promise<Row[]>;
  /** What is known (JSON) and, where they are given, the bytes: all of it or nothing; durable when it resolves. */
  put(id: string, facts: unknown, pieces?: readonly Uint8Array<ArrayBuffer>[]): Promise<void>;
  /** Undefined where it is gone: platforms evict, people clear. */
  piece(id: string, index: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** The file and its bytes. */
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}

/** Well below what Android's SQLite (2 MB) and old WebKits take in one record. */
export const pieceBytes = 256 * 1024;

/** The keys of a file's pieces sort as its bytes do; with an empty `index`, what all of them begin with. */
export const pieceKey = (id: string, index: number | ''): string =>
  `${id}/${index === '' ? '' : String(index).padStart(6, '0')}`;

/** Files that live as long as their object: for tests, and for platforms without storage. */
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
    // The same object opened again is the same device after a restart.
  }
}
