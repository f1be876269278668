export type { ExpoDatabase, NodeDatabase, OpDatabase, OpenSql, SqlConnection } from './connection.ts';
export { expoSqlite, nodeSqlite, opSqlite } from './connection.ts';
export { openSqliteFiles } from './files.ts';
export type { SqlValue, Statement } from './sql.ts';
export { openSqlite } from './store.ts';
