import { fields, text } from './reading.ts';
import type { Durability, Row, Store, StoreChange, Table } from './store.ts';
import { tables } from './store.ts';

/** What is stored instead of a value: base64 of the nonce, and of what AES-GCM made. */
const isSealed = fields({ nonce: text, sealed: text });

/** Tells a wrong key from a damaged row. */
const probeKey = 'encryption';
const isProbe = ({ key }: Row): boolean => key === probeKey;

/** The store was written with another key. Nothing of it was touched. */
export class WrongKey extends Error {
  constructor(cause: unknown) {
    super('the store cannot be read with this key: give the key that it was written with', { cause });
    this.name = 'WrongKey';
  }
}

/**
 * A store whose values lie encrypted in another one: AES-GCM, a nonce for each write. What was in the store before is
 * encrypted now. Row keys (names of routes and documents, ids of queues) stay readable: rows have to be found by them.
 * Each value is bound to its table and key, so that rows cannot be exchanged; a row that was changed reads as null, and
 * the SDK reports it as damaged. That a store was set back as a whole is for the server to notice.
 *
 * @param key the app's, from the platform's key store: for AES-GCM, `encrypt` and `decrypt`; it need not be extractable
 * @throws WrongKey
 */
export async function encrypted(store: Store, key: CryptoKey): Promise<Store> {
  const probe = (await store.readAll('setting')).find(isProbe);
  if (probe)
    await open(key, 'setting', probe).catch((error: unknown) => {
      throw new WrongKey(error);
    });
  else await encryptAll(store, key);
  return new EncryptedStore(store, key);
}

class EncryptedStore implements Store {
  readonly evicted: boolean;
  readonly share: Store['share'];
  readonly #store: Store;
  readonly #key: CryptoKey;
  /** Values of different sizes are not done in the order in which they were begun; writes are. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: Store, key: CryptoKey) {
    this.#store = store;
    this.#key = key;
    this.evicted = store.evicted ?? false;
    this.share = store.share;
  }

  async readAll(table: Table): Promise<Row[]> {
    const rows = await this.#store.readAll(table);
    const told = table === 'setting' ? rows.filter((row) => !isProbe(row)) : rows;
    return Promise.all(
      told.map(async (row) => ({ key: row.key, value: await open(this.#key, table, row).catch(() => null) })),
    );
  }

  write(changes: readonly StoreChange[], durability: Durability): Promise<void> {
    // All of it before the transaction opens: IndexedDB commits one that is left waiting.
    const sealed = sealAll(this.#key, changes);
    const before = this.#last;
    const written = Promise.all([sealed, before]).then(([ready]) => this.#store.write(ready, durability));
    this.#last = Promise.allSettled([written]);
    return written;
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/** Everything at once: a crash finds all of it encrypted, or none. */
async function encryptAll(store: Store, key: CryptoKey): Promise<void> {
  const changes: StoreChange[] = [{ put: 'setting', key: probeKey, value: true }];
  for (const table of tables)
    for (const row of await store.readAll(table)) changes.push({ put: table, key: row.key, value: row.value });
  await store.write(await sealAll(key, changes), 'strict');
}

const sealAll = (key: CryptoKey, changes: readonly StoreChange[]): Promise<StoreChange[]> =>
  Promise.all(changes.map(async (change) => ('put' in change ? seal(key, change) : change)));

async function seal(key: CryptoKey, change: Extract<StoreChange, { put: Table }>): Promise<StoreChange> {
  const nonce = crypto.getRandomValues(new Uint8Array(12));
  const plain = new TextEncoder().encode(JSON.stringify(change.value));
  const sealed = await crypto.subtle.encrypt(algorithm(nonce, change.put, change.key), key, plain);
  return { ...change, value: { nonce: toBase64(nonce), sealed: toBase64(new Uint8Array(sealed)) } };
}

async function open(key: CryptoKey, table: Table, row: Row): Promise<unknown> {
  if (!isSealed(row.value)) throw new Error('this row is not encrypted');
  const { nonce, sealed } = row.value;
  const plain = await crypto.subtle.decrypt(algorithm(fromBase64(nonce), table, row.key), key, fromBase64(sealed));
  return JSON.parse(new TextDecoder().decode(plain));
}

const algorithm = (iv: Uint8Array<ArrayBuffer>, table: Table, key: string): AesGcmParams => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(`${table}\n${key}`),
});

/** A call takes so many arguments everywhere. */
const pieceBytes = 8_192;

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += pieceBytes)
    binary += String.fromCharCode(...bytes.subarray(at, at + pieceBytes));
  return btoa(binary);
}

const fromBase64 = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
