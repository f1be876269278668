import { DatabaseSync } from 'node:sqlite';
import type { ExpoDatabase, OpDatabase, OpenSql } from '@tailgate/client-sdk/sqlite';
import { expoSqlite, nodeSqlite, opSqlite } from '@tailgate/client-sdk/sqlite';

/**
 * A database file as each platform opens it. The device libraries are not here: their documented calls, over a real
 * SQLite.
 */
export const sqlPlatforms = {
  node: (file: string): OpenSql => nodeSqlite(() => new DatabaseSync(file)),
  expo: (file: string): OpenSql => expoSqlite(() => openExpoDatabase(file)),
  opSqlite: (file: string): OpenSql =>
    opSqlite((): OpDatabase => {
      const database = new DatabaseSync(file);
      return {
        execute: async (sql, parameters = []) => ({
          rows: database
            .prepare(sql)
            .all(...parameters)
            .map(withBuffers),
        }),
        executeBatch: (commands) =>
          inTransaction(database, async () => {
            for (const [sql, parameters] of commands) database.prepare(sql).run(...parameters);
          }),
        close: () => database.close(),
      };
    }),
};

/** `openDatabaseAsync` of expo-sqlite. */
export async function openExpoDatabase(file: string): Promise<ExpoDatabase> {
  const database = new DatabaseSync(file);
  return {
    execAsync: async (sql) => database.exec(sql),
    getAllAsync: async (sql, parameters) => database.prepare(sql).all(...parameters),
    runAsync: async (sql, parameters) => database.prepare(sql).run(...parameters),
    withTransactionAsync: (work) => inTransaction(database, work),
    closeAsync: async () => database.close(),
  };
}

/** This library returns blobs as `ArrayBuffer`. */
const withBuffers = (row: object): object =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => [
      name,
      value instanceof Uint8Array ? Uint8Array.from(value).buffer : value,
    ]),
  );

async function inTransaction(database: DatabaseSync, work: () => Promise<void>): Promise<void> {
  database.exec('begin');
  try {
    await work();
    database.exec('commit');
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
}
