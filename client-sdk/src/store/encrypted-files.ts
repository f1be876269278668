import type { FileStore } from '../uploads/file-store.ts';
import { pieceKey } from '../uploads/file-store.ts';
import { isSealed, openBytes, openValue, sealBytes, sealValue, WrongKey } from './sealing.ts';
import type { Row } from './store.ts';

/** A row that distinguishes a wrong key from a damaged row. No file has this id: ids are in upper case. */
const probeId = 'encryption';
const isProbe = ({ key }: Row): boolean => key === probeId;

/**
 * Encrypts the bytes and records of files in another store, as `encrypted` does with rows. Existing files are encrypted
 * now. Ids stay readable. A manipulated file reads as missing.
 *
 * @param key as for `encrypted`; it may be the same
 * @throws WrongKey
 */
export async function encryptedFiles(files: FileStore, key: CryptoKey): Promise<FileStore> {
  const rows = await files.files();
  const probe = rows.find(isProbe);
  if (probe)
    await openValue(key, factsPlace(probeId), probe.value).catch((error: unknown) => {
      throw new WrongKey(error);
    });
  else await encryptAll(files, key, rows);
  return new EncryptedFiles(files, key);
}

class EncryptedFiles implements FileStore {
  readonly name: string | undefined;
  readonly #files: FileStore;
  readonly #key: CryptoKey;
  /** Ends when all earlier writes have ended: a deletion must not overtake a write that is still being encrypted. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(files: FileStore, key: CryptoKey) {
    this.name = files.name;
    this.#files = files;
    this.#key = key;
  }

  async files(): Promise<Row[]> {
    const rows = (await this.#files.files()).filter((row) => !isProbe(row));
    return Promise.all(
      rows.map(async ({ key: id, value }) => {
        const facts = await openValue(this.#key, factsPlace(id), value).catch(() => null);
        return { key: id, value: facts };
      }),
    );
  }

  async put(id: string, facts: unknown, pieces: readonly Uint8Array<ArrayBuffer>[] = []): Promise<void> {
    const sealed = Promise.all([
      sealValue(this.#key, factsPlace(id), facts),
      Promise.all(pieces.map((piece, index) => sealBytes(this.#key, piecePlace(id, index), piece))),
    ]);
    await this.#inOrder(sealed, (content) => this.#files.put(id, ...content));
  }

  async piece(id: string, index: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const sealed = await this.#files.piece(id, index);
    return sealed && openBytes(this.#key, piecePlace(id, index), sealed).catch(() => undefined);
  }

  remove(id: string): Promise<void> {
    return this.#inOrder(Promise.resolve(), () => this.#files.remove(id));
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  #inOrder<Ready>(ready: Promise<Ready>, write: (ready: Ready) => Promise<void>): Promise<void> {
    const written = Promise.all([ready, this.#last]).then(([content]) => write(content));
    this.#last = Promise.allSettled([written]);
    return written;
  }
}

/** One file after the other: each is encrypted completely or not yet. The probe, written last, marks the end. */
async function encryptAll(files: FileStore, key: CryptoKey, rows: readonly Row[]): Promise<void> {
  const sealing = new EncryptedFiles(files, key);
  for (const { key: id, value } of rows) {
    // An earlier run encrypted it before a crash.
    if (isSealed(value)) continue;
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for (let piece = await files.piece(id, 0); piece; piece = await files.piece(id, pieces.length)) pieces.push(piece);
    await sealing.put(id, value, pieces);
  }
  await sealing.put(probeId, true);
}

const factsPlace = (id: string): string => `file\n${id}`;
const piecePlace = (id: string, index: number): string => `piece\n${pieceKey(id, index)}`;
