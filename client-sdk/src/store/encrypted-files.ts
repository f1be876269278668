import type { FileStore } from '../uploads/file-store.ts';
import { pieceKey } from '../uploads/file-store.ts';
import { alone, type SharedStore } from '../tabs/shared-store.ts';
import { isSealed, openBytes, openProbe, openValue, sealBytes, sealValue } from './sealing.ts';
import type { Row } from './store.ts';

/** A row that distinguishes a wrong key from a damaged row. No file has this id: ids are in upper case. */
const probeId = 'encryption';
const isProbe = ({ key }: Row): boolean => key === probeId;

/**
 * Encrypts the bytes and records of files in another store, as `encrypted` does with rows. Existing files are encrypted
 * now, while no page runs a client: it would continue to write files in the open. Ids stay readable. A manipulated file
 * reads as missing.
 *
 * @param key as for `encrypted`; it may be the same
 * @param store the client's store, whose pages use these files; a page that is the only one may omit it
 * @throws WrongKey; StoreInUse where files are to be encrypted and another page runs a client
 */
export async function encryptedFiles(
  files: FileStore,
  key: CryptoKey,
  store: Pick<SharedStore, 'alone'> = {},
): Promise<FileStore> {
  const isEncrypted = async (): Promise<boolean> =>
    openProbe(key, factsPlace(probeId), (await files.files()).find(isProbe));
  if (!(await isEncrypted()))
    await alone(store, async () => {
      // Another page may have encrypted the files while this one waited.
      if (!(await isEncrypted())) await encryptAll(files, key);
    });
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
async function encryptAll(files: FileStore, key: CryptoKey): Promise<void> {
  const sealing = new EncryptedFiles(files, key);
  for (const { key: id, value } of await files.files()) {
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
