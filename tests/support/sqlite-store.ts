import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Store } from '@tailgate/client-sdk';
import { nodeSqlite, openSqlite } from '@tailgate/client-sdk/sqlite';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * A phone's storage in a new SQLite file; after `close` it opens the same file again. The file is deleted with the test
 * file.
 */
export async function newSqliteStore(): Promise<Store> {
  const file = join(await temporaryFolder(), 'phone.db');
  return openSqlite(nodeSqlite(() => new DatabaseSync(file)));
}
