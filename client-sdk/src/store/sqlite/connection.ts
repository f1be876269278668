import type { SqlValue, Statement } from './sql.ts';

/** An open SQLite database, as the store uses it. `nodeSqlite` and the others adapt a platform's driver. */
export interface SqlConnection {
  /** Runs a statement without parameters and without rows to read. */
  exec(sql: string): Promise<void>;
  all(sql: string, parameters: readonly SqlValue[]): Promise<readonly unknown[]>;
  /** Runs all statements in one transaction, or none. Calls do not overlap. */
  batch(statements: readonly Statement[]): Promise<void>;
  close(): Promise<void>;
}

/** Opens the database; called again where the store is used after `close`, or the platform has closed it. */
export type OpenSql = () => Promise<SqlConnection>;

/** The part of `DatabaseSync` in `node:sqlite` that the store uses. */
export interface NodeDatabase {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): { all(...parameters: SqlValue[]): unknown[]; run(...parameters: SqlValue[]): unknown };
  close(): void;
}

/** SQLite in Node: `nodeSqlite(() => new DatabaseSync('tailgate.db'))`. */
export const nodeSqlite =
  (open: () => NodeDatabase): OpenSql =>
  async () => {
    const database = open();
    const prepared = new Map<string, ReturnType<NodeDatabase['prepare']>>();
    const prepare = (sql: string): ReturnType<NodeDatabase['prepare']> => {
      const statement = prepared.get(sql) ?? database.prepare(sql);
      prepared.set(sql, statement);
      return statement;
    };
    return {
      exec: async (sql) => database.exec(sql),
      all: async (sql, parameters) => prepare(sql).all(...parameters),
      batch: async (statements) => {
        database.exec('begin immediate');
        try {
          for (const [sql, parameters] of statements) prepare(sql).run(...parameters);
          database.exec('commit');
        } catch (error) {
          // On a full disk SQLite has already rolled back.
          if (database.isTransaction) database.exec('rollback');
          throw error;
        }
      },
      close: async () => database.close(),
    };
  };

/** The part of `SQLiteDatabase` in `expo-sqlite` that the store uses. */
export interface ExpoDatabase {
  execAsync(sql: string): Promise<void>;
  getAllAsync(sql: string, parameters: SqlValue[]): Promise<unknown[]>;
  runAsync(sql: string, parameters: SqlValue[]): Promise<unknown>;
  withTransactionAsync(work: () => Promise<void>): Promise<void>;
  closeAsync(): Promise<void>;
}

/**
 * SQLite in Expo: `expoSqlite(() => openDatabaseAsync('tailgate.db'))`. Written from its documentation; not tested on a
 * device.
 */
export const expoSqlite =
  (open: () => Promise<ExpoDatabase>): OpenSql =>
  async () => {
    const database = await open();
    return {
      exec: (sql) => database.execAsync(sql),
      all: (sql, parameters) => database.getAllAsync(sql, [...parameters]),
      batch: (statements) =>
        database.withTransactionAsync(async () => {
          for (const [sql, parameters] of statements) await database.runAsync(sql, [...parameters]);
        }),
      close: () => database.closeAsync(),
    };
  };

/** The part of `DB` in `@op-engineering/op-sqlite` that the store uses. */
export interface OpDatabase {
  execute(sql: string, parameters?: SqlValue[]): Promise<{ readonly rows: readonly unknown[] }>;
  executeBatch(commands: [string, SqlValue[]][]): Promise<unknown>;
  close(): void;
}

/**
 * SQLite by op-sqlite: `opSqlite(() => open({ name: 'tailgate.db' }))`. Written from its documentation; not tested on a
 * device.
 */
export const opSqlite =
  (open: () => OpDatabase): OpenSql =>
  async () => {
    const database = open();
    return {
      exec: async (sql) => void (await database.execute(sql)),
      all: async (sql, parameters) => (await database.execute(sql, [...parameters])).rows,
      batch: async (statements) =>
        void (await database.executeBatch(statements.map(([sql, parameters]) => [sql, [...parameters]]))),
      close: async () => database.close(),
    };
  };
