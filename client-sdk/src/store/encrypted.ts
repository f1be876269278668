import { alone, type SharedStore } from '../tabs/shared-store.ts';
import { isSealed, openProbe, openValue, sealValue } from './sealing.ts';
import type { Durability, Row, Store, StoreChange, Table } from './store.ts';
import { probeKey, tables } from './store.ts';

export { encryptedFiles } from './encrypted-files.ts';
export { WrongKey } from './sealing.ts';

const isProbe = ({ key }: Row): boolean => key === probeKey;

/**
 * A store that encrypts its values in another one: AES-GCM, with a new nonce for each write. Existing values are
 * encrypted now, while no page runs a client: it would continue to write values in the open. Row keys (names of routes
 * and documents, ids of queues) stay readable, because rows are found by them. Each value is bound to its table and key,
 * so that rows cannot be exchanged. A manipulated row reads as null, and the SDK reports it as damaged. The server
 * detects a store that was reset as a whole.
 *
 * @param key the app's, from the platform's key store: for AES-GCM, with `encrypt` and `decrypt`; it need not be
 * extractable
 * @throws WrongKey; StoreInUse where values are to be encrypted and another page runs a client
 */
export async function encrypted(store: SharedStore, key: CryptoKey): Promise<SharedStore> {
  const isEncrypted = async (): Promise<boolean> =>
    openProbe(key, placeOf('setting', probeKey), (await store.readAll('setting')).find(isProbe));
  if (!(await isEncrypted()))
    await alone(store, async () => {
      // Another page may have encrypted the store while this one waited.
      if (!(await isEncrypted())) await encryptAll(store, key);
    });
  return new EncryptedStore(store, key);
}

class EncryptedStore implements SharedStore {
  readonly evicted: boolean;
  readonly share: SharedStore['share'];
  readonly alone: SharedStore['alone'];
  readonly #store: Store;
  readonly #key: CryptoKey;
  /** Encryption of different sizes ends in any order; writes must follow the order of calls. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: SharedStore, key: CryptoKey) {
    this.#store = store;
    this.#key = key;
    this.evicted = store.evicted ?? false;
    this.share = store.share;
    this.alone = store.alone;
  }

  async readAll(table: Table): Promise<Row[]> {
    const rows = await this.#store.readAll(table);
    const visible = table === 'setting' ? rows.filter((row) => !isProbe(row)) : rows;
    return Promise.all(
      visible.map(async (row) => ({ key: row.key, value: await open(this.#key, table, row).catch(() => null) })),
    );
  }

  write(changes: readonly StoreChange[], durability: Durability): Promise<void> {
    // Encrypts before the transaction opens: IndexedDB commits an idle transaction.
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

/** One write: after a crash, either all rows are encrypted or none. */
async function encryptAll(store: Store, key: CryptoKey): Promise<void> {
  const changes: StoreChange[] = [{ put: 'setting', key: probeKey, value: true }];
  for (const table of tables)
    for (const { key: rowKey, value } of await store.readAll(table))
      if (!isSealed(value)) changes.push({ put: table, key: rowKey, value });
  await store.write(await sealAll(key, changes), 'strict');
}

const sealAll = (key: CryptoKey, changes: readonly StoreChange[]): Promise<StoreChange[]> =>
  Promise.all(changes.map(async (change) => ('put' in change ? seal(key, change) : change)));

const seal = async (key: CryptoKey, change: Extract<StoreChange, { put: Table }>): Promise<StoreChange> => ({
  ...change,
  value: await sealValue(key, placeOf(change.put, change.key), change.value),
});

const open = (key: CryptoKey, table: Table, row: Row): Promise<unknown> =>
  openValue(key, placeOf(table, row.key), row.value);

const placeOf = (table: Table, key: string): string => `${table}\n${key}`;
