import type { FileStore } from '../../uploads/file-store.ts';
import { pieceKey } from '../../uploads/file-store.ts';
import { anything, fields, text } from '../../platform/reading.ts';
import type { Row } from '../store.ts';
import { SqlAccess } from './access.ts';
import type { OpenSql } from './connection.ts';
import {
  createFiles,
  createPieces,
  deleteFile,
  deletePieces,
  putFile,
  putPiece,
  selectFiles,
  selectPiece,
} from './sql.ts';

/**
 * Files in an SQLite database. It must not be the database of the client's store: each connection locks its file.
 *
 * @throws as `openSqlite`
 */
export async function openSqliteFiles(open: OpenSql): Promise<FileStore> {
  const files = new SqliteFiles(open);
  await files.files();
  return files;
}

const isFile = fields({ id: text, facts: text });
const isPiece = fields({ bytes: anything });

class SqliteFiles implements FileStore {
  readonly #access: SqlAccess;

  constructor(open: OpenSql) {
    this.#access = new SqlAccess(open, [createFiles, createPieces]);
  }

  async files(): Promise<Row[]> {
    const rows = (await this.#access.read(selectFiles, [])).filter(isFile);
    return rows.map(({ id, facts }): Row => ({ key: id, value: JSON.parse(facts) }));
  }

  async put(id: string, facts: unknown, pieces: readonly Uint8Array<ArrayBuffer>[] = []): Promise<void> {
    const parts = pieces.map((bytes, index) => putPiece(pieceKey(id, index), bytes));
    await this.#access.write([...parts, putFile(id, JSON.stringify(facts))]);
  }

  async piece(id: string, index: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const [row] = await this.#access.read(selectPiece, [pieceKey(id, index)]);
    return isPiece(row) ? bytesOf(row.bytes) : undefined;
  }

  async remove(id: string): Promise<void> {
    await this.#access.write([deletePieces(pieceKey(id, '')), deleteFile(id)]);
  }

  close(): Promise<void> {
    return this.#access.close();
  }
}

/** A copy: some platforms return views of their own memory. */
function bytesOf(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (value instanceof Uint8Array) return new Uint8Array(value);
  return value instanceof ArrayBuffer ? new Uint8Array(value.slice(0)) : undefined;
}
