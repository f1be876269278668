import { MemoryStore, tables, type Store } from '@tailgate/client-sdk';

/** A device's disk as another device's disk: a backup, a clone. */
export async function copyOf(disk: Store): Promise<MemoryStore> {
  const copy = new MemoryStore();
  for (const table of tables)
    await copy.write(
      (await disk.readAll(table)).map((row) => ({ put: table, ...row })),
      'strict',
    );
  return copy;
}
